package dev.onceward.guarantees;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.config.ConsumerSettings;
import dev.onceward.runtime.ConsumerRuntime;
import dev.onceward.runtime.RuntimeState;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.common.Configurable;
import org.junit.jupiter.api.Test;

/** Whatever the team plugs into Kafka's client runs in the poll thread, and can stop it. */
class StuckPollThreadIT {

    @Test
    void aPollThreadThatDoesNotComeBackMakesTheWorkerUnreadyAndThenNotLive() {
        try (Ledger ledger = new Ledger(1)) {
            CountDownLatch open = new CountDownLatch(1);
            StuckAssignor.OPEN.put(ledger.name, open);
            ledger.send("k", "m", "10");
            ledger.flush();
            ConsumerRuntime runtime = ledger.start(
                    ledger.consumer("classic")
                            .limits(new ConsumerSettings.Limits(
                                    Duration.ofSeconds(5),
                                    Duration.ofSeconds(5),
                                    Duration.ofSeconds(1),
                                    Duration.ofSeconds(1),
                                    Duration.ofSeconds(2),
                                    Duration.ofMillis(200),
                                    3))
                            .kafka("consumer.partition.assignment.strategy", StuckAssignor.class.getName())
                            .kafka("consumer.max.poll.interval.ms", "8000"),
                    Ledger.HANDLER);
            // Half of the interval.
            Ledger.await()
                    .untilAsserted(() -> assertThat(runtime.health().troubles())
                            .anyMatch(trouble ->
                                    trouble.startsWith("the poll thread is stuck: it has not gone round for ")));
            assertThat(runtime.health().ready()).isFalse();
            assertThat(runtime.health().live()).isTrue();
            // The whole of it.
            Ledger.await().until(() -> !runtime.health().live());
            assertThat(runtime.state()).isEqualTo(RuntimeState.RUNNING);

            open.countDown();
            Ledger.await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(1));
            Ledger.await()
                    .untilAsserted(() -> assertThat(runtime.health().ready()).isTrue());
            assertThat(runtime.health().live()).isTrue();
        }
    }

    /** Does not come back from its first assignment before it is told to. */
    public static final class StuckAssignor extends CooperativeStickyAssignor implements Configurable {
        static final Map<String, CountDownLatch> OPEN = new ConcurrentHashMap<>();

        private String group = "";

        @Override
        public void configure(Map<String, ?> configs) {
            group = String.valueOf(configs.get("group.id"));
        }

        @Override
        public void onAssignment(Assignment assignment, ConsumerGroupMetadata metadata) {
            super.onAssignment(assignment, metadata);
            CountDownLatch open = OPEN.get(group);
            while (open != null && open.getCount() > 0) {
                try {
                    open.await();
                } catch (InterruptedException e) {
                    // whoever wrote it did not think of that
                }
            }
        }
    }
}
