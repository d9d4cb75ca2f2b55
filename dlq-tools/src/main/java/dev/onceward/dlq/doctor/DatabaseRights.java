package dev.onceward.dlq.doctor;

import dev.onceward.dlq.connect.Connections;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Whether the command's role has the rights that the page about database roles gives to operators. */
final class DatabaseRights {
    private static final String CHECK = "database rights";
    private static final String SELECT = "SELECT";
    private static final Map<String, Set<String>> WRITES = Map.of(
            "dead_letters", Set.of("INSERT", "UPDATE"),
            "partition_generations", Set.of("UPDATE"),
            "dlq_actions", Set.of("INSERT", "UPDATE"));
    // From the catalogue, which everybody may read: to_regclass fails where the schema may not be used.
    private static final String TABLES = "SELECT c.relname, has_table_privilege(c.oid, 'SELECT'),"
            + " has_table_privilege(c.oid, 'INSERT'), has_table_privilege(c.oid, 'UPDATE'),"
            + " has_schema_privilege(n.oid, 'USAGE'), quote_ident(current_user), quote_ident(n.nspname)"
            + " FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
            + " WHERE n.nspname = ? AND c.relname = ANY (?) AND c.relkind IN ('r', 'p') ORDER BY 1";

    private final List<Finding> findings = new ArrayList<>();
    private final Set<String> writes = new TreeSet<>();
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
                    rights.add(row);
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
        if (writes.isEmpty() && !grantsToWrite.isEmpty() && grantsToRead.isEmpty()) {
            findings.add(Finding.ok(
                    CHECK,
                    "the role " + role + " may only look; to act it needs: " + String.join("; ", grantsToWrite)));
        } else if (!grantsToWrite.isEmpty()) {
            grantsToWrite.forEach(grant -> findings.add(Finding.problem(
                    CHECK, "the role " + role + " may not write what commands that change something write", grant)));
        }
        return findings.isEmpty() && !role.isEmpty()
                ? List.of(Finding.ok(CHECK, "the role " + role + " may look and act"))
                : findings;
    }

    private void add(ResultSet row) throws SQLException {
        String table = row.getString(1);
        role = row.getString(6);
        String schema = row.getString(7);
        if (!row.getBoolean(5) && grantsToRead.isEmpty()) {
            grantsToRead.add("GRANT USAGE ON SCHEMA " + schema + " TO " + role);
        }
        String on = " ON " + schema + "." + table + " TO " + role;
        if (!row.getBoolean(2)) {
            grantsToRead.add("GRANT " + SELECT + on);
        }
        List<String> missing = new ArrayList<>();
        for (String right : new TreeSet<>(WRITES.getOrDefault(table, Set.of()))) {
            boolean has = row.getBoolean(right.equals("INSERT") ? 3 : 4);
            if (has) {
                writes.add(table);
            } else {
                missing.add(right);
            }
        }
        if (!missing.isEmpty()) {
            grantsToWrite.add("GRANT " + String.join(", ", missing) + on);
        }
    }
}
