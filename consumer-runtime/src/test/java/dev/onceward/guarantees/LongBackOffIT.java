package dev.onceward.guarantees;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.config.ConsumerSettings;
import dev.onceward.handler.RetryAfterException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A message may wait for its retry longer than Kafka waits for a poll. */
class LongBackOffIT {
    private static final Duration POLL_LIMIT = Duration.ofSeconds(3);
    private static final Duration DELAY = Duration.ofSeconds(5);

    /** With each protocol, at the same time: the test takes as long as the delay. */
    @Test
    void F13_aBackOffLongerThanThePollLimitDoesNotLoseThePartition() {
        try (Ledger classic = new Ledger(1);
                Ledger consumer = new Ledger(1)) {
            begin(classic, "classic");
            begin(consumer, "consumer");
            nothingWasLost(classic);
            nothingWasLost(consumer);
        }
    }

    private static void begin(Ledger ledger, String protocol) {
        ledger.send("waits", "waits", "10");
        ledger.send("waits", "behind", "10");
        ledger.send("other", "other", "10");
        ledger.flush();
        ConsumerSettings.Limits limits = Ledger.impatient();
        ledger.start(
                ledger.consumer(protocol)
                        .kafka("max.poll.interval.ms", Long.toString(POLL_LIMIT.toMillis()))
                        .limits(limits),
                (message, effect) -> {
                    Ledger.HANDLER.handle(message, effect);
                    if (message.id().equals("waits") && message.attempt() < 2) {
                        throw new RetryAfterException(DELAY, "not yet");
                    }
                });
        Ledger.await().until(() -> ledger.entries() == 1);
        assertThat(ledger.committed()).isZero();
    }

    private static void nothingWasLost(Ledger ledger) {
        Ledger.await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(3));
        assertThat(ledger.entriesOf("waits")).containsExactly("waits", "behind");
        assertThat(ledger.entries()).isEqualTo(3);
        assertThat(ledger.count("SELECT generation FROM partition_generations WHERE topic = ?", ledger.topic))
                .as("not lost and taken again")
                .isEqualTo(1);
        assertThat(ledger.count("SELECT count(*) FROM dead_letters")).isZero();
    }
}
