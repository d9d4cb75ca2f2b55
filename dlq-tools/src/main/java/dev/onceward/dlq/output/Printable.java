package dev.onceward.dlq.output;

import dev.onceward.deadletter.SafeText;

/**
 * Text from outside for a terminal. A payload or a key may hold escape sequences that move the cursor, or marks that
 * turn the text round: they are shown, not obeyed.
 */
public final class Printable {
    private static final String CUT = "…";

    private Printable() {}

    /** On one line. */
    public static String line(String text) {
        return SafeText.line(text, Integer.MAX_VALUE);
    }

    /** Line feeds and tabs stay. */
    public static String lines(String text) {
        return SafeText.lines(text, Integer.MAX_VALUE);
    }

    /** How many columns of a terminal it takes. */
    public static int width(String text) {
        int width = 0;
        for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
            width += width(text.codePointAt(i));
        }
        return width;
    }

    /** At most so many columns of it, with … where something is missing. */
    public static String cut(String text, int columns) {
        if (width(text) <= columns) {
            return text;
        }
        int width = 0;
        int end = 0;
        while (end < text.length() && width + width(text.codePointAt(end)) <= columns - 1) {
            width += width(text.codePointAt(end));
            end += Character.charCount(text.codePointAt(end));
        }
        return columns <= 0 ? "" : text.substring(0, end) + CUT;
    }

    private static int width(int codePoint) {
        int type = Character.getType(codePoint);
        if (type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK || type == Character.FORMAT) {
            return 0;
        }
        return isWide(codePoint) ? 2 : 1;
    }

    /** The large blocks that terminals draw in two columns: Korean, Chinese, Japanese, full-width forms, pictures. */
    private static boolean isWide(int c) {
        return (c >= 0x1100 && c <= 0x115F)
                || (c >= 0x2E80 && c <= 0xA4CF && c != 0x303F)
                || (c >= 0xAC00 && c <= 0xD7A3)
                || (c >= 0xF900 && c <= 0xFAFF)
                || (c >= 0xFE30 && c <= 0xFE6F)
                || (c >= 0xFF00 && c <= 0xFF60)
                || (c >= 0xFFE0 && c <= 0xFFE6)
                || (c >= 0x1F300 && c <= 0x1F64F)
                || (c >= 0x1F900 && c <= 0x1F9FF)
                || (c >= 0x20000 && c <= 0x3FFFD);
    }
}
