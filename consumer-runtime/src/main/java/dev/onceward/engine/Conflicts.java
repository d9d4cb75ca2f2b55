package dev.onceward.engine;

import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * How often messages met deadlocks, serialisation failures or locks not had in time. The whole transaction is run
 * again, after a short jittered delay; a group that meets them again and again is halved; a message alone holds its key
 * in the end. They never count as attempts.
 */
final class Conflicts {
    private static final int BEFORE_HALVES = 3;
    private static final int BEFORE_HOLD = 8;
    private static final long BASE_NANOS = Duration.ofMillis(10).toNanos();
    private static final long CAP_NANOS = Duration.ofSeconds(1).toNanos();

    private final RandomGenerator random;

    Conflicts(RandomGenerator random) {
        this.random = random;
    }

    /** Counts one more conflict of these messages, and says what to do. */
    Verdict after(List<Delivery> part) {
        part.forEach(delivery -> delivery.conflicts++);
        int most = most(part);
        if (part.size() > 1) {
            if (most < BEFORE_HALVES) {
                return Verdict.AGAIN;
            }
            part.forEach(delivery -> delivery.conflicts = 0);
            return Verdict.HALVES;
        }
        if (most < BEFORE_HOLD) {
            return Verdict.AGAIN;
        }
        part.get(0).conflicts = 0;
        return Verdict.HOLD;
    }

    /** Full jitter below a bound that doubles with each conflict. */
    long delayNanos(List<Delivery> part) {
        return random.nextLong(1 + Math.min(CAP_NANOS, BASE_NANOS << Math.min(most(part), 10)));
    }

    private static int most(List<Delivery> part) {
        return part.stream().mapToInt(delivery -> delivery.conflicts).max().orElse(0);
    }

    /** What to do after a conflict. */
    enum Verdict {
        AGAIN,
        HALVES,
        HOLD
    }
}
