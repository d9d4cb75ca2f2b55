package dev.onceward.deadletter;

import java.nio.charset.StandardCharsets;

/**
 * Text that came from outside, made fit for a header, a log line and a {@code text} column: PostgreSQL refuses U+0000,
 * a lone surrogate has no UTF-8, and a terminal obeys control characters.
 */
public final class SafeText {
    private static final char REPLACEMENT = '\uFFFD';

    private SafeText() {}

    /** One line: every control character escaped. */
    public static String line(String text, int maxBytes) {
        return clean(text, maxBytes, false);
    }

    /** Several lines: line feeds and tabs stay, every other control character is escaped. */
    public static String lines(String text, int maxBytes) {
        return clean(text, maxBytes, true);
    }

    /** The longest beginning that takes at most so many bytes of UTF-8, cut between two characters. */
    static String cut(String text, int maxBytes) {
        if (text.length() <= maxBytes / 3) {
            return text; // no char takes more than 3 bytes
        }
        int bytes = 0;
        int i = 0;
        while (i < text.length()) {
            int codePoint = text.codePointAt(i);
            bytes += utf8Length(codePoint);
            if (bytes > maxBytes) {
                return text.substring(0, i);
            }
            i += Character.charCount(codePoint);
        }
        return text;
    }

    /** Length in UTF-8. */
    static int utf8Length(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static String clean(String text, int maxBytes, boolean keepLayout) {
        StringBuilder out = new StringBuilder(Math.min(text.length(), maxBytes));
        // Every character gives at least one byte, so what stands behind maxBytes chars needs no look: a message may
        // be as large as the payload it quotes.
        int end = Math.min(text.length(), maxBytes);
        int i = 0;
        while (i < end) {
            int codePoint = text.codePointAt(i);
            i += Character.charCount(codePoint);
            append(out, codePoint, keepLayout);
        }
        return cut(out.toString(), maxBytes);
    }

    private static void append(StringBuilder out, int codePoint, boolean keepLayout) {
        if (keepLayout && (codePoint == '\n' || codePoint == '\t')) {
            out.append((char) codePoint);
        } else if (codePoint == '\n') {
            out.append("\\n");
        } else if (codePoint == '\r') {
            out.append(keepLayout ? "" : "\\r");
        } else if (codePoint == '\t') {
            out.append("\\t");
        } else if (isUnsafe(codePoint)) {
            out.append(String.format("\\u%04x", codePoint));
        } else if (codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE) {
            out.append(REPLACEMENT);
        } else {
            out.appendCodePoint(codePoint);
        }
    }

    /** Control characters, separators that some viewers take for line ends, and marks that turn text round. */
    private static boolean isUnsafe(int codePoint) {
        return Character.isISOControl(codePoint)
                || codePoint == 0x2028
                || codePoint == 0x2029
                || (codePoint >= 0x202A && codePoint <= 0x202E)
                || (codePoint >= 0x2066 && codePoint <= 0x2069);
    }

    private static int utf8Length(int codePoint) {
        if (codePoint < 0x80) {
            return 1;
        }
        if (codePoint < 0x800) {
            return 2;
        }
        return codePoint < 0x10000 ? 3 : 4;
    }
}
