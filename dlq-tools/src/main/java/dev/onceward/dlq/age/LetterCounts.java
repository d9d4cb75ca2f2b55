package dev.onceward.dlq.age;

import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.dlq.index.DeadLetterIndex;
import dev.onceward.dlq.index.Filter;
import dev.onceward.dlq.index.Stats;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.apache.kafka.common.TopicPartition;

/**
 * How many dead letters wait. Looking through a hundred thousand of them takes the database the better part of a second,
 * which is too much for every scrape: what was read is kept for twenty times as long as it took. For one thread.
 */
final class LetterCounts {
    private static final List<DeadLetterStatus> WAITING =
            List.of(DeadLetterStatus.PENDING, DeadLetterStatus.DEAD, DeadLetterStatus.REPLAYED);
    private static final int TIMES = 20;

    private final Source source;
    private final LongSupplier nanoTime;
    private final Map<String, Counts> known = new HashMap<>();

    /** With a clock to count nanoseconds by. */
    LetterCounts(Source source, LongSupplier nanoTime) {
        this.source = source;
        this.nanoTime = nanoTime;
    }

    static LetterCounts of(DeadLetterIndex index) {
        return new LetterCounts(consumer -> index.byPartition(Filter.all(consumer, WAITING)), System::nanoTime);
    }

    /** Of one consumer, by origin partition. */
    Map<TopicPartition, Stats.OfPartition> of(String consumer) throws SQLException {
        Counts counts = known.get(consumer);
        long began = nanoTime.getAsLong();
        if (counts != null && began - counts.readAt() < counts.keptFor()) {
            return counts.letters();
        }
        Map<TopicPartition, Stats.OfPartition> letters = new HashMap<>();
        for (Stats.OfPartition some : source.read(consumer)) {
            letters.put(new TopicPartition(some.topic(), some.partition()), some);
        }
        long ended = nanoTime.getAsLong();
        known.put(consumer, new Counts(letters, ended, TIMES * (ended - began)));
        return letters;
    }

    private record Counts(Map<TopicPartition, Stats.OfPartition> letters, long readAt, long keptFor) {}

    /** Where they are counted. */
    interface Source {
        List<Stats.OfPartition> read(String consumer) throws SQLException;
    }
}
