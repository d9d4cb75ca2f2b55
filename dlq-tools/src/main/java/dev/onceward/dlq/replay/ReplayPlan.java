package dev.onceward.dlq.replay;

import dev.onceward.dlq.index.Filter;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a replay is to do.
 *
 * @param filter which letters, of one consumer
 * @param limit at most so many are sent
 * @param rate how fast
 * @param canary so many are sent first and followed; the rest only if all of them took effect; 0: none
 * @param followAll whether all are followed at the end
 * @param patience how long is followed at most
 * @param assertedBy who asserts that TOO_OLD messages were never processed; {@code null}: nobody
 */
public record ReplayPlan(
        Filter filter,
        long limit,
        Rate rate,
        int canary,
        boolean followAll,
        Duration patience,
        @Nullable String assertedBy) {
    boolean follows() {
        return canary > 0 || followAll;
    }
}
