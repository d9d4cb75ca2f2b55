package dev.onceward.dlq.output;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Values as text: exactly, for programs; or readably, for people. */
final class Texts {
    private Texts() {}

    /** Without loss, but for lists and maps, which become JSON. */
    static String exact(Object value) {
        if (value instanceof byte[] bytes) {
            return Bytes.toText(bytes);
        }
        if (value instanceof Duration duration) {
            return String.valueOf(duration.toMillis() / 1000.0);
        }
        if (value instanceof Map<?, ?> || value instanceof Iterable<?>) {
            return JsonWriter.line(value);
        }
        return value.toString();
    }

    /** One line without control characters. */
    static String readable(@Nullable Object value) {
        if (value == null) {
            return "-";
        }
        if (value instanceof Duration duration) {
            return People.duration(duration);
        }
        if (value instanceof Instant instant) {
            return People.instant(instant);
        }
        if (value instanceof Integer || value instanceof Long) {
            return People.count(((Number) value).longValue());
        }
        return Printable.line(exact(value));
    }
}
