package dev.onceward.dlq.topic;

import dev.onceward.handler.Coordinates;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;

/**
 * The newest copy of one message that failed: as little as finds it again, since a topic may hold any number of them.
 *
 * @param message which message
 * @param failedAtMicros when it was given up, microseconds since 1970
 * @param topic dead-letter topic of the copy
 * @param partition its partition
 * @param offset its offset
 * @param meant whether the filter holds for it
 */
record Located(Message message, long failedAtMicros, String topic, int partition, long offset, Meant meant) {
    /** Whether a filter holds. */
    enum Meant {
        YES,
        NO,
        /** The copy does not tell what the filter asks for. */
        NOT_KNOWN
    }

    /** As the messages lay in their own topics. */
    static final Comparator<Located> ORIGINAL_ORDER = Comparator.comparing(Located::message, Message.ORDER);

    /** Of several copies the last one in this order tells. */
    static final Comparator<Located> BY_AGE = Comparator.comparingLong(Located::failedAtMicros)
            .thenComparing(Located::topic)
            .thenComparingInt(Located::partition)
            .thenComparingLong(Located::offset);

    static final Comparator<Located> NEWEST_FIRST = BY_AGE.reversed();

    /** As they lie in the dead-letter topics. */
    static final Comparator<Located> BY_PLACE = Comparator.comparing(Located::topic)
            .thenComparingInt(Located::partition)
            .thenComparingLong(Located::offset);

    /** A message: by the record that first failed. */
    record Message(String consumer, String topic, int partition, long offset, long timestamp) {
        static final Comparator<Message> ORDER = Comparator.comparing(Message::topic)
                .thenComparingInt(Message::partition)
                .thenComparingLong(Message::offset)
                .thenComparingLong(Message::timestamp)
                .thenComparing(Message::consumer);

        Message withTimestamp(long other) {
            return new Message(consumer, topic, partition, offset, other);
        }
    }

    Coordinates copy() {
        return new Coordinates(topic, partition, offset);
    }

    Located newer(Located other) {
        return BY_AGE.compare(this, other) >= 0 ? this : other;
    }

    static long micros(Instant instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }
}
