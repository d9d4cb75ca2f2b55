package dev.onceward.dlq.replay;

import dev.onceward.catalog.DeadLetterReason;
import dev.onceward.dlq.index.Letter;
import org.jspecify.annotations.Nullable;

/** Which letters may be sent at all. */
public final class Eligibility {
    private final ReplayTarget target;
    private final boolean assertUnprocessed;

    /**
     * Of one consumer's letters.
     *
     * @param assertUnprocessed whether somebody asserts that TOO_OLD messages were never processed
     */
    public Eligibility(ReplayTarget target, boolean assertUnprocessed) {
        this.target = target;
        this.assertUnprocessed = assertUnprocessed;
    }

    /** Why it may not be sent as it is; {@code null}: it may. */
    @Nullable
    String refusal(Letter letter) {
        String why = refusalOfAny(letter);
        Long edited = letter.history().editedPayloadHash();
        if (why == null && edited != null && edited != letter.record().payloadHash()) {
            // See EditMarks: only the hash of what was edited is kept, and this would send the original.
            return "another payload was sent in its place, or may have been, by "
                    + letter.history().editedBy()
                    + "; if the original were sent now, it might take effect instead. dlq edit sends what you choose";
        }
        return why;
    }

    /** Why it may not be sent, with whatever payload; {@code null}: it may. */
    public @Nullable String refusalOfAny(Letter letter) {
        if (letter.history().erasedAt() != null) {
            return "its data were erased";
        }
        String topic = letter.origin().coordinates().topic();
        if (!target.sources().contains(topic)) {
            // Whoever may write to a topic can forge headers; only what this consumer has read itself is believed.
            return "this consumer has never read a topic " + topic + ", which it is said to come from";
        }
        if (isReason(letter, DeadLetterReason.UNROUTABLE)) {
            return "it is a record of the replay topic that names no topic of this consumer: discard it";
        }
        if (isReason(letter, DeadLetterReason.PAYLOAD_LOST)) {
            return "its payload was lost before it was published; it cannot be sent: discard it";
        }
        if (isReason(letter, DeadLetterReason.ID_REUSED)) {
            // Not even later: while the claim of the other payload is there it fails again, and once that is pruned
            // nothing would be left to say that the id had its effect.
            return "ID_REUSED: another payload took effect under this id. If both were meant, have it sent anew under an id"
                    + " of its own; then discard it";
        }
        if (isTooOld(letter) && !assertUnprocessed) {
            return "TOO_OLD: it may have been processed before, and nobody can tell any more. If you know that it was"
                    + " not, say so with --assert-unprocessed";
        }
        return null;
    }

    /** Whether only an operator can say that it was never processed. */
    boolean isTooOld(Letter letter) {
        return isReason(letter, DeadLetterReason.TOO_OLD);
    }

    private static boolean isReason(Letter letter, DeadLetterReason reason) {
        return letter.failure().reason().equals(reason.name());
    }
}
