package dev.onceward.handler;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

/** Raw records for tests of extractors. */
final class RecordWith {
    private RecordWith() {}

    static ConsumerRecord<byte[], byte[]> headers(String... namesAndValues) {
        Headers headers = new RecordHeaders();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            headers.add(namesAndValues[i], namesAndValues[i + 1].getBytes(UTF_8));
        }
        return of(null, null, headers);
    }

    static ConsumerRecord<byte[], byte[]> header(String name, byte[] value) {
        return of(null, null, new RecordHeaders().add(name, value));
    }

    static ConsumerRecord<byte[], byte[]> key(byte[] key) {
        return of(key, null, new RecordHeaders());
    }

    static ConsumerRecord<byte[], byte[]> value(byte[] value) {
        return of(null, value, new RecordHeaders());
    }

    private static ConsumerRecord<byte[], byte[]> of(byte[] key, byte[] value, Headers headers) {
        return new ConsumerRecord<>(
                "orders", 3, 42, 0, TimestampType.CREATE_TIME, -1, -1, key, value, headers, Optional.empty());
    }
}
