package dev.onceward.testsupport.guarantees;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.postgresql.util.PSQLException;

/** One connection with which a check asks; a check has no use for SQLException but to fail. */
final class Queries implements AutoCloseable {
    private static final int FETCH_SIZE = 5_000;

    private final ObservedConsumer consumer;
    private final Connection connection;

    Queries(ObservedConsumer consumer) {
        this.consumer = consumer;
        try {
            this.connection = consumer.dataSource().getConnection();
            // One transaction: without it the driver reads whole answers into memory. Only temporary tables are
            // written.
            connection.setAutoCommit(false);
        } catch (SQLException e) {
            throw failed("connecting", e);
        }
    }

    Connection connection() {
        return connection;
    }

    void execute(String sql) {
        try (var statement = connection.createStatement()) {
            statement.execute(consumer.sql(sql));
        } catch (SQLException e) {
            throw failed(sql, e);
        }
    }

    void commit() {
        try {
            connection.commit();
        } catch (SQLException e) {
            throw failed("COMMIT", e);
        }
    }

    long count(String sql, Object... arguments) {
        long[] count = new long[1];
        rows(sql, row -> count[0] = row.getLong(1), arguments);
        return count[0];
    }

    void rows(String sql, Row taker, Object... arguments) {
        try (PreparedStatement statement = connection.prepareStatement(consumer.sql(sql))) {
            statement.setFetchSize(FETCH_SIZE);
            for (int i = 0; i < arguments.length; i++) {
                statement.setObject(i + 1, arguments[i]);
            }
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    taker.take(row);
                }
            }
        } catch (SQLException e) {
            throw failed(sql, e);
        }
    }

    @Override
    public void close() {
        try {
            connection.rollback();
            connection.close();
        } catch (SQLException e) {
            throw failed("closing", e);
        }
    }

    static IllegalStateException failed(String what, SQLException e) {
        String where = e instanceof PSQLException known && known.getServerErrorMessage() != null
                ? " [" + known.getSQLState() + "]"
                : "";
        return new IllegalStateException("The check could not ask the database" + where + ": " + what, e);
    }

    /** Takes one row. */
    interface Row {
        void take(ResultSet row) throws SQLException;
    }
}
