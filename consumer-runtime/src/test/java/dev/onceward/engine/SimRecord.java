package dev.onceward.engine;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onceward.handler.Coordinates;
import dev.onceward.message.PayloadHash;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

/** A record of the model, and what its handler does with it. */
record SimRecord(TopicPartition partition, long offset, String key, String id, Behaviour behaviour, int times) {

    Coordinates coordinates() {
        return new Coordinates(partition.topic(), partition.partition(), offset);
    }

    String value() {
        return behaviour + "/" + times;
    }

    long hash() {
        return PayloadHash.of(value().getBytes(UTF_8));
    }

    ConsumerRecord<byte[], byte[]> raw() {
        RecordHeaders headers = new RecordHeaders();
        headers.add("message-id", id.getBytes(UTF_8));
        byte[] keyBytes = key.getBytes(UTF_8);
        byte[] valueBytes = value().getBytes(UTF_8);
        return new ConsumerRecord<>(
                partition.topic(),
                partition.partition(),
                offset,
                1_000_000 + offset,
                TimestampType.CREATE_TIME,
                keyBytes.length,
                valueBytes.length,
                keyBytes,
                valueBytes,
                headers,
                Optional.empty());
    }

    /** What a handler does with a message. */
    enum Behaviour {
        OK,
        /** Fails so many times. */
        TRANSIENT,
        /** Cannot ever. */
        PERMANENT,
        /** Fails always. */
        POISON,
        /** Takes longer than it may so many times, but listens to an interrupt. */
        HANG,
        /** Takes longer than it may so many times, and does not listen. */
        DEAF,
        /** Something it needs is not there so many times. */
        UNAVAILABLE,
        /** Ends its worker so many times. */
        FATAL
    }
}
