package dev.onceward.effect;

import java.io.InputStream;
import java.io.Reader;
import java.lang.reflect.Array;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Values for placeholders: from what a handler gives to what the driver takes. */
final class Arguments {

    /** A value that PostgreSQL shall give the type that its place asks for. */
    private record Untyped(String value) {}

    private Arguments() {}

    /**
     * The values in a form that stays as it is until they are sent, which is after the handler has gone on.
     *
     * @throws IllegalArgumentException if one cannot be kept
     */
    static List<@Nullable Object> kept(@Nullable Object[] values) {
        List<@Nullable Object> kept = new ArrayList<>(values.length);
        for (Object value : values) {
            kept.add(kept(value));
        }
        return Collections.unmodifiableList(kept);
    }

    private static @Nullable Object kept(@Nullable Object value) {
        if (value == null) {
            return null;
        }
        if (value instanceof Instant instant) {
            return instant.atOffset(ZoneOffset.UTC);
        }
        if (value instanceof ZonedDateTime time) {
            return time.toOffsetDateTime();
        }
        if (value instanceof Enum<?> constant) {
            // As a varchar it would not fit a column of an enum type of PostgreSQL's.
            return new Untyped(constant.name());
        }
        if (value instanceof java.sql.Array) {
            return Guarded.unguarded(value);
        }
        if (value instanceof InputStream || value instanceof Reader) {
            throw new IllegalArgumentException("a declared update is sent later, when the handler may have closed its"
                    + " stream: give it the bytes or the text, or run the statement through connection()");
        }
        return value.getClass().isArray() ? copyOf(value) : value;
    }

    private static Object copyOf(Object array) {
        int length = Array.getLength(array);
        Object copy = Array.newInstance(array.getClass().getComponentType(), length);
        System.arraycopy(array, 0, copy, 0, length);
        return copy;
    }

    /** Hands values to the placeholders from the given one (from 1). */
    static void bind(PreparedStatement statement, int from, List<@Nullable Object> values) throws SQLException {
        for (int i = 0; i < values.size(); i++) {
            Object value = values.get(i);
            if (value instanceof Untyped untyped) {
                statement.setObject(from + i, untyped.value(), Types.OTHER);
            } else {
                statement.setObject(from + i, value);
            }
        }
    }
}
