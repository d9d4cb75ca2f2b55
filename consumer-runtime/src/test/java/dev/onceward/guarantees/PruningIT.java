package dev.onceward.guarantees;

import static dev.onceward.guarantees.Ledger.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.MeterNames;
import dev.onceward.config.ConsumerSettings;
import dev.onceward.postgres.ClaimPruning;
import dev.onceward.postgres.Database;
import dev.onceward.postgres.Tables;
import dev.onceward.runtime.ConsumerRuntime;
import dev.onceward.runtime.ConsumerRuntimeBuilder;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Old claims go while several workers prune and messages come. */
class PruningIT {
    private static final int PARTITIONS = 4;
    private static final int OLD = 5_000;
    private static final String EVER_PRUNED = "SELECT count(*) FROM consumers WHERE claims_pruned_at IS NOT NULL";

    @Test
    void F29_twoPrunersAtOnceShareTheWorkAndHoldUpNoMessage() throws Exception {
        try (Ledger ledger = new Ledger(PARTITIONS)) {
            ledger.start(pruning(ledger, false), Ledger.HANDLER);
            send(ledger, 0, 100);
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(100));
            Database database = new Database(ledger.dataSource, new Tables("public"), ledger.name, 0);
            ClaimPruning none = new ClaimPruning(database, Duration.ofDays(1), 50);
            assertThat((long) database.inTransaction(Duration.ofSeconds(10), none::prune))
                    .isZero();
            assertThat(ledger.count(EVER_PRUNED)).isZero();
            oldClaims(ledger);

            CyclicBarrier together = new CyclicBarrier(2);
            ExecutorService threads = Executors.newFixedThreadPool(2);
            List<Future<Long>> pruners =
                    List.of(threads.submit(pruner(ledger, together)), threads.submit(pruner(ledger, together)));
            send(ledger, 100, 600);
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(600));
            long first = pruners.get(0).get();
            long second = pruners.get(1).get();
            threads.shutdown();

            assertThat(first + second).isEqualTo(OLD);
            assertThat(first).isPositive();
            assertThat(second).isPositive();
            assertThat(ledger.count("SELECT count(*) FROM processed_messages")).isEqualTo(600);
            assertThat(ledger.count(EVER_PRUNED)).isEqualTo(1);
            assertThat(ledger.count("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"))
                    .isZero();
            assertThat(ledger.entries()).isEqualTo(600);
        }
    }

    /** Waiting for it would hold locks meanwhile, and two that wait for each other are a deadlock. */
    @Test
    void F29_claimsThatAnotherPrunerHasInHandAreLeftToIt() throws SQLException {
        Scrape scrape = new Scrape();
        try (Ledger ledger = new Ledger(PARTITIONS)) {
            try (ConsumerRuntime before = ledger.start(pruning(ledger, false), Ledger.HANDLER)) {
                send(ledger, 0, 100);
                await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(100));
                assertThat(before.health().live()).isTrue();
            }
            oldClaims(ledger);
            try (Connection other = ledger.dataSource.getConnection();
                    Statement statement = other.createStatement()) {
                other.setAutoCommit(false);
                statement.execute("SELECT FROM processed_messages WHERE message_id LIKE 'old-1%' FOR UPDATE");

                ledger.start(pruning(ledger, true).meterRegistry(scrape.registry()), Ledger.HANDLER);
                long inHand = ledger.count("SELECT count(*) FROM processed_messages WHERE message_id LIKE 'old-1%'");
                await().untilAsserted(() ->
                        assertThat(scrape.sum(MeterNames.CLAIMS_PRUNED)).isEqualTo((double) (OLD - inHand)));
                send(ledger, 100, 200);
                await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(200));
                assertThat(ledger.count("SELECT count(*) FROM processed_messages WHERE message_id LIKE 'old-%'"))
                        .isEqualTo(inHand);
                other.rollback();
            }
        }
    }

    private static ConsumerRuntimeBuilder pruning(Ledger ledger, boolean prunes) {
        return ledger.consumer()
                .retention(new ConsumerSettings.Retention(
                        Duration.ofDays(1), prunes, ConsumerSettings.Retention.Check.WARN));
    }

    private static Callable<Long> pruner(Ledger ledger, CyclicBarrier together) {
        Database database = new Database(ledger.dataSource, new Tables("public"), ledger.name, 0);
        ClaimPruning pruning = new ClaimPruning(database, Duration.ofDays(1), 50);
        return () -> {
            long all = 0;
            together.await();
            while (ledger.count("SELECT count(*) FROM processed_messages WHERE message_id LIKE 'old-%'") > 0) {
                long pruned = database.inTransaction(Duration.ofSeconds(10), pruning::prune);
                assertThat(pruned).as("in one transaction").isLessThanOrEqualTo(50);
                all += pruned;
            }
            return all;
        };
    }

    /** Claims of two days ago, of all partitions, in another order than that of their keys. */
    private static void oldClaims(Ledger ledger) {
        await().until(() -> ledger.count("SELECT count(*) FROM partition_generations" + " WHERE topic = '"
                        + ledger.topic + "' AND watermark > 0")
                == PARTITIONS);
        ledger.execute("INSERT INTO processed_messages"
                + " (consumer_name, message_id, processed_at, payload_hash, fence_key, source_offset, generation)"
                + " SELECT consumer_name, 'old-' || n, now() - interval '2 days' + n % 977 * interval '1 second', 1,"
                + " fence_key, 0, generation FROM (SELECT *, row_number() OVER (ORDER BY fence_key) - 1 AS number"
                + " FROM partition_generations WHERE topic = '" + ledger.topic + "') g"
                + " JOIN generate_series(1, " + OLD + ") n ON n % " + PARTITIONS + " = number");
    }

    private static void send(Ledger ledger, int from, int to) {
        for (int i = from; i < to; i++) {
            ledger.send(i % PARTITIONS, "account-" + i % 31, "m" + i, "10");
        }
        ledger.flush();
    }
}
