package dev.onceward.guarantees;

import static dev.onceward.guarantees.Ledger.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.MeterNames;
import dev.onceward.config.ConsumerSettings;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;

/** Partitions that share a lane share it. */
class FairLaneIT {
    private static final int IN_MEMORY = 100;
    private static final int PER_POLL = 20;
    private static final int BACKLOG = 2_000;

    /** What came after it does not run before it, however much of that there always is. */
    @Test
    void F53_theSingleMessageOfAPartitionIsNotStarvedByAnothersConstantBacklog() {
        Semaphore permits = new Semaphore(0);
        Scrape scrape = new Scrape();
        try (Ledger ledger = new Ledger(2)) {
            for (int i = 0; i < BACKLOG; i++) {
                ledger.send(0, "account-" + i % 50, "m" + i, "10");
            }
            ledger.flush();
            ledger.start(
                    ledger.consumer()
                            .meterRegistry(scrape.registry())
                            .concurrency(new ConsumerSettings.Concurrency(1, 10, Duration.ofSeconds(5)))
                            .kafka("consumer.max.poll.records", String.valueOf(PER_POLL))
                            .backpressure(new ConsumerSettings.Backpressure(
                                    IN_MEMORY, 8 << 20, 2 * IN_MEMORY, 24 << 20, 100_000)),
                    (message, effect) -> {
                        permits.acquire();
                        Ledger.HANDLER.handle(message, effect);
                    });
            await().until(() -> inFlight(scrape, ledger, 0) >= IN_MEMORY);
            ledger.send(1, "single", "single", "10");
            ledger.flush();
            await().until(() -> inFlight(scrape, ledger, 1) == 1);

            await().pollInterval(Duration.ofMillis(5)).until(() -> {
                permits.release(10);
                return !ledger.entriesOf("single").isEmpty();
            });
            assertThat(ledger.entries())
                    .as("what went before it: at most what was in memory then, and a group")
                    .isLessThan(BACKLOG / 2);
            int before = (int) ledger.count(
                    "SELECT count(*) FROM entries WHERE id < (SELECT id FROM entries" + " WHERE account = 'single')");
            assertThat(before).isLessThanOrEqualTo(IN_MEMORY + PER_POLL + 10);
            permits.release(BACKLOG);
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(BACKLOG + 1));
            assertThat(ledger.entries()).isEqualTo(BACKLOG + 1);
        }
    }

    private static double inFlight(Scrape scrape, Ledger ledger, int partition) {
        return scrape.sum(
                MeterNames.PARTITION_IN_FLIGHT, "topic", ledger.topic, "partition", String.valueOf(partition));
    }
}
