package dev.onceward.effect;

/** What a committed transaction did for one message of its group. */
public enum MemberResult {
    /** Claim and effect are committed. */
    APPLIED,
    /** An earlier COMMIT whose answer was lost had succeeded: the claim found is this message's own. */
    APPLIED_BEFORE,
    /** The same record was delivered before, and its effect is committed. */
    REDELIVERED,
    /** Another record with this id and content took effect. */
    DUPLICATE,
    /** Another record with this id and different content took effect: not run. */
    ID_REUSED,
    /** Its claim may have been pruned, whether it took effect cannot be told: not run. */
    TOO_OLD
}
