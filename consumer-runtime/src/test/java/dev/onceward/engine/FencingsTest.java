package dev.onceward.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.config.RetryPolicy;
import dev.onceward.failure.Backoff;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class FencingsTest {
    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1_000); // wraps round during the test
    private final Fencings fencings = new Fencings(
            new Backoff(new RetryPolicy(5, Duration.ofMillis(100), Duration.ofSeconds(1)), new Random(1)), now::get);
    private final TopicPartition partition = new TopicPartition("payments", 0);

    @Test
    void onceOrTwiceIsALateTakeoverSeveralTimesAMinuteAreTwoOwners() {
        fencings.next(partition);
        fencings.next(partition);
        assertThat(fencings.twoOwners()).isFalse();
        fencings.next(partition);
        assertThat(fencings.twoOwners()).isTrue();
    }

    @Test
    void forgottenAfterAMinute() {
        for (int i = 0; i < 3; i++) {
            fencings.next(partition);
            pass(Duration.ofSeconds(25));
        }
        assertThat(fencings.twoOwners()).as("the first one is 75 s old").isFalse();
        fencings.next(partition);
        assertThat(fencings.twoOwners()).as("three in the last minute").isTrue();
        pass(Duration.ofSeconds(61));
        assertThat(fencings.twoOwners()).isFalse();
    }

    @Test
    void theDelayIsBoundedAndGrowsWithTheirNumber() {
        for (int i = 0; i < 100; i++) {
            Duration delay = fencings.next(partition);
            assertThat(delay).isBetween(Duration.ZERO, Duration.ofMillis(Math.min(1_000, 100L << Math.min(i, 10))));
        }
    }

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }
}
