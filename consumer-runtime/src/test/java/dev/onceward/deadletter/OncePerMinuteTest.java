package dev.onceward.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class OncePerMinuteTest {
    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5); // nanoTime may wrap round
    private final OncePerMinute limit = new OncePerMinute(now::get);

    @Test
    void letsOneAMinuteThroughForEachKey() {
        assertThat(limit.allows("a")).isTrue();
        now.addAndGet(Duration.ofSeconds(59).toNanos());
        assertThat(limit.allows("a")).isFalse();
        assertThat(limit.allows("b")).isTrue();
        now.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(limit.allows("a")).isTrue();
        now.addAndGet(Duration.ofSeconds(59).toNanos());
        assertThat(limit.allows("a")).isFalse();
        assertThat(limit.allows("b")).isTrue();
    }
}
