package dev.onceward.engine;

import dev.onceward.catalog.EventNames;
import dev.onceward.postgres.GenerationTable;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Chooses where to begin in a partition from what Kafka and PostgreSQL know of it. */
final class PositionRule {
    private static final Logger LOG = LoggerFactory.getLogger(PositionRule.class);

    private PositionRule() {}

    /**
     * The position, and what there is to say about it.
     *
     * @param start the configured start position, asked only for a topic that PostgreSQL has never seen
     */
    static Position choose(Known known, LongSupplier start) {
        Optional<GenerationTable.Stored> stored = known.stored();
        if (stored.isPresent() && !stored.get().topicId().equals(known.topicId())) {
            // What Kafka has committed may be of the old topic. Once the takeover has stored the new topic's id,
            // nothing
            // would tell any more: so it is taken back first.
            log(Level.INFO, EventNames.START_POSITION, known, known.earliest(), "The topic was made again");
            return known.at(known.earliest(), -1, 0, true);
        }
        long wanted = known.committed();
        if (wanted < 0 && stored.isPresent() && stored.get().watermark().isPresent()) {
            wanted = stored.get().watermark().getAsLong();
            log(Level.INFO, EventNames.OFFSET_RESTORED, known, wanted, "Kafka has no committed offset");
        }
        if (wanted < 0) {
            // In a topic that is known, a partition never seen was added later: all its records came after the start.
            long first = known.topicSeen() ? known.earliest() : start.getAsLong();
            log(Level.INFO, EventNames.START_POSITION, known, first, "The partition was never processed before");
            return known.at(first, -1, 0, false);
        }
        if (wanted > known.end()) {
            return beyondTheEnd(known, wanted);
        }
        return fromRetained(known, wanted, known.committed(), false);
    }

    /** A mistyped reset, or a leader that lost the end of its log. What comes next would be skipped without a word. */
    private static Position beyondTheEnd(Known known, long wanted) {
        if (known.stored().isEmpty()) {
            // Nothing tells what of it was processed, and without claims a redelivery would not be harmless.
            long skipped = known.end() - known.earliest();
            log(Level.ERROR, EventNames.RECORDS_LOST, known, wanted, "Committed beyond the end, which is begun at");
            return known.at(known.end(), -1, skipped, true);
        }
        long finished = known.stored().get().watermark().orElse(known.earliest());
        if (finished > known.end()) {
            log(Level.ERROR, EventNames.RECORDS_LOST, known, finished, "The broker lost the end of its log");
            return known.at(known.end(), -1, 0, true);
        }
        // The watermark may be older than what was finished: the claims make its redelivery harmless.
        log(Level.ERROR, EventNames.OFFSET_RESTORED, known, finished, "Kafka's committed offset is beyond the end");
        return fromRetained(known, finished, -1, true);
    }

    private static Position fromRetained(Known known, long wanted, long committed, boolean takesBack) {
        if (wanted >= known.earliest()) {
            return known.at(wanted, committed, 0, takesBack);
        }
        log(
                Level.ERROR,
                EventNames.RECORDS_LOST,
                known,
                wanted,
                "Retention deleted records before they were processed");
        return known.at(known.earliest(), committed, known.earliest() - wanted, takesBack);
    }

    private static void log(Level level, EventNames event, Known known, long offset, String what) {
        LOG.atLevel(level)
                .addKeyValue(EventNames.KEY, event)
                .addKeyValue("partition", known.partition())
                .addKeyValue("offset", offset)
                .addKeyValue("committed", known.committed())
                .addKeyValue("earliest", known.earliest())
                .addKeyValue("end", known.end())
                .log(what);
    }

    /**
     * What is known of a partition.
     *
     * @param committed in Kafka; -1: nothing
     * @param stored in PostgreSQL
     * @param topicSeen whether PostgreSQL knows any partition of the topic
     * @param earliest the oldest offset that the broker has
     * @param end the offset of its next record
     */
    record Known(
            TopicPartition partition,
            UUID topicId,
            long committed,
            Optional<GenerationTable.Stored> stored,
            boolean topicSeen,
            long earliest,
            long end) {

        private Position at(long offset, long committedThere, long lost, boolean takesBack) {
            return new Position(topicId, offset, committedThere, earliest, lost, takesBack);
        }
    }
}
