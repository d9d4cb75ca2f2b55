package dev.onceward.message;

import dev.onceward.catalog.DeadLetterReason;
import dev.onceward.handler.Coordinates;
import dev.onceward.handler.InvalidMessageIdException;
import dev.onceward.handler.Message;
import dev.onceward.handler.MessageIdExtractor;
import dev.onceward.message.ReplayHeaders.Replay;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.UUID;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;

/**
 * Makes a message of a raw record: id, then key, then value. One for each topic route. Thread-safe: each thread uses
 * deserialisers of its own, made by the suppliers; a supplier that always gives the same instance says that this
 * instance is thread-safe.
 */
public final class RecordDecoder implements AutoCloseable {
    private final String consumer;
    private final MessageIdExtractor ids;
    private final PerThreadDeserializer key;
    private final PerThreadDeserializer value;

    /**
     * Asks each supplier once, so that one that cannot work is found at start.
     *
     * @throws dev.onceward.handler.UnavailableException a supplier failed
     */
    public RecordDecoder(
            String consumer,
            MessageIdExtractor ids,
            Supplier<? extends Deserializer<?>> key,
            Supplier<? extends Deserializer<?>> value) {
        this.consumer = consumer;
        this.ids = ids;
        this.key = new PerThreadDeserializer("key", key);
        this.value = new PerThreadDeserializer("value", value);
    }

    /**
     * Decodes a record. Throws nothing but a {@link VirtualMachineError} other than a stack overflow.
     *
     * @param record as it came from the broker; nothing of it is changed
     * @param topicId Kafka's id of the record's topic
     * @param replay what the headers of a record in the replay topic say; {@code null} for any other
     * @param attempt the number of the attempt that this message is decoded for, from 1
     */
    public Decoded decode(ConsumerRecord<byte[], byte[]> record, UUID topicId, @Nullable Replay replay, int attempt) {
        String id = null;
        try {
            ConsumerRecord<byte[], byte[]> original = replay == null ? record : original(record, replay);
            id = idOf(original, topicId, replay);
            return new Decoded.Ok(message(original, id, replay != null, attempt));
        } catch (Throwable failure) {
            return failed(id == null ? DeadLetterReason.INVALID_ID : DeadLetterReason.UNDECODABLE, failure, id);
        }
    }

    /**
     * The id alone, key and value left as they are.
     *
     * @return {@code null} where there is none that can be used
     */
    public @Nullable String identify(ConsumerRecord<byte[], byte[]> record, UUID topicId, @Nullable Replay replay) {
        try {
            return idOf(replay == null ? record : original(record, replay), topicId, replay);
        } catch (Throwable e) { // decoding, which asks again, will say why
            return null;
        }
    }

    private String idOf(ConsumerRecord<byte[], byte[]> original, UUID topicId, @Nullable Replay replay) {
        return replay != null && replay.messageId() != null
                ? replay.messageId()
                : extractId(original, replay == null ? topicId : stableId(original.topic()));
    }

    /** Closes the deserialisers, each once. */
    @Override
    public void close() {
        try (key;
                value) {
            // Both, whatever the first one throws.
        }
    }

    private Message<?, ?> message(ConsumerRecord<byte[], byte[]> record, String id, boolean replay, int attempt) {
        // Deserialisers may change headers (some remove what they have read), handlers may not, and neither may reach
        // the record itself, which goes to the dead-letter topic as it came.
        RecordHeaders headers = HeaderCopy.of(record.headers());
        Object decodedKey = key.deserialize(record.topic(), headers, record.key());
        Object decodedValue = value.deserialize(record.topic(), headers, record.value());
        headers.setReadOnly();
        return new Message<>(
                consumer,
                id,
                new Coordinates(record.topic(), record.partition(), record.offset()),
                Instant.ofEpochMilli(record.timestamp()),
                decodedKey,
                decodedValue,
                headers,
                attempt,
                replay);
    }

    private String extractId(ConsumerRecord<byte[], byte[]> record, UUID topicId) {
        String id = ids.extract(record, new Uuid(topicId.getMostSignificantBits(), topicId.getLeastSignificantBits()));
        if (id == null) {
            throw new InvalidMessageIdException("the record carries no message id; looked for: " + ids);
        }
        return MessageIdRules.checked(id);
    }

    private static Decoded failed(DeadLetterReason reason, Throwable failure, @Nullable String id) {
        VirtualMachineError fatal = DecodingFailure.fatal(failure);
        if (fatal != null) {
            throw fatal;
        }
        // The flag never leaves decoding: whatever the thread waits for next would take it for its own. Whether the
        // runtime's own time limit set it, the caller knows.
        boolean interrupted = Thread.interrupted();
        if (DecodingFailure.notTheRecord(failure)) {
            return new Decoded.Unavailable(failure);
        }
        if (interrupted || DecodingFailure.ofInterrupt(failure)) {
            return new Decoded.Interrupted(failure);
        }
        return new Decoded.Bad(reason, failure, id);
    }

    /** The record that first failed, with what its replay carries: deserialisers and extractors see what they saw. */
    private static ConsumerRecord<byte[], byte[]> original(ConsumerRecord<byte[], byte[]> record, Replay replay) {
        Coordinates at = replay.origin().coordinates();
        return new ConsumerRecord<>(
                at.topic(),
                at.partition(),
                at.offset(),
                replay.origin().timestamp(),
                record.timestampType(),
                record.serializedKeySize(),
                record.serializedValueSize(),
                record.key(),
                record.value(),
                replay.headers(),
                record.leaderEpoch());
    }

    /**
     * Stands in for the topic's id where a replayed message had no valid id when it failed and is identified only now:
     * nobody knows the id its topic had then. The same at each replay, and different for each topic.
     */
    private static UUID stableId(String topic) {
        return UUID.nameUUIDFromBytes(topic.getBytes(StandardCharsets.UTF_8));
    }
}
