package dev.onceward.config;

import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The properties of the Kafka clients: what the guarantees need, which nobody can change; then what the team passes
 * through; then Onceward's defaults where they differ from Kafka's. Immutable.
 */
public final class KafkaClientProperties {
    private static final int FETCH_MAX_BYTES = ConsumerConfig.DEFAULT_FETCH_MAX_BYTES;
    private static final int MAX_PARTITION_FETCH_BYTES = ConsumerConfig.DEFAULT_MAX_PARTITION_FETCH_BYTES;
    private static final int MAX_POLL_RECORDS = ConsumerConfig.DEFAULT_MAX_POLL_RECORDS;
    static final long KAFKAS_MAX_POLL_INTERVAL_MS = 300_000;

    private static final int MAX_REQUEST_SIZE = 32 << 20;
    private static final long MAX_BLOCK_MS = 10_000;
    private static final long LINGER_MS = 5;

    private final ConsumerSettings settings;
    private final String clientId;

    /**
     * Properties for the clients of one worker.
     *
     * @param settings validated settings
     * @param clientId {@code client.id} where the team does not pass one through
     */
    public KafkaClientProperties(ConsumerSettings settings, String clientId) {
        this.settings = settings;
        this.clientId = clientId;
    }

    /** For the consumer of raw records. */
    public Map<String, Object> consumer() {
        ConsumerSettings.Backpressure bounds = settings.backpressure();
        Map<String, Object> properties = new HashMap<>();
        properties.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, Math.min(MAX_POLL_RECORDS, bounds.workerMessages()));
        // Half of the bounds: one fetch can be processed while the next one is on its way.
        properties.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, half(bounds.workerBytes(), FETCH_MAX_BYTES));
        properties.put(
                ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG,
                half(bounds.partitionBytes(), MAX_PARTITION_FETCH_BYTES));
        if (!usesConsumerProtocol()) {
            // Partitions that stay are not taken away for the time of a rebalance. The new protocol's broker does it
            // by itself, and its consumer refuses this property.
            properties.put(
                    ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG, CooperativeStickyAssignor.class.getName());
        }
        pass(KafkaClient.CONSUMER, properties);

        properties.put(ConsumerConfig.GROUP_ID_CONFIG, settings.groupId());
        properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        properties.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        properties.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        return Map.copyOf(properties);
    }

    /** For the producer of dead letters. */
    public Map<String, Object> producer() {
        Map<String, Object> properties = new HashMap<>();
        properties.put(ProducerConfig.LINGER_MS_CONFIG, LINGER_MS);
        // How long send() may stand still for want of metadata or memory.
        properties.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, MAX_BLOCK_MS);
        // What could be read must be publishable: not this limit but that of the dead-letter topic shall decide.
        properties.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, MAX_REQUEST_SIZE);
        // With more, a burst into a topic just created crawls: its leader is not ready for the first batch, takes the
        // second, and then finds the first one out of sequence again and again.
        properties.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
        pass(KafkaClient.PRODUCER, properties);

        properties.put(ProducerConfig.ACKS_CONFIG, "all");
        properties.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        properties.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        properties.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        return Map.copyOf(properties);
    }

    /** For the admin client that checks and creates topics. */
    public Map<String, Object> admin() {
        Map<String, Object> properties = new HashMap<>();
        pass(KafkaClient.ADMIN, properties);
        return Map.copyOf(properties);
    }

    /** Whether the group is managed by the broker ({@code group.protocol=consumer}) and not by the classic protocol. */
    public boolean usesConsumerProtocol() {
        String protocol = KafkaClient.CONSUMER.select(settings.kafka()).get(ConsumerConfig.GROUP_PROTOCOL_CONFIG);
        return protocol != null && protocol.trim().toLowerCase(Locale.ROOT).equals("consumer");
    }

    /** How long the group waits for a consumer that does not poll, before it takes its partitions. */
    public Duration maxPollInterval() {
        String given = KafkaClient.CONSUMER.select(settings.kafka()).get(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG);
        return Duration.ofMillis(
                given == null
                        ? KAFKAS_MAX_POLL_INTERVAL_MS
                        : KafkaRule.number(given).orElse(KAFKAS_MAX_POLL_INTERVAL_MS));
    }

    private void pass(KafkaClient client, Map<String, Object> properties) {
        properties.put(CommonClientConfigs.CLIENT_ID_CONFIG, clientId);
        properties.putAll(client.select(settings.kafka()));
    }

    private static int half(long bound, int atMost) {
        return (int) Math.max(1, Math.min(bound / 2, atMost));
    }
}
