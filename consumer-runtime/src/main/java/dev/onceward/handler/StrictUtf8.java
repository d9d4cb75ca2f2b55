package dev.onceward.handler;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** Text of ids from bytes. */
final class StrictUtf8 {
    private StrictUtf8() {}

    /**
     * The only header of that name, {@code null} if there is none.
     *
     * @throws InvalidMessageIdException it occurs more than once, has no value, or is no text
     */
    static @Nullable String header(ConsumerRecord<byte[], byte[]> record, String name) {
        Header found = null;
        for (Header header : record.headers().headers(name)) {
            if (found != null) {
                throw new InvalidMessageIdException("header '" + name + "' occurs more than once");
            }
            found = header;
        }
        return found == null ? null : text(found.value(), "header '" + name + "'");
    }

    /**
     * The bytes as text that is not blank.
     *
     * @param what names the place in errors
     */
    static String text(byte @Nullable [] bytes, String what) {
        if (bytes == null) {
            throw new InvalidMessageIdException(what + " has no value");
        }
        try {
            // A decoder reports malformed bytes. new String() replaces them, and different ids would become equal.
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            if (text.isBlank()) {
                throw new InvalidMessageIdException(what + (text.isEmpty() ? " is empty" : " is blank"));
            }
            return text;
        } catch (CharacterCodingException e) {
            throw new InvalidMessageIdException(what + " is not UTF-8");
        }
    }
}
