package dev.onceward.config;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes as they are written in settings. */
final class Sizes {
    private static final Pattern SIZE = Pattern.compile("(\\d+)(KiB|MiB|GiB|)");

    private Sizes() {}

    /**
     * Reads {@code 512KiB}, {@code 8MiB}, {@code 1GiB} or a number of bytes. Not {@code MB} and its like, which mean
     * different things to different people.
     *
     * @throws IllegalArgumentException it is neither
     */
    static long parse(String text) {
        Matcher matcher = SIZE.matcher(text);
        if (matcher.matches()) {
            try {
                return Math.multiplyExact(Long.parseLong(matcher.group(1)), unit(matcher.group(2)));
            } catch (ArithmeticException | NumberFormatException e) {
                // Falls through to the one message for all of them.
            }
        }
        throw new IllegalArgumentException("is not a size; write 512KiB, 8MiB, 1GiB, or a number of bytes");
    }

    /** The shortest way to write it that {@link #parse} takes. */
    static String format(long bytes) {
        for (String unit : new String[] {"GiB", "MiB", "KiB"}) {
            if (bytes != 0 && bytes % unit(unit) == 0) {
                return bytes / unit(unit) + unit;
            }
        }
        return Long.toString(bytes);
    }

    private static long unit(String name) {
        return switch (name) {
            case "KiB" -> 1L << 10;
            case "MiB" -> 1L << 20;
            case "GiB" -> 1L << 30;
            default -> 1;
        };
    }
}
