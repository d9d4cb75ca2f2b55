package dev.onceward.dlq.transfer;

import dev.onceward.dlq.index.Letter;
import dev.onceward.dlq.output.Bytes;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a JSON object that anybody may have written. Whatever gets through here the tables take: one line that
 * PostgreSQL refuses would refuse all that are written with it.
 */
final class JsonFields {
    private static final Pattern TOPIC = Pattern.compile("[a-zA-Z0-9._-]{1,249}");
    private static final Pattern HASH = Pattern.compile("[0-9a-f]{16}");
    private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

    private final String path;
    private final Map<?, ?> fields;

    private JsonFields(String path, Map<?, ?> fields) {
        this.path = path;
        this.fields = fields;
    }

    static JsonFields of(Map<?, ?> fields) {
        return new JsonFields("", fields);
    }

    boolean has(String name) {
        return fields.containsKey(name);
    }

    boolean isNull(String name) {
        return fields.get(name) == null;
    }

    JsonFields object(String name) throws BadLineException {
        if (fields.get(name) instanceof Map<?, ?> map) {
            return new JsonFields(path + name + ".", map);
        }
        throw bad(name, "an object");
    }

    List<?> list(String name) throws BadLineException {
        if (fields.get(name) instanceof List<?> list) {
            return list;
        }
        throw bad(name, "an array");
    }

    boolean bool(String name) throws BadLineException {
        if (fields.get(name) instanceof Boolean bool) {
            return bool;
        }
        throw bad(name, "true or false");
    }

    String text(String name, int longest) throws BadLineException {
        if (fields.get(name) instanceof String text
                && text.length() <= longest
                && text.indexOf('\0') < 0
                && StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            return text;
        }
        throw bad(
                name,
                "text without NUL" + (longest < Integer.MAX_VALUE ? " of at most " + longest + " characters" : ""));
    }

    String text(String name) throws BadLineException {
        return text(name, Integer.MAX_VALUE);
    }

    @Nullable
    String textOrNull(String name, int longest) throws BadLineException {
        return isNull(name) ? null : text(name, longest);
    }

    String topic(String name) throws BadLineException {
        if (fields.get(name) instanceof String text && TOPIC.matcher(text).matches()) {
            return text;
        }
        throw bad(name, "the name of a topic");
    }

    long number(String name, long least, long most) throws BadLineException {
        Object value = fields.get(name);
        if (value instanceof Integer || value instanceof Long) {
            long number = ((Number) value).longValue();
            if (number >= least && number <= most) {
                return number;
            }
        }
        throw bad(name, "a whole number from " + least + " to " + most);
    }

    long count(String name) throws BadLineException {
        return number(name, 0, Long.MAX_VALUE);
    }

    int smallCount(String name) throws BadLineException {
        return (int) number(name, 0, Integer.MAX_VALUE);
    }

    Instant instant(String name) throws BadLineException {
        if (fields.get(name) instanceof String text) {
            try {
                Instant instant = Instant.parse(text);
                if (!instant.isBefore(EARLIEST) && !instant.isAfter(LATEST)) {
                    return instant;
                }
            } catch (DateTimeException e) {
                // Below.
            }
        }
        throw bad(name, "a point in time like 2025-01-31T12:00:00Z");
    }

    @Nullable
    Instant instantOrNull(String name) throws BadLineException {
        return isNull(name) ? null : instant(name);
    }

    UUID topicId(String name) throws BadLineException {
        if (isNull(name)) {
            return Letter.UNKNOWN_TOPIC_ID;
        }
        try {
            return UUID.fromString(text(name, 36));
        } catch (IllegalArgumentException e) {
            throw bad(name, "a UUID");
        }
    }

    /** As hexadecimal text: as a number it would be rounded by every program that reads numbers as JavaScript does. */
    long hash(String name) throws BadLineException {
        if (fields.get(name) instanceof String text && HASH.matcher(text).matches()) {
            return Long.parseUnsignedLong(text, 16);
        }
        throw bad(name, "16 hexadecimal digits");
    }

    @Nullable
    Long hashOrNull(String name) throws BadLineException {
        return isNull(name) ? null : Long.valueOf(hash(name));
    }

    byte @Nullable [] bytes(String name) throws BadLineException {
        return bytes(path + name, fields.get(name));
    }

    static byte @Nullable [] bytes(String name, @Nullable Object json) throws BadLineException {
        // Half a surrogate pair would silently become a question mark.
        if (json instanceof String text && !StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw new BadLineException(name + " is not valid Unicode");
        }
        try {
            return Bytes.fromJson(json);
        } catch (IllegalArgumentException e) {
            throw new BadLineException(name + " must be null, text or {\"base64\": \"…\"}");
        }
    }

    private BadLineException bad(String name, String expected) {
        return new BadLineException(path + name + (has(name) ? " must be " : " is missing, it must be ") + expected);
    }
}
