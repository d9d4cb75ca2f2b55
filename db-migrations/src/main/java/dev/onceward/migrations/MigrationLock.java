package dev.onceward.migrations;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/**
 * Makes callers migrate one after the other.
 *
 * <p>Flyway has a lock of its own, but takes it after it has looked whether the schema and the history table exist, and
 * {@code CREATE SCHEMA IF NOT EXISTS} fails with a unique violation when two sessions run it at once. Here everything,
 * the looking too, happens under the lock.
 *
 * <p>Held by an open transaction on a connection of its own: it ends with the connection, however this process ends.
 */
final class MigrationLock implements AutoCloseable {
    private final Connection connection;
    private final SchemaName schema;

    private MigrationLock(Connection connection, SchemaName schema) {
        this.connection = connection;
        this.schema = schema;
    }

    static MigrationLock acquire(DataSource dataSource, SchemaName schema) throws SQLException {
        Connection connection = dataSource.getConnection();
        try {
            connection.setAutoCommit(false);
            MigrationLock lock = new MigrationLock(connection, schema);
            lock.acquire();
            return lock;
        } catch (SQLException | RuntimeException e) {
            try (connection) {
                connection.rollback();
            } catch (SQLException closing) {
                e.addSuppressed(closing);
            }
            throw e;
        }
    }

    private void acquire() throws SQLException {
        try (Statement limits = connection.createStatement()) {
            // A role or a database may have limits meant for requests. Waiting for another's migration is no error, and
            // this session is idle in its transaction on purpose.
            limits.execute("SELECT set_config('lock_timeout', '0', true), set_config('statement_timeout', '0', true),"
                    + " set_config('idle_in_transaction_session_timeout', '0', true)");
        }
        // The keys with one bigint are apart from those with two ints, which fence partitions.
        String sql = "SELECT pg_advisory_xact_lock(hashtextextended('onceward migrations ' || ?, 0))";
        try (PreparedStatement lock = connection.prepareStatement(sql)) {
            lock.setString(1, schema.value());
            lock.execute();
        }
    }

    /** In a transaction of its own: Flyway, on another connection, must see it. */
    void createSchemaIfMissing() throws SQLException {
        // Looked up first: IF NOT EXISTS asks for the right to create schemas even where there is nothing to create.
        if (schemaExists()) {
            return;
        }
        try (Statement create = connection.createStatement()) {
            create.execute("CREATE SCHEMA IF NOT EXISTS " + schema.quoted());
        }
        connection.commit();
        acquire();
    }

    private boolean schemaExists() throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement("SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = ?")) {
            query.setString(1, schema.value());
            try (ResultSet row = query.executeQuery()) {
                return row.next();
            }
        }
    }

    @Override
    public void close() throws SQLException {
        try (connection) {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }
}
