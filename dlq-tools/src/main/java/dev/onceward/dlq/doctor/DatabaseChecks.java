package dev.onceward.dlq.doctor;

import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.output.People;
import dev.onceward.dlq.workers.RunningWorker;
import dev.onceward.dlq.workers.WorkerList;
import dev.onceward.migrations.SchemaVersion;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** What the database alone can tell. */
final class DatabaseChecks {
    private static final String SYNCHRONOUS_COMMIT = "synchronous_commit";
    // What this session has, and what roles or the database set for the sessions of others.
    private static final String ASYNCHRONOUS = "SELECT 'this session' WHERE current_setting('synchronous_commit')"
            + " IN ('off', 'local') UNION ALL SELECT coalesce('role ' || r.rolname, 'every role of this database')"
            + " FROM pg_db_role_setting s LEFT JOIN pg_roles r ON r.oid = s.setrole"
            + " WHERE s.setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))"
            + " AND s.setconfig && ARRAY['synchronous_commit=off', 'synchronous_commit=local']";
    private static final String PENDING = "SELECT consumer_name, count(*)"
            + " FROM {dead_letters} WHERE (?::text IS NULL OR consumer_name = ?) AND status = 'PENDING'"
            + " AND failed_at < clock_timestamp() - interval '1 minute' GROUP BY 1 ORDER BY 1";
    private static final String LOST = "SELECT consumer_name, count(*) FROM {dead_letters}"
            + " WHERE (?::text IS NULL OR consumer_name = ?) AND status IN ('DEAD', 'REPLAYED')"
            + " AND reason = 'PAYLOAD_LOST' GROUP BY 1 ORDER BY 1";

    private final Connections connections;

    DatabaseChecks(Connections connections) {
        this.connections = connections;
    }

    List<Finding> run() throws SQLException {
        List<Finding> findings = new ArrayList<>();
        findings.add(Finding.ok(
                "database",
                connections.databaseAddress() + ", tables of version " + SchemaVersion.REQUIRED + " in the schema "
                        + connections.schema()));
        findings.add(synchronousCommit());
        findings.addAll(workers());
        findings.addAll(letters(
                PENDING,
                "pending",
                "pending for more than a minute",
                "no dead letter waits to be published",
                "a worker publishes them: look at dlq workers, and whether the dead-letter topic takes records"
                        + " (its logs: publish_failed)"));
        findings.addAll(letters(
                LOST,
                "payload lost",
                "whose payload was lost",
                "no payload was lost",
                "find the messages in their source (dlq list --reason payload_lost), then dlq discard them; raise"
                        + " retention.ms of the source topic"));
        return findings;
    }

    private Finding synchronousCommit() throws SQLException {
        List<String> who = new ArrayList<>();
        try (PreparedStatement statement = connections.database().prepareStatement(ASYNCHRONOUS);
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                who.add(row.getString(1));
            }
        }
        return who.isEmpty()
                ? Finding.ok(SYNCHRONOUS_COMMIT, "on, or stronger")
                : Finding.problem(
                        SYNCHRONOUS_COMMIT,
                        "off or local for " + String.join(", ", who)
                                + ": an acknowledged effect can be lost in a crash or failover",
                        "ALTER ROLE … SET synchronous_commit = on, or remove the setting");
    }

    private List<Finding> workers() throws SQLException {
        List<Finding> findings = new ArrayList<>();
        List<Finding> harmless = new ArrayList<>();
        List<RunningWorker> workers = new WorkerList(connections).read();
        long running = workers.stream().filter(worker -> !worker.stale()).count();
        for (RunningWorker worker : workers) {
            if (worker.stale() && worker.partitions().isEmpty()) {
                harmless.add(Finding.ok(
                        "workers",
                        worker.id() + " of " + worker.consumer() + " ended without a word"
                                + (worker.heartbeatAge() == null
                                        ? ""
                                        : " (no heartbeat for " + People.duration(worker.heartbeatAge()) + ")")
                                + " and owns nothing; " + RunningWorker.ROW_GOES));
            } else if (worker.stale()) {
                findings.add(Finding.problem(
                        "workers",
                        worker.id() + " of " + worker.consumer() + " is stale: "
                                + (worker.heartbeatAge() == null
                                        ? "it is gone"
                                        : "no heartbeat for " + People.duration(worker.heartbeatAge()))
                                + ", and owns "
                                + People.count(worker.partitions().size(), "partition"),
                        "if it hangs, end its process; if Kafka gives its partitions to nobody, start a worker; dlq"
                                + " workers evict " + worker.id() + " makes sure that it can write nothing"));
            }
        }
        if (running == 0) {
            findings.add(
                    Finding.problem("workers", "no worker runs", "start one; until then dlq age tells what waits"));
        } else if (findings.isEmpty()) {
            findings.add(Finding.ok(
                    "workers",
                    People.count(running, "worker")
                            + (harmless.isEmpty() ? ", none stale" : ", none stale that owns anything")));
        }
        findings.addAll(harmless);
        return findings;
    }

    private List<Finding> letters(String sql, String check, String what, String fine, String advice)
            throws SQLException {
        List<Finding> findings = new ArrayList<>();
        try (PreparedStatement statement =
                connections.database().prepareStatement(connections.tables().sql(sql))) {
            String wanted = connections.consumer().orElse(null);
            statement.setString(1, wanted);
            statement.setString(2, wanted);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    findings.add(Finding.problem(
                            check,
                            People.count(row.getLong(2), "dead letter") + " of " + row.getString(1) + " " + what,
                            advice));
                }
            }
        }
        return findings.isEmpty() ? List.of(Finding.ok(check, fine)) : findings;
    }
}
