package dev.onceward.dlq.output;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Bytes in JSON, so that they come back as they were: text where they are strict UTF-8, else {@code {"base64": "…"}}.
 * A JSON string is therefore always the text itself, and null is null.
 */
public final class Bytes {
    private static final String BASE64 = "base64";

    private Bytes() {}

    /** The text that these bytes are, if they are strict UTF-8. */
    public static Optional<String> text(byte[] bytes) {
        try {
            return Optional.of(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString());
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }

    /** For JSON: text, or a map with one entry. */
    public static Object toJson(byte[] bytes) {
        Optional<String> text = text(bytes);
        return text.isPresent() ? text.get() : Map.of(BASE64, base64(bytes));
    }

    /**
     * Back from JSON.
     *
     * @throws IllegalArgumentException it is neither text nor the map
     */
    public static byte @Nullable [] fromJson(@Nullable Object json) {
        if (json == null) {
            return null;
        }
        if (json instanceof String text) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
        if (json instanceof Map<?, ?> map && map.size() == 1 && map.get(BASE64) instanceof String text) {
            return Base64.getDecoder().decode(text);
        }
        throw new IllegalArgumentException("neither text nor {\"base64\": \"…\"}");
    }

    /** For people and for CSV: the text, or {@code base64:…}. */
    public static String toText(byte[] bytes) {
        return text(bytes).orElseGet(() -> BASE64 + ":" + base64(bytes));
    }

    private static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }
}
