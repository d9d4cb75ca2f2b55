package dev.onceward.dlq.output;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/** Numbers and times as people read them. */
public final class People {
    private People() {}

    /** The two largest units: {@code 4d 3h}, {@code 2h 5m}, {@code 3m 12s}, {@code 7s}, {@code 450ms}. */
    public static String duration(Duration duration) {
        if (duration.isNegative()) {
            return "-" + duration(duration.negated());
        }
        if (duration.toDays() > 0) {
            return duration.toDays() + "d " + duration.toHoursPart() + "h";
        }
        if (duration.toHours() > 0) {
            return duration.toHours() + "h " + duration.toMinutesPart() + "m";
        }
        if (duration.toMinutes() > 0) {
            return duration.toMinutes() + "m " + duration.toSecondsPart() + "s";
        }
        return duration.toSeconds() > 0 || duration.isZero() ? duration.toSeconds() + "s" : duration.toMillis() + "ms";
    }

    /** To the second, in UTC: {@code 2025-01-31 12:00:00Z}. */
    public static String instant(Instant instant) {
        return instant.truncatedTo(ChronoUnit.SECONDS).toString().replace('T', ' ');
    }

    /** With thousands set apart: {@code 12,345}. */
    public static String count(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    /** A count and what is counted: {@code 1 dead letter}, {@code 2 dead letters}. */
    public static String count(long count, String singular) {
        return count(count) + " " + singular + (count == 1 ? "" : "s");
    }
}
