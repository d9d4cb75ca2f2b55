package dev.onceward.dlq.index;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Numbers about dead letters. */
public final class Stats {
    private Stats() {}

    /**
     * Counts by several kinds, with conditions in the place of {@code %s}: number of the kind, value, count, oldest and
     * newest. What the conditions cost is paid once, and not for each kind.
     */
    static String sql(List<By> kinds) {
        List<String> values = new ArrayList<>();
        List<String> groups = new ArrayList<>();
        for (int n = 0; n < kinds.size(); n++) {
            String value = "g" + n;
            values.add(kinds.get(n).expression + " AS " + value);
            String order = kinds.get(n) == By.HOUR ? "0" : "-count(*)";
            groups.add("SELECT " + n + " AS n, " + value + " AS value, count(*) AS many, min(failed_at) AS oldest,"
                    + " max(failed_at) AS newest, " + order + " AS place FROM x GROUP BY " + value);
        }
        return "WITH x AS MATERIALIZED (SELECT " + String.join(", ", values)
                + ", d.failed_at FROM {dead_letters} d WHERE %s) SELECT n, value, many, oldest, newest FROM ("
                + String.join(" UNION ALL ", groups) + ") y ORDER BY n, place, value";
    }

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
