package dev.onceward.failure;

import dev.onceward.config.RetryPolicy;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How long to wait before the next attempt, with full jitter: workers that failed together do not come back together.
 *
 * @param policy the bounds
 * @param random shared by lanes: as thread-safe as the threads that ask need it
 */
public record Backoff(RetryPolicy policy, RandomGenerator random) {

    /**
     * A delay uniform in [0, min(maxDelay, baseDelay · 2^(failedAttempts-1))], to the nanosecond.
     *
     * @param failedAttempts how many attempts have failed, 1 or more
     */
    public Duration next(int failedAttempts) {
        return Duration.ofNanos(random.nextLong(bound(failedAttempts) + 1));
    }

    private long bound(int failedAttempts) {
        if (failedAttempts < 1) {
            throw new IllegalArgumentException("a delay follows a failed attempt, not " + failedAttempts + " of them");
        }
        long base = policy.baseDelay().toNanos();
        long cap = policy.maxDelay().toNanos();
        int doublings = failedAttempts - 1;
        // Beyond its leading zeros a shift would drop bits; the sign bit must stay zero too.
        boolean overflows = doublings >= Long.numberOfLeadingZeros(base) - 1;
        return base > 0 && overflows ? cap : Math.min(cap, base << Math.min(doublings, Long.SIZE - 1));
    }
}
