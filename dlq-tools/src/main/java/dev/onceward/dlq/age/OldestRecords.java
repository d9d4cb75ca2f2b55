package dev.onceward.dlq.age;

import dev.onceward.dlq.connect.Connections;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** Reads the first committed record at or after an offset, in many partitions at once. For one thread. */
final class OldestRecords {
    private static final Duration POLL = Duration.ofMillis(200);
    private static final long PATIENCE_NANOS = Duration.ofSeconds(30).toNanos();

    private final Connections connections;
    private final Consumer<byte[], byte[]> consumer;

    OldestRecords(Connections connections) {
        this.connections = connections;
        connections.admin(); // a consumer waits for ever where there is no Kafka
        this.consumer = connections.newConsumer();
    }

    /**
     * Their timestamps. Empty: there is none before the end. Absent: it could not be read in time.
     *
     * @param from where to begin
     * @param ends the last stable offsets: what lies beyond is not decided, and no worker may see it
     */
    Map<TopicPartition, OptionalLong> read(Map<TopicPartition, Long> from, Map<TopicPartition, Long> ends) {
        Map<TopicPartition, OptionalLong> found = new HashMap<>();
        Set<TopicPartition> open = new HashSet<>();
        from.forEach((partition, offset) -> {
            if (offset < ends.getOrDefault(partition, 0L)) {
                open.add(partition);
            } else {
                found.put(partition, OptionalLong.empty());
            }
        });
        try {
            consumer.assign(open);
            open.forEach(partition -> consumer.seek(partition, from.getOrDefault(partition, 0L)));
            long started = System.nanoTime();
            while (!open.isEmpty() && System.nanoTime() - started < PATIENCE_NANOS) {
                poll(open, ends, found);
                open.removeAll(found.keySet());
                consumer.assign(open);
            }
            consumer.unsubscribe();
            return found;
        } catch (KafkaException e) {
            throw connections.kafkaFailure(e);
        }
    }

    private void poll(
            Set<TopicPartition> open, Map<TopicPartition, Long> ends, Map<TopicPartition, OptionalLong> found) {
        try {
            ConsumerRecords<byte[], byte[]> polled = consumer.poll(POLL);
            for (TopicPartition partition : open) {
                List<ConsumerRecord<byte[], byte[]>> records = polled.records(partition);
                if (!records.isEmpty()) {
                    found.put(partition, OptionalLong.of(records.get(0).timestamp()));
                } else if (consumer.position(partition) >= ends.getOrDefault(partition, 0L)) {
                    // Only transaction markers, aborted records and what compaction left out.
                    found.put(partition, OptionalLong.empty());
                }
            }
        } catch (OffsetOutOfRangeException e) {
            // Retention was quicker. What it left is the oldest now.
            consumer.seekToBeginning(e.offsetOutOfRangePartitions().keySet());
        }
    }
}
