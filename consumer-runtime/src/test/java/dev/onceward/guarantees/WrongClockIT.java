package dev.onceward.guarantees;

import static dev.onceward.guarantees.Ledger.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.EventNames;
import dev.onceward.catalog.MeterNames;
import dev.onceward.config.RetryPolicy;
import dev.onceward.handler.MessageHandler;
import dev.onceward.handler.RetryAfterException;
import dev.onceward.runtime.ConsumerRuntime;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

/** Which clock counts: the database's, for everybody; what a worker's own says harms nobody. */
class WrongClockIT {
    private static final int PARTITIONS = 6;
    private static final Duration OFF = Duration.ofMinutes(10);
    /** Longer than a lease, in which whoever was taken for dead would have been. */
    private static final Duration WATCHED = Duration.ofSeconds(3);

    private static final String ALIVE = "SELECT count(*) FROM consumer_workers"
            + " WHERE heartbeat_at BETWEEN clock_timestamp() - lease AND clock_timestamp()";

    private final AtomicBoolean mended = new AtomicBoolean();

    /** One message of each partition waits for a retry, so that each has an age and a time before which it must not run. */
    private final MessageHandler<String, String> handler = (message, effect) -> {
        Ledger.HANDLER.handle(message, effect);
        if (message.value().equals("held") && !mended.get()) {
            throw new RetryAfterException(Duration.ofMillis(200), "not yet");
        }
    };

    @Test
    void F31_workersWhoseClocksAreTenMinutesOffAreNotTakenForDeadAndTakeNobodyForDead() {
        Scrape ahead = new Scrape();
        Scrape behind = new Scrape();
        try (Ledger ledger = new Ledger(PARTITIONS);
                EventLog events = EventLog.of(ledger.name)) {
            for (int partition = 0; partition < PARTITIONS; partition++) {
                ledger.send(partition, "held", "held" + partition, "held");
            }
            ledger.flush();
            List<ConsumerRuntime> workers = List.of(
                    start(ledger, Duration.ZERO, new Scrape()),
                    start(ledger, OFF, ahead),
                    start(ledger, OFF.negated(), behind));
            await().until(() -> ledger.count(
                            "SELECT count(DISTINCT worker_id) FROM partition_generations"
                                    + " WHERE topic = ? AND released_at IS NULL",
                            ledger.topic)
                    == 3);
            await().until(() ->
                    workers.stream().allMatch(worker -> worker.health().ready()));
            // Attempts are counted by whoever owns the partition now.
            await().until(() -> ledger.count("SELECT count(*) FROM message_attempts") == PARTITIONS);
            List<String> owners = owners(ledger);

            int[] sent = {PARTITIONS};
            await().during(WATCHED).untilAsserted(() -> {
                ledger.send(sent[0] % PARTITIONS, "k" + sent[0], "m" + sent[0]++, "10");
                assertThat(ledger.count(ALIVE))
                        .as("alive by the database's clock")
                        .isEqualTo(3);
                assertThat(owners(ledger)).as("nobody was evicted").isEqualTo(owners);
                assertThat(workers).allMatch(worker -> worker.health().ready());
                assertThat(ages(ahead, ledger)).isNotEmpty().allMatch(age -> age >= OFF.toSeconds() - 1);
                assertThat(ages(behind, ledger)).as("not negative").isNotEmpty().allMatch(age -> age == 0);
            });
            assertThat(behind.sum(MeterNames.CLOCK_SKEW)).as("and said so").isPositive();
            ledger.flush();
            mended.set(true);

            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(sent[0]));
            assertThat(ledger.entries()).isEqualTo(sent[0]);
            assertThat(ledger.distinctEntries()).isEqualTo(sent[0]);
            assertThat(ledger.count("SELECT count(*) FROM dead_letters")).isZero();
            assertThat(events.count(EventNames.FENCED)).isZero();
            assertThat(events.count(EventNames.LEASE_EXPIRED)).isZero();
            assertThat(ledger.count("SELECT count(*) FROM processed_messages"
                            + " WHERE processed_at NOT BETWEEN clock_timestamp() - interval '1 minute'"
                            + " AND clock_timestamp()"))
                    .as("claims with a time of which pruning would make something")
                    .isZero();
        }
    }

    private ConsumerRuntime start(Ledger ledger, Duration offset, Scrape scrape) {
        return ledger.start(
                ledger.consumer()
                        .clock(Clock.offset(Clock.systemUTC(), offset))
                        .retry(new RetryPolicy(1_000, Duration.ofMillis(10), Duration.ofMillis(100)))
                        .meterRegistry(scrape.registry()),
                handler);
    }

    private static List<String> owners(Ledger ledger) {
        return ledger.texts(
                "SELECT partition || ' ' || generation || ' ' || worker_id FROM partition_generations"
                        + " WHERE topic = ? ORDER BY partition",
                ledger.topic);
    }

    private static DoubleStream ages(Scrape scrape, Ledger ledger) {
        return scrape.series(MeterNames.OLDEST_MESSAGE_AGE, "topic", ledger.topic).stream()
                .mapToDouble(age -> age.measure().iterator().next().getValue());
    }
}
