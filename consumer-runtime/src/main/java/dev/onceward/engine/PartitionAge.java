package dev.onceward.engine;

import dev.onceward.metrics.RuntimeMeters;
import java.time.Clock;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * Age of a partition's oldest unfinished message, and its lag, computed at each scrape: it grows while the consumer
 * stalls. An unknown age (records at the broker that were not fetched yet) is not 0: it counts from when the partition
 * was last known to be caught up.
 */
final class PartitionAge implements RuntimeMeters.PartitionGauges {
    private static final long UNKNOWN = -1;

    private final Clock clock;
    private final Supplier<OffsetWindow> window;
    private final Runnable skewed;
    private volatile long caughtUpAt;
    /** Records at the broker that were not fetched yet. */
    private volatile long behind;

    /**
     * @param window the window now
     * @param skewed called when a record is from the future
     */
    PartitionAge(Clock clock, Supplier<OffsetWindow> window, Runnable skewed) {
        this.clock = clock;
        this.window = window;
        this.skewed = skewed;
        this.caughtUpAt = clock.millis();
        this.behind = UNKNOWN; // until the first answer of the broker
    }

    /** What the consumer knows of the records it has not fetched. */
    void unfetched(OptionalLong records) {
        behind = records.orElse(UNKNOWN);
        if (behind == 0) {
            caughtUpAt = clock.millis();
        }
    }

    /** The broker has not answered for so long: what it said last was so then, and nothing is known since. */
    void unanswered(Duration silence) {
        behind = UNKNOWN;
        caughtUpAt = Math.min(caughtUpAt, clock.millis() - silence.toMillis());
    }

    @Override
    public double oldestAgeSeconds() {
        OptionalLong oldest = window.get().oldestTimestamp();
        if (oldest.isEmpty()) {
            // Unknown is never 0, not even in the millisecond in which the partition was assigned.
            return behind == 0 ? 0 : Math.max(1, clock.millis() - caughtUpAt) / 1000.0;
        }
        long age = clock.millis() - oldest.getAsLong();
        if (age < 0) {
            skewed.run();
            return 0;
        }
        return age / 1000.0;
    }

    @Override
    public double lag() {
        long unfetched = behind;
        OffsetWindow current = window.get();
        return unfetched == UNKNOWN ? Double.NaN : (double) (current.nextFetch() - current.watermark() + unfetched);
    }

    @Override
    public int inFlight() {
        return window.get().size();
    }
}
