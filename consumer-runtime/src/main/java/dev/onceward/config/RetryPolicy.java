package dev.onceward.config;

import java.time.Duration;

/**
 * Bounds of retries: after failed attempt n (from 1) the next one waits a random time, uniform in [0, min(maxDelay,
 * baseDelay · 2^(n-1))] ("full jitter").
 *
 * @param maxAttempts counted attempts before a message is dead-lettered, 1 to 1000; default 5
 * @param baseDelay upper bound of the first delay, 1 ms to 1 h; default 200 ms
 * @param maxDelay upper bound of every delay, at least baseDelay, at most 1 d; default 30 s
 */
public record RetryPolicy(int maxAttempts, Duration baseDelay, Duration maxDelay) {

    /** 5 attempts, 200 ms, 30 s. */
    public static final RetryPolicy DEFAULT = new RetryPolicy(5, Duration.ofMillis(200), Duration.ofSeconds(30));
}
