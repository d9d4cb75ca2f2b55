package dev.onceward.postgres;

import dev.onceward.catalog.DeadLetterReason;
import java.util.EnumSet;
import java.util.stream.Collectors;

/**
 * Which dead letters prove that their message had not taken effect: only then may it run though its claim may have been
 * pruned.
 */
public final class UnprocessedProof {
    /**
     * A list for {@code reason IN}: reasons that are recorded only where no claim was found and none can have been pruned.
     * ID_REUSED says that the id was processed, and PAYLOAD_LOST what became of a dead letter, not why it was one.
     */
    public static final String REASONS =
            EnumSet.of(DeadLetterReason.PERMANENT, DeadLetterReason.ATTEMPTS_EXHAUSTED, DeadLetterReason.UNDECODABLE)
                    .stream()
                    .map(reason -> "'" + reason + "'")
                    .collect(Collectors.joining(", ", "(", ")"));

    /**
     * True for such a row of {@code dead_letters}. TOO_OLD says that nobody can tell, unless an operator asserts, before
     * the replay is sent, that it was not processed.
     */
    public static final String SQL =
            "(status <> 'RESOLVED' AND (reason IN " + REASONS + " OR reason = 'TOO_OLD' AND asserted_by IS NOT NULL))";

    private UnprocessedProof() {}
}
