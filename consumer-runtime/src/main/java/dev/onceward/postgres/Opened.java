package dev.onceward.postgres;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the opening of a transaction found.
 *
 * @param backendPid the server process, to end it if this worker must
 * @param transactionId id of the transaction if one was assigned: claims assign it
 * @param stale fences whose generation is not the worker's any more
 * @param claimed ids this transaction claimed
 * @param existing claims found for ids it could not claim
 * @param deadLetters dead letters that carry one of the ids
 * @param prunedThrough by fence key: claims of offsets up to here may be gone
 */
public record Opened(
        int backendPid,
        @Nullable String transactionId,
        Set<Fence> stale,
        Set<String> claimed,
        Map<String, Existing> existing,
        List<KnownDeadLetter> deadLetters,
        Map<Integer, Long> prunedThrough) {

    /** A claim that another transaction committed, or this worker's own of which the answer was lost. */
    public record Existing(long payloadHash, int fenceKey, long sourceOffset, long generation) {}

    /**
     * A dead letter with an id of this group.
     *
     * @param provesUnprocessed whether its message is known not to have taken effect before: {@link UnprocessedProof}
     */
    public record KnownDeadLetter(
            String messageId,
            long payloadHash,
            @Nullable Long editedPayloadHash,
            String status,
            boolean provesUnprocessed) {

        /** Whether it stands for the content with this hash, as it was or as an operator edited it. */
        public boolean isFor(long hash) {
            return payloadHash == hash || (editedPayloadHash != null && editedPayloadHash == hash);
        }

        public boolean resolved() {
            return status.equals("RESOLVED");
        }
    }
}
