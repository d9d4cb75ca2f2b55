package dev.onceward.testsupport;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import javax.sql.DataSource;

/** The few statements that every kind of server here needs, run in a database that exists already. */
record PostgresAdmin(String server, DataSource database) {

    String createDatabase() {
        String name = "test_" + UUID.randomUUID().toString().replace("-", "").substring(0, 16);
        execute("CREATE DATABASE " + name, "create a database");
        return name;
    }

    void dropDatabase(String name) {
        execute("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)", "drop the test database " + name);
    }

    String serverVersion() {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet version = statement.executeQuery("SHOW server_version")) {
            version.next();
            return version.getString(1);
        } catch (SQLException e) {
            throw new BackendException("PostgreSQL at " + server + " did not answer: " + e.getMessage(), e);
        }
    }

    void execute(String sql, String purpose) {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            // A test may have named a synchronous standby that never answers; this must not wait for it.
            statement.execute("SET synchronous_commit = local");
            statement.execute(sql);
        } catch (SQLException e) {
            throw new BackendException("PostgreSQL at " + server + " did not " + purpose + ": " + e.getMessage(), e);
        }
    }
}
