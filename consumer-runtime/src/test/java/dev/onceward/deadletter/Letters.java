package dev.onceward.deadletter;

import dev.onceward.catalog.DeadLetterReason;
import dev.onceward.handler.Coordinates;
import dev.onceward.message.Origin;
import dev.onceward.message.RecordIdentity;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/** Dead letters and records for tests. */
final class Letters {
    static final Instant FIRST_FAILED_AT = Instant.parse("2025-03-01T10:00:00.123Z");
    static final Instant FAILED_AT = Instant.parse("2025-03-01T10:01:00Z");
    static final long ORIGINAL_TIMESTAMP = 1_740_000_000_000L;

    private Letters() {}

    static DeadLetter of(ConsumerRecord<byte[], byte[]> record, ErrorText error) {
        Coordinates coordinates = new Coordinates(record.topic(), record.partition(), record.offset());
        return of(record, new Origin(coordinates, record.timestamp(), 0), error);
    }

    static DeadLetter of(ConsumerRecord<byte[], byte[]> record, Origin origin, ErrorText error) {
        return new DeadLetter(
                new RecordIdentity(
                        new Coordinates(record.topic(), record.partition(), record.offset()),
                        new UUID(1, 2),
                        record.timestamp(),
                        3),
                origin,
                "pay-1",
                DeadLetterReason.ATTEMPTS_EXHAUSTED,
                error.errorClass(),
                error.message(),
                error.stacktrace(),
                5,
                FIRST_FAILED_AT,
                FAILED_AT,
                "worker-1",
                7);
    }

    static DeadLetter of(ConsumerRecord<byte[], byte[]> record) {
        return of(record, error());
    }

    /** With a stack trace of several kilobytes. */
    static ErrorText error() {
        return new ErrorText(
                "java.sql.SQLException",
                "no such account",
                "java.sql.SQLException: no such account\n" + "\tat x\n".repeat(1_000));
    }

    static ConsumerRecord<byte[], byte[]> record(String topic, int partition, long offset, Header... headers) {
        return record(topic, partition, offset, bytes("key"), bytes("value"), headers);
    }

    static ConsumerRecord<byte[], byte[]> record(
            String topic,
            int partition,
            long offset,
            byte @Nullable [] key,
            byte @Nullable [] value,
            Header... headers) {
        return new ConsumerRecord<>(
                topic,
                partition,
                offset,
                ORIGINAL_TIMESTAMP,
                TimestampType.CREATE_TIME,
                0,
                0,
                key,
                value,
                new RecordHeaders(headers),
                Optional.empty());
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Each header as {@code key=value}. */
    static List<String> texts(Headers headers) {
        List<String> texts = new ArrayList<>();
        headers.forEach(header -> texts.add(header.key() + "=" + text(header)));
        return texts;
    }

    static String text(Header header) {
        return header.value() == null ? "null" : new String(header.value(), StandardCharsets.UTF_8);
    }
}
