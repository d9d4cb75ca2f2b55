package dev.onceward.migrations;

import dev.onceward.migrations.SchemaVersionException.Problem;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * Compares the tables in a database with those that this version of Onceward works with.
 *
 * <p>Plain JDBC: a worker checks at start with this class and needs no Flyway for it. Reads only, takes no lock, and
 * asks for no more rights than {@code SELECT} on the history table. Thread-safe.
 */
public final class SchemaVersion {
    /** Table in which the applied migrations are recorded. */
    public static final String HISTORY_TABLE = "onceward_schema_history";

    /** The version that this code works with: that of the newest migration in this jar. */
    public static final int REQUIRED = 3;

    private SchemaVersion() {}

    /**
     * Returns if the tables are exactly those of version {@link #REQUIRED}.
     *
     * @param dataSource one connection is taken and given back
     * @param schema     name of the schema, see {@link SchemaName}
     * @throws SchemaVersionException   if they are not; the message says what is there, what is needed and what to run
     * @throws IllegalArgumentException if the schema's name is not a plain name
     * @throws SQLException             if the database cannot be asked, which says nothing about the tables
     */
    public static void verify(DataSource dataSource, String schema) throws SQLException {
        SchemaName name = new SchemaName(schema);
        try (Connection connection = dataSource.getConnection()) {
            Report report = new Report(name, connection);
            checkReadable(connection, name, report);
            checkVersion(connection, name, report);
        }
    }

    /** From the catalogue, which every role may read: asking the table itself would only say "permission denied". */
    private static void checkReadable(Connection connection, SchemaName schema, Report report) throws SQLException {
        String sql = "SELECT n.oid IS NOT NULL, c.oid IS NOT NULL, current_user,"
                + " has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')"
                + " FROM (VALUES (1)) one"
                + " LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = ?"
                + " LEFT JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = ? AND c.relkind = 'r'";
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            query.setString(1, schema.value());
            query.setString(2, HISTORY_TABLE);
            try (ResultSet row = query.executeQuery()) {
                row.next();
                if (!row.getBoolean(1)) {
                    throw report.migrate(Problem.SCHEMA_MISSING, "it does not exist");
                }
                if (!row.getBoolean(2)) {
                    throw report.migrate(Problem.TABLES_MISSING, "it has no table " + HISTORY_TABLE);
                }
                if (!row.getBoolean(4)) {
                    throw report.grant(row.getString(3));
                }
            }
        }
    }

    private static void checkVersion(Connection connection, SchemaName schema, Report report) throws SQLException {
        int applied = 0;
        String sql = "SELECT version, description, success FROM " + schema.qualify(HISTORY_TABLE)
                + " WHERE version IS NOT NULL ORDER BY installed_rank";
        try (PreparedStatement query = connection.prepareStatement(sql);
                ResultSet row = query.executeQuery()) {
            while (row.next()) {
                if (!row.getBoolean(3)) {
                    throw report.failed(row.getString(1), row.getString(2));
                }
                applied = Math.max(applied, number(row.getString(1)));
            }
        }
        if (applied < REQUIRED) {
            throw applied == 0
                    ? report.migrate(Problem.TABLES_MISSING, "no migration has been applied to it")
                    : report.migrate(Problem.TOO_OLD, "it is at version " + applied);
        }
        if (applied > REQUIRED) {
            throw report.newer(applied);
        }
    }

    /** Ours are whole numbers. Anything else was not written by this version, and nothing older wrote it either. */
    private static int number(String version) {
        try {
            return Integer.parseInt(version);
        } catch (NumberFormatException e) {
            return Integer.MAX_VALUE;
        }
    }
}
