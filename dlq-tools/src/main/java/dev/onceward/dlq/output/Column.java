package dev.onceward.dlq.output;

import java.util.Locale;

/**
 * One column of what a command lists.
 *
 * @param name as programs read it, in JSON and CSV: {@code messageId}. Public API.
 * @param heading as people read it, above a table: {@code MESSAGE ID}; empty for a column that tables leave out
 * @param right whether a table aligns it to the right, as numbers are
 * @param narrowest how far a table may cut it to fit the terminal; {@link #WHOLE}: never, because people copy it
 */
public record Column(String name, String heading, boolean right, int narrowest) {
    /** For {@link #narrowest}. */
    public static final int WHOLE = Integer.MAX_VALUE;

    /** Text that may be cut to eight characters. */
    public static Column text(String name) {
        return new Column(name, headingOf(name), false, 8);
    }

    /** Text that is never cut. */
    public static Column whole(String name) {
        return new Column(name, headingOf(name), false, WHOLE);
    }

    /** A number, never cut. */
    public static Column number(String name) {
        return new Column(name, headingOf(name), true, WHOLE);
    }

    /** Only for programs. */
    public static Column hidden(String name) {
        return new Column(name, "", false, WHOLE);
    }

    /** With another heading. */
    public Column headed(String newHeading) {
        return new Column(name, newHeading, right, narrowest);
    }

    boolean inTable() {
        return !heading.isEmpty();
    }

    private static String headingOf(String name) {
        return name.replaceAll("([a-z0-9])([A-Z])", "$1 $2").toUpperCase(Locale.ROOT);
    }
}
