package dev.onceward.engine;

import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Whether the poll loop goes round. It does many times a second, whatever handlers, database and broker do; a round that
 * gives partitions back takes as long as draining does. Thread-safe.
 */
final class PollWatch {
    /** For the commit and the release behind a drain, and for a broker that is slow to answer. */
    private static final Duration SLACK = Duration.ofSeconds(10);

    private final long lateNanos;
    private final long deadNanos;
    private final LongSupplier nanoTime;
    private volatile long roundNanos;

    /**
     * Begins with a round.
     *
     * @param maxPollInterval the group takes the partitions of a consumer that has not polled for so long
     */
    PollWatch(Duration drain, Duration maxPollInterval, LongSupplier nanoTime) {
        this.deadNanos = maxPollInterval.toNanos();
        // Shown before the group acts, also where the interval is short.
        this.lateNanos = Math.min(drain.multipliedBy(2).plus(SLACK).toNanos(), deadNanos / 2);
        this.nanoTime = nanoTime;
        this.roundNanos = nanoTime.getAsLong();
    }

    /** The loop begins a round. */
    void round() {
        roundNanos = nanoTime.getAsLong();
    }

    /** What is wrong, if the round takes too long. */
    Optional<String> trouble() {
        long since = sinceRound();
        return since > lateNanos
                ? Optional.of("the poll thread is stuck: it has not gone round for " + since / 1_000_000_000 + " s")
                : Optional.empty();
    }

    /** Whether the round takes so long that the group has given the partitions away: nothing is lost by a restart. */
    boolean dead() {
        return sinceRound() > deadNanos;
    }

    private long sinceRound() {
        return nanoTime.getAsLong() - roundNanos;
    }
}
