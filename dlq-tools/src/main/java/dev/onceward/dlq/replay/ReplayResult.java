package dev.onceward.dlq.replay;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a replay did.
 *
 * @param sent acknowledged by the broker
 * @param decidedByOthers of those sent, discarded or replayed by somebody else before they could be marked: what that set
 *     is left as it is
 * @param doneByOthers not sent, since somebody else's replay was quicker or they took effect meanwhile
 * @param notSent could not be sent, or must not be
 * @param onlyRefused whether all of those must not be
 * @param resolved of those followed: took effect
 * @param failedAgain of those followed: are dead letters again
 * @param undecided of those followed: still under way when that ended
 * @param followed whether any were followed
 * @param patience how long it was followed at most
 * @param canaryStopped whether more would have been sent, had all canaries taken effect
 * @param interrupted by the operator
 * @param aborted why it ended before its end; {@code null}: it did not
 * @param detail for the audit trail
 */
public record ReplayResult(
        long sent,
        long decidedByOthers,
        long doneByOthers,
        long notSent,
        boolean onlyRefused,
        long resolved,
        List<DeadAgain> failedAgain,
        long undecided,
        boolean followed,
        Duration patience,
        boolean canaryStopped,
        boolean interrupted,
        @Nullable Aborted aborted,
        String detail) {

    /**
     * An end before the end.
     *
     * @param why for people
     * @param connectionLost whether Kafka was away, rather than refused what was sent
     */
    public record Aborted(String why, boolean connectionLost) {}

    /** Whether everything that was to be done is. */
    public boolean complete() {
        return notSent == 0 && failedAgain.isEmpty() && undecided == 0 && !interrupted && aborted == null;
    }

    /** Whether nothing was done because all of it would have been wrong. */
    public boolean refused() {
        return sent == 0 && notSent > 0 && onlyRefused && aborted == null;
    }
}
