package dev.onceward.testsupport.guarantees;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads topics from their beginning to where they ended when it began. */
final class TopicScan {
    private static final Duration POLL = Duration.ofMillis(200);
    private static final long PATIENCE_NANOS = Duration.ofMinutes(1).toNanos();

    private final ObservedConsumer consumer;

    TopicScan(ObservedConsumer consumer) {
        this.consumer = consumer;
    }

    /** Hands over every record of a transaction that committed, or of none. */
    void read(Collection<String> topics, Consumer<ConsumerRecord<byte[], byte[]>> taker) {
        Map<String, Object> properties = consumer.kafkaWith(
                Map.of("isolation.level", "read_committed", "enable.auto.commit", false, "auto.offset.reset", "none"));
        try (KafkaConsumer<byte[], byte[]> reader =
                new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = new ArrayList<>();
            for (String topic : topics) {
                reader.partitionsFor(topic)
                        .forEach(info -> partitions.add(new TopicPartition(topic, info.partition())));
            }
            reader.assign(partitions);
            reader.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = reader.endOffsets(partitions);
            long heard = System.nanoTime();
            while (ends.entrySet().stream().anyMatch(end -> reader.position(end.getKey()) < end.getValue())) {
                for (ConsumerRecord<byte[], byte[]> record : reader.poll(POLL)) {
                    heard = System.nanoTime();
                    taker.accept(record);
                }
                if (System.nanoTime() - heard > PATIENCE_NANOS) {
                    throw new IllegalStateException("Kafka gave no record of " + topics + " for a minute");
                }
            }
        }
    }
}
