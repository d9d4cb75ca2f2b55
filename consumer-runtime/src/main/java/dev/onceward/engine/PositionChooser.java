package dev.onceward.engine;

import dev.onceward.catalog.EventNames;
import dev.onceward.position.Known;
import dev.onceward.position.Start;
import dev.onceward.position.StartRule;
import java.util.function.LongSupplier;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Begins in a partition where {@link StartRule} says, and logs why if that is not where Kafka's committed offset is. */
final class PositionChooser {
    private static final Logger LOG = LoggerFactory.getLogger(PositionChooser.class);

    private PositionChooser() {}

    /**
     * The position, and what there is to say about it.
     *
     * @param start the configured start position, asked only for a topic that PostgreSQL has never seen
     */
    static Position choose(TopicPartition partition, Known known, LongSupplier start) {
        if (StartRule.choose(known) instanceof Start.At at) {
            tell(partition, known, at);
            // An offset that does not count any more is taken back before anything begins: once the takeover has stored
            // a new topic's id, nothing would tell that it is of the old topic.
            boolean takesBack = at.basis().takesBack();
            return position(known, at.offset(), takesBack ? -1 : known.committed(), at.lost(), takesBack);
        }
        long first = start.getAsLong();
        neverProcessed(partition, known, first);
        return position(known, first, -1, 0, false);
    }

    private static void tell(TopicPartition partition, Known known, Start.At at) {
        if (known.committed() < 0 && isFromStored(at.basis())) {
            log(Level.INFO, EventNames.OFFSET_RESTORED, partition, known, at.wanted(), "Kafka has no committed offset");
        }
        switch (at.basis()) {
            case COMMITTED, WATERMARK -> tellRetention(partition, known, at);
            case ADDED_LATER -> neverProcessed(partition, known, at.offset());
            case TOPIC_MADE_AGAIN ->
                log(Level.INFO, EventNames.START_POSITION, partition, known, at.offset(), "The topic was made again");
            case WATERMARK_BEFORE_END -> {
                log(
                        Level.ERROR,
                        EventNames.OFFSET_RESTORED,
                        partition,
                        known,
                        at.wanted(),
                        "Kafka's committed offset is beyond the end");
                tellRetention(partition, known, at);
            }
            case LOG_LOST_ITS_END ->
                log(
                        Level.ERROR,
                        EventNames.RECORDS_LOST,
                        partition,
                        known,
                        at.wanted(),
                        "The broker lost the end of its log");
            case END ->
                log(
                        Level.ERROR,
                        EventNames.RECORDS_LOST,
                        partition,
                        known,
                        at.wanted(),
                        "Committed beyond the end, which is begun at");
        }
    }

    private static boolean isFromStored(Start.Basis basis) {
        return basis == Start.Basis.WATERMARK || basis == Start.Basis.LOG_LOST_ITS_END;
    }

    private static void neverProcessed(TopicPartition partition, Known known, long first) {
        log(Level.INFO, EventNames.START_POSITION, partition, known, first, "The partition was never processed before");
    }

    private static void tellRetention(TopicPartition partition, Known known, Start.At at) {
        if (at.lost() > 0) {
            log(
                    Level.ERROR,
                    EventNames.RECORDS_LOST,
                    partition,
                    known,
                    at.wanted(),
                    "Retention deleted records before they were processed");
        }
    }

    private static Position position(Known known, long offset, long committedThere, long lost, boolean takesBack) {
        return new Position(known.topicId(), offset, committedThere, known.earliest(), lost, takesBack);
    }

    private static void log(
            Level level, EventNames event, TopicPartition partition, Known known, long offset, String what) {
        LOG.atLevel(level)
                .addKeyValue(EventNames.KEY, event)
                .addKeyValue("partition", partition)
                .addKeyValue("offset", offset)
                .addKeyValue("committed", known.committed())
                .addKeyValue("earliest", known.earliest())
                .addKeyValue("end", known.end())
                .log(what);
    }
}
