package dev.onceward.config;

import static dev.onceward.config.KafkaClient.CONSUMER;
import static dev.onceward.config.KafkaClient.PRODUCER;

import dev.onceward.catalog.SettingKeys;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;

/** Which properties of Kafka's clients would break which guarantee. */
final class KafkaGuarantees {
    private static final String BY_HANDLER = "deserializers are given together with a topic's handler";
    private static final String BYTE_FOR_BYTE = "dead letters are published byte for byte; leave it out";
    private static final String BY_BROKER = "with group.protocol=consumer the broker decides this; leave it out";
    private static final String UNSEEN =
            "an interceptor can drop or change records unseen: messages would be lost, dead letters altered";

    private KafkaGuarantees() {}

    static Stream<KafkaRule> rules(ConsumerSettings settings, boolean consumerProtocol) {
        return Stream.of(
                        consumer(settings),
                        producer(),
                        consumerProtocol ? underConsumerProtocol() : underClassicProtocol())
                .flatMap(List::stream);
    }

    private static List<KafkaRule> consumer(ConsumerSettings settings) {
        return List.of(
                KafkaRule.only(
                        CONSUMER,
                        ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                        "false",
                        "offsets are committed only behind finished messages, or messages are lost; leave it out"),
                KafkaRule.only(
                        CONSUMER,
                        ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                        "read_committed",
                        "records of aborted transactions would take effect; leave it out"),
                KafkaRule.never(
                        CONSUMER,
                        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                        "Kafka would skip messages when an offset is missing; set " + SettingKeys.START_POSITION
                                + ", which holds only for partitions never seen before"),
                KafkaRule.only(
                        CONSUMER,
                        ConsumerConfig.GROUP_ID_CONFIG,
                        settings.groupId(),
                        "set " + SettingKeys.GROUP_ID + " instead"),
                KafkaRule.never(CONSUMER, ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, BY_HANDLER),
                KafkaRule.never(CONSUMER, ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, BY_HANDLER),
                KafkaRule.only(
                        CONSUMER,
                        ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
                        "false",
                        "a misspelt topic would be created and waited for; create topics before, or set "
                                + SettingKeys.DEAD_LETTERS_CREATE_ENABLED),
                KafkaRule.only(CONSUMER, ConsumerConfig.INTERCEPTOR_CLASSES_CONFIG, "", UNSEEN),
                KafkaRule.inRange(
                        CONSUMER,
                        ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                        Long.MIN_VALUE,
                        settings.backpressure().workerMessages(),
                        "one poll would bring more than " + SettingKeys.BACKPRESSURE_WORKER_MESSAGES + " allows"));
    }

    private static List<KafkaRule> producer() {
        return List.of(
                KafkaRule.only(
                        PRODUCER,
                        ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
                        "true",
                        "dead letters would be doubled by the producer's own retries; leave it out"),
                new KafkaRule(
                        PRODUCER,
                        ProducerConfig.ACKS_CONFIG,
                        value -> value.equals("all") || value.equals("-1"),
                        "an acknowledged dead letter could be lost with one broker; leave it out"),
                KafkaRule.never(
                        PRODUCER,
                        ProducerConfig.TRANSACTIONAL_ID_CONFIG,
                        "dead letters are not published in Kafka transactions; leave it out"),
                KafkaRule.never(PRODUCER, ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, BYTE_FOR_BYTE),
                KafkaRule.never(PRODUCER, ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, BYTE_FOR_BYTE),
                KafkaRule.only(PRODUCER, ProducerConfig.INTERCEPTOR_CLASSES_CONFIG, "", UNSEEN),
                KafkaRule.inRange(
                        PRODUCER,
                        ProducerConfig.RETRIES_CONFIG,
                        1,
                        Long.MAX_VALUE,
                        "idempotence needs retries; leave it out"),
                KafkaRule.inRange(
                        PRODUCER,
                        ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION,
                        1,
                        5,
                        "idempotence holds for at most 5 requests in flight"));
    }

    /** What Kafka itself refuses, said here so that it is said together with the rest and before a client is made. */
    private static List<KafkaRule> underConsumerProtocol() {
        return List.of(
                KafkaRule.never(CONSUMER, ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG, BY_BROKER),
                KafkaRule.never(CONSUMER, ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, BY_BROKER),
                KafkaRule.never(CONSUMER, ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, BY_BROKER));
    }

    private static List<KafkaRule> underClassicProtocol() {
        return List.of(KafkaRule.never(
                CONSUMER, ConsumerConfig.GROUP_REMOTE_ASSIGNOR_CONFIG, "needs group.protocol=consumer"));
    }
}
