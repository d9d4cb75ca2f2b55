package dev.onceward.guarantees;

import static dev.onceward.guarantees.Ledger.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.EventNames;
import dev.onceward.config.ConsumerSettings;
import dev.onceward.config.StartPosition;
import dev.onceward.handler.MessageIds;
import dev.onceward.runtime.ConsumerRuntime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.NewPartitions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where a worker begins: no offset that Kafka holds by mistake, and no late discovery, skips a record. */
class WhereToBeginIT {

    @Test
    void anOffsetResetBeyondTheEndSkipsNoRecordThatWaits() throws ExecutionException, InterruptedException {
        try (Ledger ledger = new Ledger(1);
                EventLog events = EventLog.of(ledger.name)) {
            ConsumerRuntime before = ledger.start(Ledger.HANDLER);
            send(ledger, 0, 5);
            await().until(() -> ledger.committed() == 5);
            before.close();
            send(ledger, 5, 15);
            ledger.commit(1_000);

            ledger.start(Ledger.HANDLER);
            await().until(() -> ledger.committed() == 15);
            assertThat(ledger.entries()).isEqualTo(15);
            assertThat(ledger.distinctEntries()).isEqualTo(15);
            assertThat(events.count(EventNames.OFFSET_RESTORED)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void aPartitionAddedToAKnownTopicBeginsAtItsFirstRecord(String protocol)
            throws ExecutionException, InterruptedException {
        try (Ledger ledger = new Ledger(1)) {
            send(ledger, 0, 3);
            ConsumerRuntime runtime = ledger.start(
                    ledger.consumer(protocol).startFrom(StartPosition.latest()).kafka("metadata.max.age.ms", "2000"),
                    Ledger.HANDLER);
            await().until(() -> ledger.committed() == 3);
            ledger.admin()
                    .createPartitions(Map.of(ledger.topic, NewPartitions.increaseTo(2)))
                    .all()
                    .get();
            // By a producer that knows the partition at once, and most likely before the worker does.
            ledger.sendAnew(1, 5);
            await().until(() -> ledger.offsets().getOrDefault(ledger.partition(1), -1L) == 5);
            assertThat(ledger.entries())
                    .as("all of it, and nothing from before the start")
                    .isEqualTo(5);
            assertThat(runtime.health().live()).isTrue();
        }
    }

    /** Or a crash soon after would leave an offset of the old topic to begin from. */
    @Test
    void whereATopicMadeAgainBeginsIsCommittedBeforeAnythingOfItRuns() throws ExecutionException, InterruptedException {
        try (Ledger ledger = new Ledger(1)) {
            ConsumerRuntime before = ledger.start(Ledger.HANDLER);
            send(ledger, 0, 5);
            await().until(() -> ledger.committed() == 5);
            before.close();
            ledger.makeAgain();
            send(ledger, 100, 110);
            ledger.commit(5); // as a late commit of a worker that did not know yet

            List<Long> committed = new CopyOnWriteArrayList<>();
            ledger.start(ledger.consumer().limits(rarelyCommitting()), (message, effect) -> {
                committed.add(ledger.committed());
                Ledger.HANDLER.handle(message, effect);
            });
            await().until(() -> ledger.entries() == 15);
            assertThat(committed).hasSize(10).containsOnly(0L);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void F45_aTopicMadeAgainHasEachEffectOnceThoughIdsAreCoordinates(String protocol)
            throws ExecutionException, InterruptedException {
        try (Ledger ledger = new Ledger(1)) {
            ledger.start(ledger.consumer(protocol).messageIds(MessageIds.coordinates()), Ledger.HANDLER);
            send(ledger, 0, 5);
            await().until(() -> ledger.committed() == 5);
            // So quickly that the worker only sees a topic that has become longer.
            ledger.admin().deleteTopics(List.of(ledger.topic)).all().get();
            await().pollInterval(Duration.ofMillis(5)).ignoreExceptions().until(() -> {
                ledger.create(ledger.topic, 1);
                return true;
            });
            ledger.sendAnew(0, 100);
            await().until(() -> ledger.topicId()
                    .toString()
                    .equals(ledger.texts(
                                    "SELECT topic_id::text FROM partition_generations WHERE topic = ?", ledger.topic)
                            .get(0)));
            await().until(() -> ledger.committed() == 100);
            assertThat(ledger.entries()).isEqualTo(105);
            assertThat(ledger.distinctEntries()).isEqualTo(105);
        }
    }

    private static ConsumerSettings.Limits rarelyCommitting() {
        ConsumerSettings.Limits usual = Ledger.impatient();
        return new ConsumerSettings.Limits(
                usual.handler(),
                usual.lock(),
                usual.takeoverGrace(),
                usual.drain(),
                usual.shutdown(),
                Duration.ofMinutes(1),
                usual.maxStuckHandlers());
    }

    private static void send(Ledger ledger, int from, int to) {
        for (int i = from; i < to; i++) {
            ledger.send("k" + i, "m" + i, "1");
        }
        ledger.flush();
    }
}
