package dev.onceward.dlq.topic;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** The records read last, up to a number of bytes. */
final class RecordCache {
    /** Enough for what lies between original order and that of the dead-letter topic, and for -Xmx128m. */
    private static final long MAX_BYTES = 16L * 1024 * 1024;
    /** What the objects of a record take, roughly. */
    private static final long OVERHEAD = 500;

    private final Map<Place, ConsumerRecord<byte[], byte[]>> records = new LinkedHashMap<>();
    private long bytes;

    @Nullable
    ConsumerRecord<byte[], byte[]> get(TopicPartition partition, long offset) {
        return records.get(new Place(partition, offset));
    }

    void put(ConsumerRecord<byte[], byte[]> record) {
        Place place = new Place(new TopicPartition(record.topic(), record.partition()), record.offset());
        ConsumerRecord<byte[], byte[]> before = records.remove(place);
        records.put(place, record);
        bytes += size(record) - (before == null ? 0 : size(before));
        Iterator<ConsumerRecord<byte[], byte[]>> oldest = records.values().iterator();
        // The newest stays, however large: it is the one that is asked for.
        while (bytes > MAX_BYTES && records.size() > 1) {
            bytes -= size(oldest.next());
            oldest.remove();
        }
    }

    private static long size(ConsumerRecord<byte[], byte[]> record) {
        long size = OVERHEAD + Math.max(0, record.serializedKeySize()) + Math.max(0, record.serializedValueSize());
        for (Header header : record.headers()) {
            size += header.key().length() + (header.value() == null ? 0 : header.value().length) + 50;
        }
        return size;
    }

    private record Place(TopicPartition partition, long offset) {}
}
