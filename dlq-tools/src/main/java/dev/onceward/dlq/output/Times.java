package dev.onceward.dlq.output;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations and points in time as they are typed. */
public final class Times {
    private static final Pattern DURATION = Pattern.compile("([0-9]{1,9})(ms|s|m|h|d)");

    private Times() {}

    /**
     * Reads {@code 200ms}, {@code 30s}, {@code 5m}, {@code 2h}, {@code 14d}.
     *
     * @throws IllegalArgumentException it is none of these; the message says what can be written
     */
    public static Duration duration(String text) {
        Matcher matcher = DURATION.matcher(text.strip());
        if (!matcher.matches()) {
            throw new IllegalArgumentException("'" + text + "' is no duration; write 200ms, 30s, 5m, 2h or 14d");
        }
        long number = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            case "h" -> Duration.ofHours(number);
            default -> Duration.ofDays(number);
        };
    }

    /**
     * Reads a duration, which is that long before {@code now}, or {@code 2025-01-31}, {@code 2025-01-31T12:00} (both in
     * UTC), {@code 2025-01-31T12:00:00Z}, {@code 2025-01-31T12:00:00+01:00}; a blank may stand for the T.
     *
     * @throws IllegalArgumentException it is none of these; the message says what can be written
     */
    public static Instant instant(String text, Instant now) {
        String time = text.strip().replace(' ', 'T');
        try {
            if (DURATION.matcher(time).matches()) {
                return now.minus(duration(time));
            }
            if (!time.contains("T")) {
                return LocalDate.parse(time).atStartOfDay(ZoneOffset.UTC).toInstant();
            }
            boolean zoned = time.endsWith("Z") || time.matches(".*[+-][0-9]{2}:?[0-9]{2}");
            return zoned
                    ? OffsetDateTime.parse(time).toInstant()
                    : LocalDateTime.parse(time).toInstant(ZoneOffset.UTC);
        } catch (DateTimeException | ArithmeticException e) {
            throw new IllegalArgumentException("'" + text + "' is no point in time; write 2h (ago), 2025-01-31,"
                    + " 2025-01-31T12:00 (UTC) or 2025-01-31T12:00:00+01:00");
        }
    }
}
