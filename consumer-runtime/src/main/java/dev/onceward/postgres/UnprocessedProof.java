package dev.onceward.postgres;

/**
 * Which dead letters prove that their message had not taken effect: only then may it run though its claim may have been
 * pruned.
 */
public final class UnprocessedProof {
    /**
     * True for such a row of {@code dead_letters}. These reasons are recorded only where no claim was found and none can
     * have been pruned; ID_REUSED says that the id was processed, and PAYLOAD_LOST what became of a dead letter, not why
     * it was one. TOO_OLD says that nobody can tell, unless an operator asserts, before the replay is sent, that it was
     * not processed.
     */
    public static final String SQL = "(status <> 'RESOLVED' AND (reason IN ('PERMANENT', 'ATTEMPTS_EXHAUSTED',"
            + " 'UNDECODABLE') OR reason = 'TOO_OLD' AND asserted_by IS NOT NULL))";

    private UnprocessedProof() {}
}
