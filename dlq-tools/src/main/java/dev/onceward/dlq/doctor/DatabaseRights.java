package dev.onceward.dlq.doctor;

import dev.onceward.dlq.connect.Connections;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Whether the command's role has the rights that the page about database roles gives to operators. */
final class DatabaseRights {
    private static final String CHECK = "database rights";
    /** What commands that change something must be allowed, by table. */
    private static final Map<String, List<Write>> WRITES = Map.of(
            "dead_letters", List.of(Write.only("import", "INSERT"), Write.always("UPDATE")),
            "partition_generations", List.of(Write.only("workers evict", "UPDATE")),
            "dlq_actions", List.of(Write.always("INSERT"), Write.always("UPDATE")),
            "message_attempts", List.of(new Write("UPDATE", "last_error", "erase")));
    // From the catalogue, which everybody may read: to_regclass fails where the schema may not be used.
    private static final String TABLES = "SELECT c.relname, has_table_privilege(c.oid, 'SELECT'),"
            + " has_schema_privilege(n.oid, 'USAGE'), quote_ident(current_user), quote_ident(n.nspname), c.oid"
            + " FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
            + " WHERE n.nspname = ? AND c.relname = ANY (?) AND c.relkind IN ('r', 'p') ORDER BY 1";
    // A right on the table is one on each of its columns.
    private static final String MAY_WRITE = "SELECT CASE WHEN ?::text IS NULL THEN has_table_privilege(?::oid, ?)"
            + " ELSE has_column_privilege(?::oid, ?::text, ?) END";

    private final List<Finding> findings = new ArrayList<>();
    private final List<String> notFor = new ArrayList<>();
    private boolean writes;
    private final List<String> grantsToRead = new ArrayList<>();
    private final List<String> grantsToWrite = new ArrayList<>();
    private String role = "";

    /**
     * Looks.
     *
     * @param tables all that the command reads
     */
    static DatabaseRights read(Connections connections, List<String> tables) throws SQLException {
        DatabaseRights rights = new DatabaseRights();
        try (Connection connection = connections.newDatabase();
                PreparedStatement statement = connection.prepareStatement(TABLES)) {
            statement.setString(1, connections.schema());
            statement.setArray(2, connection.createArrayOf("text", tables.toArray()));
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    rights.add(connection, row);
                }
            }
        }
        return rights;
    }

    /** Whether everything can be read: without that, nothing else can be looked at. */
    boolean canRead() {
        return grantsToRead.isEmpty();
    }

    /** What is missing, with what grants it. */
    List<Finding> findings() {
        if (!grantsToRead.isEmpty()) {
            findings.add(Finding.problem(
                    CHECK, "the role " + role + " may not read all tables", String.join("; ", grantsToRead)));
        }
        List<String> missing =
                Stream.concat(grantsToWrite.stream(), notFor.stream()).sorted().toList();
        if (!writes && !missing.isEmpty() && grantsToRead.isEmpty()) {
            findings.add(Finding.ok(
                    CHECK, "the role " + role + " may only look; to act it needs: " + String.join("; ", missing)));
        } else {
            grantsToWrite.forEach(grant -> findings.add(Finding.problem(
                    CHECK, "the role " + role + " may not write what commands that change something write", grant)));
        }
        if (findings.isEmpty() && !role.isEmpty()) {
            findings.add(Finding.ok(
                    CHECK,
                    "the role " + role + " may look and act"
                            + (notFor.isEmpty() ? "" : ", but for these: " + String.join("; ", notFor))));
        }
        return findings;
    }

    private void add(Connection connection, ResultSet row) throws SQLException {
        String table = row.getString(1);
        role = row.getString(4);
        String schema = row.getString(5);
        if (!row.getBoolean(3) && grantsToRead.isEmpty()) {
            grantsToRead.add("GRANT USAGE ON SCHEMA " + schema + " TO " + role);
        }
        String on = " ON " + schema + "." + table + " TO " + role;
        if (!row.getBoolean(2)) {
            grantsToRead.add("GRANT SELECT" + on);
        }
        List<String> missing = new ArrayList<>();
        for (Write write : WRITES.getOrDefault(table, List.of())) {
            if (has(connection, row.getLong(6), write)) {
                writes = true;
            } else if (write.command() == null) {
                missing.add(write.grant());
            } else {
                notFor.add("GRANT " + write.grant() + on + " (dlq " + write.command() + ")");
            }
        }
        if (!missing.isEmpty()) {
            grantsToWrite.add("GRANT " + String.join(", ", missing) + on);
        }
    }

    private static boolean has(Connection connection, long table, Write write) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(MAY_WRITE)) {
            statement.setString(1, write.column());
            statement.setLong(2, table);
            statement.setString(3, write.right());
            statement.setLong(4, table);
            statement.setString(5, write.column());
            statement.setString(6, write.right());
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getBoolean(1);
            }
        }
    }

    /**
     * A right to write.
     *
     * @param right as in GRANT
     * @param column only on this one; {@code null}: on the table
     * @param command the only command that needs it, so that a role may do without; {@code null}: none works without it
     */
    private record Write(
            String right, @Nullable String column, @Nullable String command) {
        static Write always(String right) {
            return new Write(right, null, null);
        }

        static Write only(String command, String right) {
            return new Write(right, null, command);
        }

        String grant() {
            return column == null ? right : right + " (" + column + ")";
        }
    }
}
