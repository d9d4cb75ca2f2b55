package dev.onceward.position;

import dev.onceward.position.Start.At;
import dev.onceward.position.Start.Basis;
import java.util.Optional;

/** Decides where to begin in a partition, by what Kafka and PostgreSQL know of it. Pure. */
public final class StartRule {
    private StartRule() {}

    /** Decides. */
    public static Start choose(Known known) {
        Optional<StoredPosition> stored = known.stored();
        if (stored.isPresent() && !stored.get().topicId().equals(known.topicId())) {
            return at(Basis.TOPIC_MADE_AGAIN, known.earliest());
        }
        if (known.committed() >= 0) {
            return known.committed() > known.end()
                    ? beyondTheEnd(known)
                    : fromRetained(known, Basis.COMMITTED, known.committed());
        }
        if (stored.isPresent() && stored.get().watermark().isPresent()) {
            long watermark = stored.get().watermark().getAsLong();
            return watermark > known.end()
                    ? at(Basis.LOG_LOST_ITS_END, watermark, known.end(), 0)
                    : fromRetained(known, Basis.WATERMARK, watermark);
        }
        return known.topicSeen() ? at(Basis.ADDED_LATER, known.earliest()) : new Start.AsConfigured();
    }

    /** A mistyped reset, or a leader that lost the end of its log. What comes next would be skipped without a word. */
    private static At beyondTheEnd(Known known) {
        if (known.stored().isEmpty()) {
            // Nothing tells what of it was processed, and without claims a redelivery would not be harmless.
            return at(Basis.END, known.committed(), known.end(), known.end() - known.earliest());
        }
        long finished = known.stored().get().watermark().orElse(known.earliest());
        // The watermark may be older than what was finished: the claims make its redelivery harmless.
        return finished > known.end()
                ? at(Basis.LOG_LOST_ITS_END, finished, known.end(), 0)
                : fromRetained(known, Basis.WATERMARK_BEFORE_END, finished);
    }

    private static At fromRetained(Known known, Basis basis, long wanted) {
        long offset = Math.max(wanted, known.earliest());
        return at(basis, wanted, offset, offset - wanted);
    }

    private static At at(Basis basis, long offset) {
        return at(basis, offset, offset, 0);
    }

    private static At at(Basis basis, long wanted, long offset, long lost) {
        return new At(basis, wanted, offset, lost);
    }
}
