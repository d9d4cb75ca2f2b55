package dev.onceward.config;

import dev.onceward.catalog.SettingKeys;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;

/** Values of settings from text and back, by the type of the setting. */
final class SettingText {
    private SettingText() {}

    /**
     * Reads a value: String, Boolean, Long, Duration, {@link StartPosition}; a size as Long, a choice as its word.
     *
     * @throws IllegalArgumentException its message goes on after the value: "is not …; write …"
     */
    static Object parse(SettingKeys setting, String text) {
        // Secrets and names as they are. Around anything else, blanks are what is left of someone's editing.
        String trimmed = text.strip();
        return switch (setting.type()) {
            case TEXT, SECRET -> text;
            case BOOLEAN -> bool(trimmed);
            case INTEGER -> integer(trimmed);
            case DURATION -> Durations.parse(trimmed);
            case SIZE -> Sizes.parse(trimmed);
            case CHOICE -> choice(setting, trimmed);
            case START_POSITION -> startPosition(trimmed);
        };
    }

    /** Writes a value as {@link #parse} reads it; a secret as nothing but a mark. */
    static String format(SettingKeys setting, Object value) {
        return switch (setting.type()) {
            case SECRET -> "***";
            case DURATION -> Durations.format((Duration) value);
            case SIZE -> Sizes.format((Long) value);
            case START_POSITION -> startText((StartPosition) value);
            case TEXT, BOOLEAN, INTEGER, CHOICE -> value.toString();
        };
    }

    /** The word that stands for a constant: {@code dead-letter} for DEAD_LETTER. */
    static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static boolean bool(String text) {
        if (text.equals("true") || text.equals("false")) {
            return Boolean.parseBoolean(text);
        }
        throw new IllegalArgumentException("is neither true nor false");
    }

    private static long integer(String text) {
        try {
            // parseLong takes "+5" and the digits of other scripts too.
            if (text.matches("-?[0-9]+")) {
                return Long.parseLong(text);
            }
        } catch (NumberFormatException e) {
            // Falls through to the one message for all of them.
        }
        throw new IllegalArgumentException("is not a whole number");
    }

    private static String choice(SettingKeys setting, String text) {
        String word = text.toLowerCase(Locale.ROOT);
        if (Arrays.asList(setting.allowed().split(" \\| ", -1)).contains(word)) {
            return word;
        }
        throw new IllegalArgumentException("is not possible; choose one of " + setting.allowed());
    }

    private static StartPosition startPosition(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "earliest" -> StartPosition.earliest();
            case "latest" -> StartPosition.latest();
            default -> StartPosition.at(instant(text));
        };
    }

    private static Instant instant(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(
                    "is no start position; write earliest, latest, or an instant such as 2025-01-31T12:00:00Z", e);
        }
    }

    private static String startText(StartPosition position) {
        if (position instanceof StartPosition.At at) {
            return at.timestamp().toString();
        }
        return position instanceof StartPosition.Latest ? "latest" : "earliest";
    }
}
