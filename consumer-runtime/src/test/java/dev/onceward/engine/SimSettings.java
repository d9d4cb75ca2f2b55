package dev.onceward.engine;

import dev.onceward.config.ConsumerSettings;
import dev.onceward.config.IdReuse;
import dev.onceward.config.Ordering;
import dev.onceward.config.RetryPolicy;
import dev.onceward.config.StartPosition;
import java.time.Duration;
import java.util.Map;

/** Settings of the simulated consumer: small bounds, so that they are met. */
final class SimSettings {
    static final String CONSUMER = "sim";
    static final String TOPIC = "orders";
    static final int ATTEMPTS = 3;
    static final Duration LOCK = Duration.ofSeconds(1);
    static final Duration HANDLER = Duration.ofSeconds(2);

    private SimSettings() {}

    static ConsumerSettings of(int lanes, int groupSize, int partitionMessages) {
        return new ConsumerSettings(
                CONSUMER,
                CONSUMER,
                "public",
                Ordering.KEY,
                StartPosition.earliest(),
                IdReuse.DEAD_LETTER,
                new RetryPolicy(ATTEMPTS, Duration.ofMillis(50), Duration.ofSeconds(1)),
                new ConsumerSettings.Concurrency(lanes, groupSize, Duration.ofSeconds(1)),
                new ConsumerSettings.Limits(
                        HANDLER,
                        LOCK,
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(10),
                        Duration.ofMillis(300),
                        2),
                new ConsumerSettings.Backpressure(partitionMessages, 1 << 20, 2 * partitionMessages, 1 << 21, 50),
                new ConsumerSettings.Lease(Duration.ofSeconds(1), Duration.ofSeconds(4)),
                ConsumerSettings.Retention.DEFAULT,
                ConsumerSettings.DeadLetterTopics.DEFAULT,
                false,
                null,
                Map.of());
    }
}
