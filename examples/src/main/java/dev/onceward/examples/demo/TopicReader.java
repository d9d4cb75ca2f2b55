package dev.onceward.examples.demo;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads a topic from its beginning to what is its end at the start of reading. */
final class TopicReader {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final String bootstrapServers;

    TopicReader(String bootstrapServers) {
        this.bootstrapServers = bootstrapServers;
    }

    void forEach(String topic, Consumer<ConsumerRecord<byte[], byte[]>> reader) {
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrapServers, "client.id", "demo-verdict"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(partition -> new TopicPartition(partition.topic(), partition.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
                    reader.accept(record);
                    deadline = System.nanoTime() + PATIENCE.toNanos();
                }
                if (System.nanoTime() - deadline > 0) {
                    throw new DemoException("Topic " + topic + " could not be read to its end");
                }
            }
        }
    }
}
