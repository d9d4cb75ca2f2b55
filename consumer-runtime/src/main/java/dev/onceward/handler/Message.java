package dev.onceward.handler;

import java.time.Instant;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * A decoded Kafka record with its message id. Immutable as far as the key and value types are.
 *
 * @param consumer the logical consumer that handles it: the namespace of deduplication
 * @param id the message id, 1 to 200 characters; one effect per (consumer, id)
 * @param coordinates where this record stands; for a replay the coordinates of the record that first failed
 * @param timestamp the record's timestamp; for a replay that of the record that first failed
 * @param key the decoded key; {@code null} where the record has none
 * @param value the decoded value; {@code null} for a tombstone
 * @param headers the record's headers, read-only
 * @param attempt which counted attempt this is, from 1
 * @param replay whether an operator sent it again from the dead-letter topic
 */
public record Message<K, V>(
        String consumer,
        String id,
        Coordinates coordinates,
        Instant timestamp,
        @Nullable K key,
        @Nullable V value,
        Headers headers,
        int attempt,
        boolean replay) {

    /**
     * A key that is the same at every delivery and retry of this message and different for any other: hand it to
     * outside systems that deduplicate by key, since calls to them are not part of the transaction.
     */
    public String idempotencyKey() {
        return consumer + ":" + id;
    }

    /** Coordinates and id, never key or payload: those may be personal data. */
    @Override
    public String toString() {
        return "Message[" + coordinates + ", id=" + id + ", attempt=" + attempt + (replay ? ", replay]" : "]");
    }
}
