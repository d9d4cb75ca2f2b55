package dev.onceward.guarantees;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.EventNames;
import dev.onceward.config.ConsumerSettings;
import dev.onceward.testsupport.Backends;
import dev.onceward.testsupport.ChildPostgres;
import dev.onceward.testsupport.PostgresOptions;
import dev.onceward.testsupport.replication.ReplicatedPostgres;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a failover to the synchronous standby would take with it is not finished. */
class SynchronousStandbyIT {
    private static final String WAITING = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";

    /**
     * The original's COMMIT can be visible and not yet on the standby. A duplicate completed in that moment would be gone
     * from Kafka, and the failover takes the effect.
     */
    @Test
    void F46_aDuplicateIsNotCompletedBeforeItsOriginalIsSafeOnTheStandby() {
        try (ChildPostgres postgres = ChildPostgres.start(PostgresOptions.fast());
                Ledger ledger =
                        new Ledger(1, postgres, Backends.shared().kafka().bootstrapServers())) {
            send(ledger, 10);
            // Heartbeats write, so they would wait for the standby, too, and shut the gate: here nobody else waits.
            ledger.start(
                    ledger.consumer()
                            .limits(Ledger.impatient())
                            .lease(new ConsumerSettings.Lease(Duration.ofMinutes(1), Duration.ofMinutes(4))),
                    Ledger.HANDLER);
            Ledger.await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(10));
            standby(ledger, "ghost");
            try {
                send(ledger, 5);
                Ledger.await().until(() -> ledger.count(WAITING) > 0 || ledger.committed() > 10);
                assertThat(ledger.committed()).isEqualTo(10);
                Ledger.await().during(Duration.ofSeconds(1)).untilAsserted(() -> {
                    assertThat(ledger.committed()).isEqualTo(10); // offsets are committed every 200 ms
                    assertThat(ledger.count(WAITING)).isPositive();
                });
            } finally {
                standby(ledger, "");
            }
            Ledger.await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(15));
            assertThat(ledger.entries()).isEqualTo(10);
            assertThat(ledger.count("SELECT count(*) FROM message_attempts")).isZero();
            assertThat(ledger.count("SELECT count(*) FROM dead_letters")).isZero();
        }
    }

    /** The original's session ends while its COMMIT waits: it has committed here, and not where the failover goes. */
    @Test
    void F46_afterAFailoverNeitherEffectNorMessageIsLost() {
        try (ReplicatedPostgres postgres = ReplicatedPostgres.start(PostgresOptions.fast());
                Ledger ledger =
                        new Ledger(1, postgres, Backends.shared().kafka().bootstrapServers());
                EventLog events = EventLog.of(ledger.name)) {
            send(ledger, 0, 10);
            ledger.start(
                    ledger.consumer()
                            .limits(Ledger.impatient())
                            .lease(new ConsumerSettings.Lease(Duration.ofMinutes(1), Duration.ofMinutes(4))),
                    Ledger.HANDLER);
            Ledger.await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(10));
            postgres.standby().stop();
            send(ledger, 10, 15);
            Ledger.await().until(() -> {
                ledger.count(
                        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
                                + " AND datname = current_database()");
                return ledger.entries() == 15;
            });
            // Run again, all of them are duplicates of what is not safe yet.
            Ledger.await().until(() -> ledger.count(WAITING) > 0);
            Ledger.await()
                    .during(Duration.ofSeconds(1))
                    .untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(10));
            assertThat(events.count(EventNames.UNKNOWN_COMMIT)).isPositive();

            postgres.primary().kill(); // before the standby could hear of it
            postgres.standby().restart();
            postgres.failOver();
            Ledger.await()
                    .atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(15));
            assertThat(ledger.entries()).isEqualTo(15);
            assertThat(ledger.distinctEntries()).isEqualTo(15);
            assertThat(ledger.count("SELECT count(*) FROM dead_letters")).isZero();
        }
    }

    private static void send(Ledger ledger, int messages) {
        send(ledger, 0, messages);
    }

    private static void send(Ledger ledger, int from, int to) {
        for (int i = from; i < to; i++) {
            ledger.send("account-" + i, "m" + i, "10");
        }
        ledger.flush();
    }

    private static void standby(Ledger ledger, String name) {
        ledger.execute("ALTER SYSTEM SET synchronous_standby_names = '" + name + "'");
        ledger.execute("SELECT pg_reload_conf()");
        Ledger.await()
                .until(() ->
                        ledger.texts("SHOW synchronous_standby_names").get(0).equals(name));
    }
}
