package dev.onceward.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RecordSizeTest {

    @Test
    void aRecordWithoutAnyBytesIsNotNothing() {
        assertThat(RecordSize.of(record(null, null, new RecordHeaders()))).isEqualTo(RecordSize.OF_RECORD);
        assertThat(RecordSize.of(record(new byte[0], new byte[0], new RecordHeaders())))
                .isEqualTo(RecordSize.OF_RECORD);
    }

    @Test
    void keyAndValueCount() {
        assertThat(RecordSize.of(record(new byte[7], new byte[1_000], new RecordHeaders())))
                .isEqualTo(RecordSize.OF_RECORD + 1_007);
    }

    @Test
    void eachHeaderCountsWithItsNameAndItsValue() {
        RecordHeaders headers = new RecordHeaders();
        headers.add("trace", new byte[60_000]).add("trace", new byte[1]).add("empty", null);
        assertThat(RecordSize.of(record(new byte[1], null, headers)))
                .isEqualTo(RecordSize.OF_RECORD + 1 + 3 * (RecordSize.OF_HEADER + 5) + 60_001);
    }

    private static ConsumerRecord<byte[], byte[]> record(
            byte @Nullable [] key, byte @Nullable [] value, RecordHeaders headers) {
        return new ConsumerRecord<>(
                "payments", 0, 0, 0, TimestampType.CREATE_TIME, -1, -1, key, value, headers, Optional.empty());
    }
}
