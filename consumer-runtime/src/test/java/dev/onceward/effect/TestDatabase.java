package dev.onceward.effect;

import dev.onceward.testsupport.Backends;
import dev.onceward.testsupport.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** A database of one's own and connections in a transaction. */
final class TestDatabase {
    private final PostgresServer server = Backends.sharedPostgres();
    private final String name = server.createDatabase();

    TestDatabase(String... setUp) {
        try (Connection connection = server.dataSource(name).getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : setUp) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A connection with auto-commit off. */
    Connection inTransaction() throws SQLException {
        Connection connection = server.dataSource(name).getConnection();
        connection.setAutoCommit(false);
        return connection;
    }

    /** As {@link #inTransaction()}, with settings of the driver's such as {@code prepareThreshold=0&autosave=always}. */
    Connection inTransaction(String settings) throws SQLException {
        String url = server.jdbcUrl(name);
        Connection connection = DriverManager.getConnection(
                url + (url.contains("?") ? "&" : "?") + settings, server.user(), server.password());
        connection.setAutoCommit(false);
        return connection;
    }

    /** The first column of all rows, as text. */
    static List<String> column(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> values = new ArrayList<>();
            while (rows.next()) {
                values.add(rows.getString(1));
            }
            return values;
        }
    }

    static String value(Connection connection, String sql) throws SQLException {
        return column(connection, sql).get(0);
    }
}
