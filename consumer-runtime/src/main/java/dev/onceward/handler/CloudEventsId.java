package dev.onceward.handler;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/** {@link MessageIds#cloudEvents}. */
record CloudEventsId() implements MessageIdExtractor {
    private static final String ID = "ce_id";
    private static final String SOURCE = "ce_source";
    private static final int LONGEST = 200;

    @Override
    public @Nullable String extract(ConsumerRecord<byte[], byte[]> record, Uuid topicId) {
        String id = StrictUtf8.header(record, ID);
        String source = StrictUtf8.header(record, SOURCE);
        if (id == null && source == null) {
            return null;
        }
        if (id == null || source == null) {
            throw new InvalidMessageIdException("header '" + (id == null ? SOURCE : ID) + "' without '"
                    + (id == null ? ID : SOURCE) + "': the id of a CloudEvent is unique only together with its source");
        }
        // The first # ends the source whatever the id contains. A hash contains none, so it is never another's pair.
        String pair = source.replace("%", "%25").replace("#", "%23") + "#" + id;
        return pair.codePointCount(0, pair.length()) <= LONGEST ? pair : "ce-sha256:" + sha256(pair);
    }

    @Override
    public String toString() {
        return "headers '" + ID + "' and '" + SOURCE + "'";
    }

    private static String sha256(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
