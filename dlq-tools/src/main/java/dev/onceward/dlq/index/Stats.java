package dev.onceward.dlq.index;

import java.time.Instant;
import java.util.Locale;

/** Numbers about dead letters. */
public final class Stats {
    private Stats() {}

    /** What dead letters are counted by. */
    public enum By {
        /** Why they were given up. */
        REASON("d.reason"),
        /** Class of the root cause. */
        EXCEPTION("d.error_class"),
        /** Topic of the record that first failed. */
        TOPIC("d.origin_topic"),
        /** The hour, in UTC, in which they were given up. */
        HOUR("to_char(d.failed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24\":00Z\"')"),
        /** True status. */
        STATUS(Conditions.STATUS),
        /** Whose they are. */
        CONSUMER("d.consumer_name");

        final String expression;

        By(String expression) {
            this.expression = expression;
        }

        /** As it is typed. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * One group.
     *
     * @param value what they have in common
     * @param count how many
     * @param oldest first given up
     * @param newest last given up
     */
    public record Group(String value, long count, Instant oldest, Instant newest) {}

    /**
     * The letters of one origin partition.
     *
     * @param oldest when the first of them was given up
     */
    public record OfPartition(String consumer, String topic, int partition, long count, Instant oldest) {}
}
