package dev.onceward.examples;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import java.io.IOException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;

/**
 * Reads values of one type from JSON. What it throws on bytes that are no such value makes the record a dead letter at once:
 * no retry can help.
 */
public final class JsonDeserializer<T> implements Deserializer<T> {

    private final ObjectReader reader;

    /** For values of this type, with all their fields and no others. */
    public JsonDeserializer(Class<T> type) {
        this.reader = new ObjectMapper()
                .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
                .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
                .readerFor(type);
    }

    @Override
    public @Nullable T deserialize(String topic, byte @Nullable [] data) {
        if (data == null) {
            return null;
        }
        try {
            return reader.readValue(data);
        } catch (IOException e) {
            throw new SerializationException("Not the JSON expected in topic " + topic, e);
        }
    }
}
