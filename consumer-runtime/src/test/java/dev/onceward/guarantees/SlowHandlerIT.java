package dev.onceward.guarantees;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.config.ConsumerSettings;
import dev.onceward.runtime.ConsumerRuntimeBuilder;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A handler may take longer than any patience of the group. */
@Tag("slow")
class SlowHandlerIT {

    private final AtomicInteger calls = new AtomicInteger();

    /** With each protocol, at the same time: the test takes as long as the handler. */
    @Test
    void aHandlerThatRunsFor35SecondsDoesNotLoseItsPartition() {
        try (Ledger classic = new Ledger(2);
                Ledger consumer = new Ledger(2)) {
            begin(classic, classic.consumer().kafka("group.protocol", "classic").kafka("session.timeout.ms", "10000"));
            begin(consumer, consumer.consumer().kafka("group.protocol", "consumer"));
            nothingWasLost(classic);
            nothingWasLost(consumer);
            assertThat(calls).hasValue(2);
        }
    }

    private void begin(Ledger ledger, ConsumerRuntimeBuilder builder) {
        ledger.send(0, "slow", "slow", "10");
        ledger.send(0, "behind", "behind", "10");
        ledger.send(1, "other", "other", "10");
        ledger.flush();
        ConsumerSettings.Limits limits = new ConsumerSettings.Limits(
                Duration.ofSeconds(60),
                Duration.ofSeconds(5),
                Duration.ofSeconds(5),
                Duration.ofSeconds(5),
                Duration.ofSeconds(10),
                Duration.ofMillis(200),
                3);
        // Alone: in a group, 35 seconds are over its time budget, and it would run once more.
        ConsumerSettings.Concurrency alone = new ConsumerSettings.Concurrency(4, 1, Duration.ofSeconds(5));
        builder.kafka("max.poll.interval.ms", "12000").limits(limits).concurrency(alone);
        ledger.start(builder, (message, effect) -> {
            Ledger.HANDLER.handle(message, effect);
            if (message.id().equals("slow")) {
                calls.incrementAndGet();
                effect.handle().execute("SELECT pg_sleep(35)");
            }
        });
    }

    private static void nothingWasLost(Ledger ledger) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(90))
                .untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(3));
        assertThat(ledger.entries()).isEqualTo(3);
        assertThat(ledger.distinctEntries()).isEqualTo(3);
        assertThat(ledger.count("SELECT max(generation) FROM partition_generations"))
                .as("no partition was lost and taken again")
                .isEqualTo(1);
        assertThat(ledger.count("SELECT count(*) FROM message_attempts")).isZero();
    }
}
