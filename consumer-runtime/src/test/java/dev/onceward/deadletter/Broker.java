package dev.onceward.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.config.KafkaClientProperties;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A real broker, seen from a test: topics, producers as the runtime makes them, and what stands in a topic. */
final class Broker implements AutoCloseable {
    private final String bootstrapServers;
    private final Admin admin;
    private final KafkaConsumer<byte[], byte[]> consumer;

    Broker(String bootstrapServers) {
        this.bootstrapServers = bootstrapServers;
        this.admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers));
        this.consumer = new KafkaConsumer<>(
                Map.of(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
    }

    Admin admin() {
        return admin;
    }

    /** A name nobody else uses. */
    static String unique(String name) {
        return name + "-" + UUID.randomUUID().toString().substring(0, 8);
    }

    void create(String topic, int partitions, Map<String, String> configs) throws Exception {
        admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1).configs(configs)))
                .all()
                .get(30, TimeUnit.SECONDS);
    }

    /** As the runtime makes it, but more impatient. */
    Producer<byte[], byte[]> producer(Map<String, Object> more) {
        Map<String, Object> properties = new HashMap<>(new KafkaClientProperties(
                        TopicFixtures.settings(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers), "test")
                .producer());
        properties.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, 1_000L);
        properties.putAll(more);
        return new KafkaProducer<>(properties);
    }

    /** The record at these coordinates. */
    ConsumerRecord<byte[], byte[]> read(Publisher.PublishedAt at) {
        TopicPartition partition = new TopicPartition(at.topic(), at.partition());
        consumer.assign(List.of(partition));
        consumer.seek(partition, at.offset());
        ConsumerRecord<byte[], byte[]> record =
                consumer.poll(Duration.ofSeconds(20)).iterator().next();
        assertThat(record.offset()).isEqualTo(at.offset());
        return record;
    }

    /** How many records a topic holds. */
    long count(String topic) {
        List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                .map(info -> new TopicPartition(topic, info.partition()))
                .toList();
        return consumer.endOffsets(partitions).values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    @Override
    public void close() {
        consumer.close(CloseOptions.timeout(Duration.ofSeconds(5)));
        admin.close(Duration.ofSeconds(5));
    }
}
