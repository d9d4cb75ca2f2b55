package dev.onceward.dlq.age;

import dev.onceward.dlq.output.People;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Where a worker would begin in a partition, by what Kafka and PostgreSQL know of it: the runtime's own rule, as far as it
 * can be known without the worker's settings. Pure.
 */
final class StartRule {
    private StartRule() {}

    static Start choose(Known known) {
        Stored stored = known.stored();
        if (stored != null && !stored.topicId().equals(known.topicId())) {
            // What is committed may be of the old topic, whatever its number.
            return new Start(known.earliest(), "the topic was made again: from its beginning");
        }
        if (known.committed() >= 0) {
            return known.committed() > known.end() ? beyondTheEnd(known) : fromRetained(known, known.committed(), "");
        }
        if (stored != null && stored.watermark() != null) {
            return fromRetained(known, stored.watermark(), "no committed offset: from the stored watermark");
        }
        // In a topic that is known, a partition that is not was added later: workers begin at its first record.
        if (known.topicSeen() || known.earliest() == known.end()) {
            return new Start(known.earliest(), "never committed: from the beginning");
        }
        return new Start(Start.UNKNOWN, "unknown: never committed, and only the workers' settings say where to begin");
    }

    private static Start beyondTheEnd(Known known) {
        Stored stored = known.stored();
        if (stored == null) {
            return new Start(known.end(), "committed beyond the end: from the end");
        }
        long finished = stored.watermark() == null ? known.earliest() : stored.watermark();
        return finished > known.end()
                ? new Start(known.end(), "the broker lost the end of its log: from the end")
                : fromRetained(known, finished, "committed beyond the end: from the stored watermark");
    }

    private static Start fromRetained(Known known, long wanted, String note) {
        return wanted >= known.earliest()
                ? new Start(wanted, note)
                : new Start(
                        known.earliest(),
                        People.count(known.earliest() - wanted, "offset") + " gone by retention, never processed");
    }

    /** Where, and what there is to say about it. */
    record Start(long offset, String note) {
        static final long UNKNOWN = -1;
    }

    /** A partition in PostgreSQL. */
    record Stored(UUID topicId, @Nullable Long watermark) {}

    /**
     * What is known of a partition.
     *
     * @param committed in Kafka; -1: nothing
     * @param stored in PostgreSQL; null: nothing
     * @param topicSeen whether PostgreSQL knows any partition of the topic
     * @param earliest the oldest offset that the broker has
     * @param end the offset of its next record
     */
    record Known(UUID topicId, long committed, @Nullable Stored stored, boolean topicSeen, long earliest, long end) {}
}
