package dev.onceward.config;

import java.time.DateTimeException;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as they are written in settings. */
final class Durations {
    private static final Pattern SHORT = Pattern.compile("(\\d+)(ms|s|m|h|d)");

    private Durations() {}

    /**
     * Reads {@code 200ms}, {@code 30s}, {@code 5m}, {@code 2h}, {@code 14d} or ISO 8601.
     *
     * @throws IllegalArgumentException it is neither
     */
    static Duration parse(String text) {
        try {
            Matcher matcher = SHORT.matcher(text);
            if (matcher.matches()) {
                long number = Long.parseLong(matcher.group(1));
                return switch (matcher.group(2)) {
                    case "ms" -> Duration.ofMillis(number);
                    case "s" -> Duration.ofSeconds(number);
                    case "m" -> Duration.ofMinutes(number);
                    case "h" -> Duration.ofHours(number);
                    default -> Duration.ofDays(number);
                };
            }
            if (text.toUpperCase(Locale.ROOT).startsWith("P")) {
                return Duration.parse(text);
            }
        } catch (DateTimeException | ArithmeticException | NumberFormatException e) {
            // Falls through to the one message for all of them.
        }
        throw new IllegalArgumentException("is not a duration; write 200ms, 30s, 5m, 2h, 14d, or PT30S");
    }

    /** The shortest way to write it that {@link #parse} takes. */
    static String format(Duration duration) {
        if (duration.isNegative() || duration.getNano() % 1_000_000 != 0) {
            return duration.toString();
        }
        long seconds = duration.getSeconds();
        if (duration.getNano() != 0) {
            return duration.toMillis() + "ms";
        }
        if (seconds == 0 || seconds % 60 != 0) {
            return seconds + "s";
        }
        if (seconds % 3600 != 0) {
            return seconds / 60 + "m";
        }
        return seconds % 86_400 != 0 ? seconds / 3600 + "h" : seconds / 86_400 + "d";
    }
}
