package dev.onceward.effect;

import dev.onceward.handler.FailureClass;
import dev.onceward.postgres.Claim;
import dev.onceward.postgres.Fence;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/** How the transaction of a group ended. In every case but {@link Committed} nothing of it is known to be there. */
public sealed interface GroupOutcome {

    /**
     * Committed.
     *
     * @param results one for each member, in order
     * @param handlerNanos time in the handler of each member, in order; a batch handler's with its first
     * @param runNanos time of handlers and declared updates together
     * @param transactionNanos from the opening to the answer of COMMIT
     */
    record Committed(List<MemberResult> results, List<Long> handlerNanos, long runNanos, long transactionNanos)
            implements GroupOutcome {}

    /** Rolled back: these partitions are not the worker's any more. */
    record Stale(Set<Fence> fences) implements GroupOutcome {}

    /**
     * Rolled back: a statement of the runtime's own failed, or no connection was to be had. No message is to blame.
     *
     * @param error what it failed with
     * @param failure CONTENTION, INFRASTRUCTURE or FATAL
     */
    record RuntimeFailed(Throwable error, FailureClass failure) implements GroupOutcome {}

    /**
     * Rolled back: a handler failed, or what it declared, or COMMIT.
     *
     * @param culprit index of the member that failed; empty where nobody says
     * @param error what it failed with
     * @param failure its class
     * @param connected whether the connection survived: then it was not the database that was not there
     */
    record Failed(OptionalInt culprit, Throwable error, FailureClass failure, boolean connected)
            implements GroupOutcome {
        public Failed(OptionalInt culprit, Throwable error, FailureClass failure) {
            this(culprit, error, failure, false);
        }
    }

    /**
     * Rolled back: its messages together take longer than a group may. Nobody is to blame.
     *
     * @param run members whose handler was called until then
     * @param runNanos how long that took
     */
    record OverBudget(int run, long runNanos) implements GroupOutcome {}

    /** The connection died while COMMIT was under way; the claims will tell. */
    record Unknown(Throwable error) implements GroupOutcome {}

    /**
     * It failed, but a handler ran SQL of its own and the server could not be asked whether that had committed before:
     * the connection was lost. Nothing of the group may run again, nor its partitions' messages behind it, before
     * {@link EffectTransaction#status} has said so.
     *
     * @param outcome what is to be done unless it has
     * @param transactionId what to ask for
     * @param claim one that it wrote
     * @param ifCommitted what is to be done if it has
     */
    record InDoubt(GroupOutcome outcome, String transactionId, Claim claim, Tampered ifCommitted)
            implements GroupOutcome {}

    /**
     * A handler ended the transaction behind the runtime's back.
     *
     * @param culprit the member whose handler did, as far as can be told
     * @param unapplied members whose claim may be committed without their effect: they had not run yet, or their declared
     *     updates had not been sent
     */
    record Tampered(int culprit, Set<Integer> unapplied) implements GroupOutcome {}
}
