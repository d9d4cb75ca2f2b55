package dev.onceward.guarantees;

import static dev.onceward.guarantees.Ledger.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.EventNames;
import dev.onceward.catalog.MeterNames;
import dev.onceward.config.ConsumerSettings;
import dev.onceward.config.Ordering;
import dev.onceward.handler.MessageHandler;
import dev.onceward.runtime.ConsumerRuntime;
import dev.onceward.runtime.ConsumerRuntimeBuilder;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Partitions that a worker loses while it still works on them. */
class LostPartitionsIT {

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void aWorkerThatDoesNotDrainInTimeNeitherWritesNorCommitsAfterItsPartitionWasTakenOver(String protocol) {
        CountDownLatch hanging = new CountDownLatch(4);
        CountDownLatch wake = new CountDownLatch(1);
        MessageHandler<String, String> hangs = (message, effect) -> {
            Ledger.HANDLER.handle(message, effect);
            if (message.value().equals("hangs")) {
                hanging.countDown();
                wake.await();
            }
        };
        try (Ledger ledger = new Ledger(4);
                CommittedOffsets offsets = new CommittedOffsets(ledger)) {
            for (int partition = 0; partition < 4; partition++) {
                for (int i = 0; i < 40; i++) {
                    ledger.send(partition, "k" + i, partition + "-" + i, i == 10 ? "hangs" : "10");
                }
            }
            ledger.flush();
            ConsumerRuntime slow = ledger.start(
                    eachPartitionItsLane(ledger, protocol), hangs);
            await().until(() -> hanging.getCount() == 0);
            ledger.start(eachPartitionItsLane(ledger, protocol), Ledger.HANDLER);
            String moved = "SELECT coalesce(sum(watermark), 0) FROM partition_generations WHERE topic = ?"
                    + " AND worker_id <> ? AND watermark = 40";
            await().untilAsserted(() -> assertThat(ledger.count(moved, ledger.topic, slow.workerId()))
                    .as("the other one went past the message that hangs")
                    .isGreaterThanOrEqualTo(40));
            wake.countDown();

            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(160));
            assertThat(ledger.entries()).isEqualTo(160);
            assertThat(ledger.distinctEntries()).isEqualTo(160);
            assertThat(offsets.backwards()).isEmpty();
        }
    }

    @Test
    void whatIsLostWithoutNoticeIsDroppedUncommittedAndTheWorkerJoinsAgain()
            throws ExecutionException, InterruptedException {
        Scrape scrape = new Scrape();
        try (Ledger ledger = new Ledger(2);
                EventLog events = EventLog.of(ledger.name)) {
            for (int i = 0; i < 100; i++) {
                ledger.send("k" + i % 7, "m" + i, "10");
            }
            ledger.flush();
            ConsumerSettings.Limits limits = Ledger.impatient();
            ConsumerSettings.Limits neverCommits = new ConsumerSettings.Limits(
                    limits.handler(),
                    limits.lock(),
                    limits.takeoverGrace(),
                    limits.drain(),
                    limits.shutdown(),
                    Duration.ofMinutes(1),
                    limits.maxStuckHandlers());
            ConsumerRuntime runtime = ledger.start(
                    ledger.consumer().limits(neverCommits).meterRegistry(scrape.registry()), Ledger.HANDLER);
            await().untilAsserted(() -> assertThat(ledger.entries()).isEqualTo(100));

            ledger.admin()
                    .removeMembersFromConsumerGroup(ledger.name, new RemoveMembersFromConsumerGroupOptions())
                    .all()
                    .get();
            await().untilAsserted(() -> assertThat(events.count(EventNames.PARTITION_LOST))
                    .isGreaterThanOrEqualTo(2));
            for (int i = 100; i < 200; i++) {
                ledger.send("k" + i % 7, "m" + i, "10");
            }
            await().untilAsserted(() -> assertThat(ledger.entries()).isEqualTo(200));
            assertThat(ledger.distinctEntries()).isEqualTo(200);
            assertThat(runtime.health().ready()).isTrue();
            assertThat(ledger.offsets()).as("nothing was committed").isEmpty();
            assertThat(scrape.sum(MeterNames.MESSAGES, "outcome", "DUPLICATE"))
                    .as("it went on from the watermark in the database")
                    .isZero();
            runtime.close();
            assertThat(ledger.committed()).isEqualTo(200);
        }
    }

    private static ConsumerRuntimeBuilder eachPartitionItsLane(Ledger ledger, String protocol) {
        return ledger.consumer(protocol)
                .ordering(Ordering.PARTITION)
                .limits(Ledger.impatient());
    }
}
