package dev.onceward.migrations;

import java.util.regex.Pattern;

/**
 * The name of the PostgreSQL schema that holds the tables of Onceward.
 *
 * <p>Only plain names are taken: a lower-case letter or underscore, then lower-case letters, digits or underscores, at
 * most 63 in all, and none of PostgreSQL's own. So a name can stand in SQL, means the same with quotes and without,
 * and is never cut off by the server.
 *
 * @param value the name as it stands in {@code pg_namespace}
 */
public record SchemaName(String value) {
    private static final Pattern PLAIN = Pattern.compile("[a-z_][a-z0-9_]{0,62}");

    /**
     * Checks the name.
     *
     * @throws IllegalArgumentException if it is not a plain name
     */
    public SchemaName {
        if (!PLAIN.matcher(value).matches()) {
            throw new IllegalArgumentException(
                    "Schema name \"" + value + "\" is not a plain name: use a lower-case letter"
                            + " or underscore, then lower-case letters, digits or underscores, at most 63 characters in all");
        }
        if (value.startsWith("pg_") || value.equals("information_schema")) {
            throw new IllegalArgumentException(
                    "Schema name \"" + value + "\" is reserved by PostgreSQL: choose another one");
        }
    }

    /** The name in double quotes: a plain name may still be a key word, such as {@code user}. */
    public String quoted() {
        return '"' + value + '"';
    }

    /** {@code table} of this schema, ready to stand in SQL. The table's name must be a plain name that is no key word. */
    public String qualify(String table) {
        return quoted() + '.' + table;
    }

    @Override
    public String toString() {
        return value;
    }
}
