package dev.onceward.dlq;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.onceward.dlq.output.Terminal;
import dev.onceward.postgres.Tables;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code dlq workers} tells who runs, and {@code evict} takes away what a worker owns, once and for all. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class WorkersIT {
    private static final String GHOST = "ghost-1";
    private static final int LOCK_CLASS = new Tables("public").lockClass();

    private final Payments payments = new Payments(2);

    @AfterEach
    void close() {
        payments.close();
    }

    @Test
    void listsWhoRunsWithPartitionsAndGenerations() throws IOException {
        processed();

        assertThat(workers()).singleElement().satisfies(worker -> {
            assertThat(worker.get("state").asText()).isEqualTo("RUNNING");
            assertThat(worker.get("partitions").asText()).isEqualTo(payments.topic + " 0:1 1:1");
            assertThat(worker.get("lease").asDouble()).isEqualTo(2.0);
            assertThat(worker.get("heartbeatAge").asDouble()).isBetween(0.0, 2.0);
        });

        payments.stopWorkers();
        assertThat(payments.dlq("workers").err()).contains("No worker runs.");
    }

    @Test
    void marksTheOnesThatAreStaleByTheDatabasesClock() throws IOException {
        ghost();
        assertThat(workers()).singleElement().satisfies(worker -> {
            assertThat(worker.get("state").asText()).isEqualTo("STALE");
            assertThat(worker.get("heartbeatAge").asDouble()).isBetween(600.0, 720.0);
        });
        // Its row is forgotten after a day; what it never gave back is not.
        payments.execute("DELETE FROM consumer_workers");
        assertThat(workers()).singleElement().satisfies(worker -> {
            assertThat(worker.get("state").asText()).isEqualTo("STALE");
            assertThat(worker.get("heartbeatAge").isNull()).isTrue();
        });
    }

    @Test
    void evictsAStaleWorkerAndLeavesARow() {
        ghost();
        assertThat(payments.dlq("workers", "evict", "nobody").err()).contains("there is no worker nobody", GHOST);
        assertThat(payments.dlq("workers", "evict", GHOST).exitCode()).isEqualTo(4);
        Terminal terminal = new Terminal(true, true, true, 80, false);
        Runs.Run refused = payments.dlq(terminal, "n\n", "workers", "evict", GHOST);
        assertThat(refused.exitCode()).isEqualTo(4);
        assertThat(refused.err()).contains("Evict the stale worker " + GHOST);
        assertThat(generations()).containsExactly("1", "1");
        assertThat(payments.count("SELECT count(*) FROM dlq_actions")).isZero();

        Runs.Run run = payments.dlq(terminal, "y\n", "workers", "evict", GHOST);

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains(GHOST + " evicted from 2 partitions");
        assertThat(generations()).containsExactly("2", "2");
        assertThat(payments.texts(
                        "SELECT concat_ws(' ', command, filter, selected, done, failed, outcome)"
                                + " FROM dlq_actions WHERE consumer_name = ? AND finished_at IS NOT NULL",
                        payments.name))
                .containsExactly("evict worker ghost-1 2 2 0 DONE");
        assertThat(payments.dlq("workers", "evict", GHOST, "--yes").err())
                .contains("owns no partition", "a worker of the consumer removes its row a day after");
        assertThat(generations()).containsExactly("2", "2");
    }

    @Test
    void aLivingWorkerTakesOverAgainAndEveryEffectIsOnce() {
        processed();
        String worker = payments.texts("SELECT worker_id FROM consumer_workers").get(0);

        assertThat(payments.dlq("workers", "evict", worker, "--yes").exitCode()).isZero();

        payments.send("account-0", "after-0", "1");
        payments.send("account-1", "after-1", "1");
        payments.flush();
        Payments.await().until(() -> payments.distinctEntries() == 22);
        assertThat(payments.entries()).isEqualTo(22);
        assertThat(generations())
                .allSatisfy(generation -> assertThat(Long.parseLong(generation)).isGreaterThan(1));
    }

    @Test
    void waitsForARunningTransactionAndNoLongerThanTold() throws SQLException {
        ghost();
        try (Connection running = shared(0)) {
            Runs.Run run = payments.dlq("workers", "evict", GHOST, "--yes", "--wait", "200ms");

            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.out()).contains("evicted from 1 partition");
            assertThat(run.err()).contains("did not end within 200ms: " + payments.topic + "/0");
            assertThat(generations()).containsExactly("1", "2");
            assertThat(payments.texts("SELECT concat_ws(' ', selected, done, failed, outcome) FROM dlq_actions"))
                    .containsExactly("2 1 1 PARTLY");
            running.rollback();
        }
        assertThat(payments.dlq("workers", "evict", GHOST, "--yes").exitCode()).isZero();
        assertThat(generations()).containsExactly("2", "2");
    }

    @Test
    void whatAnotherWorkerTookMeanwhileIsLeftAlone() throws Exception {
        ghost();
        try (Connection other = shared(1)) {
            CompletableFuture<Runs.Run> eviction =
                    CompletableFuture.supplyAsync(() -> payments.dlq("workers", "evict", GHOST, "--yes"));
            Payments.await()
                    .until(() -> payments.count("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"
                                    + " AND NOT granted AND classid = " + LOCK_CLASS + "::oid AND database ="
                                    + " (SELECT oid FROM pg_database WHERE datname = current_database())")
                            == 1);
            try (var statement = other.createStatement()) {
                statement.execute("UPDATE partition_generations SET generation = 7, worker_id = 'another'"
                        + " WHERE partition = 1 AND topic = '" + payments.topic + "'");
            }
            other.commit();

            assertThat(eviction.get().err()).contains("left alone: " + payments.topic + "/1");
        }
        assertThat(generations()).containsExactly("2", "7");
    }

    // ---- helpers ----

    private void processed() {
        payments.startWorker();
        for (int i = 0; i < 20; i++) {
            payments.send("account-" + i, "m" + i, "1");
        }
        payments.flush();
        Payments.await().until(() -> payments.entries() == 20);
        Payments.await().until(() -> generations().equals(List.of("1", "1")));
    }

    /** A worker that was killed ten minutes ago and owns both partitions. */
    private void ghost() {
        processed();
        payments.stopWorkers();
        payments.execute("UPDATE partition_generations SET worker_id = 'ghost-1', released_at = NULL WHERE topic = '"
                + payments.topic + "'");
        payments.execute("INSERT INTO consumer_workers VALUES ('" + payments.name + "', 'ghost-1', '" + payments.name
                + "', 'host-a', '1', now() - interval '1 hour', now() - interval '10 minutes', interval '2 seconds')");
    }

    /** A connection with a transaction that shares a partition's lock, as that of a worker does. */
    private Connection shared(int partition) throws SQLException {
        Connection connection = payments.dataSource.getConnection();
        connection.setAutoCommit(false);
        try (var statement = connection.createStatement()) {
            statement.execute("SELECT pg_advisory_xact_lock_shared(" + LOCK_CLASS
                    + ", (SELECT fence_key FROM partition_generations WHERE topic = '" + payments.topic
                    + "' AND partition = " + partition + "))");
        }
        return connection;
    }

    private List<String> generations() {
        return payments.texts(
                "SELECT generation FROM partition_generations WHERE topic = ? ORDER BY partition", payments.topic);
    }

    private List<JsonNode> workers() throws IOException {
        return new ObjectMapper()
                .readTree(payments.dlq("workers", "-o", "json").out())
                .valueStream()
                .toList();
    }
}
