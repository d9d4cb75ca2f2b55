package dev.onceward.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.SettingKeys;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KafkaClientPropertiesTest {

    @Test
    void theConsumersDefaults() {
        assertThat(of(TestSettings.defaults()).consumer())
                .containsExactlyInAnyOrderEntriesOf(Map.ofEntries(
                        Map.entry("bootstrap.servers", "localhost:1"),
                        Map.entry("client.id", "billing-w1"),
                        Map.entry("group.id", "billing"),
                        Map.entry("enable.auto.commit", false),
                        Map.entry("isolation.level", "read_committed"),
                        Map.entry("auto.offset.reset", "none"),
                        Map.entry("allow.auto.create.topics", false),
                        Map.entry("key.deserializer", ByteArrayDeserializer.class),
                        Map.entry("value.deserializer", ByteArrayDeserializer.class),
                        Map.entry("partition.assignment.strategy", CooperativeStickyAssignor.class.getName()),
                        Map.entry("max.poll.records", 500),
                        Map.entry("fetch.max.bytes", 12 << 20),
                        Map.entry("max.partition.fetch.bytes", 1 << 20)));
    }

    @Test
    void theProducersDefaults() {
        assertThat(of(TestSettings.defaults()).producer())
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "bootstrap.servers",
                        "localhost:1",
                        "client.id",
                        "billing-w1",
                        "acks",
                        "all",
                        "enable.idempotence",
                        true,
                        "key.serializer",
                        ByteArraySerializer.class,
                        "value.serializer",
                        ByteArraySerializer.class,
                        "linger.ms",
                        5L,
                        "max.block.ms",
                        10_000L,
                        "max.in.flight.requests.per.connection",
                        1,
                        "max.request.size",
                        32 << 20));
    }

    @Test
    void theAdminsDefaults() {
        assertThat(of(TestSettings.defaults()).admin())
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of("bootstrap.servers", "localhost:1", "client.id", "billing-w1"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"consumer", "CONSUMER", "Consumer"})
    void theConsumerProtocolGetsNothingThatItRefuses(String protocol) {
        Map<String, Object> properties =
                of(TestSettings.kafka("group.protocol", protocol)).consumer();
        assertThat(properties)
                .doesNotContainKeys("partition.assignment.strategy", "session.timeout.ms", "heartbeat.interval.ms")
                .containsEntry("group.protocol", protocol);
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void kafkasClientsTakeThem(String protocol) {
        KafkaClientProperties properties = of(TestSettings.kafka("group.protocol", protocol));
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(properties.consumer());
                KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(properties.producer());
                Admin admin = Admin.create(properties.admin())) {
            consumer.close(org.apache.kafka.clients.consumer.CloseOptions.timeout(Duration.ZERO));
            producer.close(Duration.ZERO);
            admin.close(Duration.ZERO);
        }
    }

    @Test
    void kafkasClientsKnowEachOfThem() {
        KafkaClientProperties properties = of(TestSettings.defaults());
        assertThat(KafkaClient.CONSUMER.definition().names())
                .containsAll(properties.consumer().keySet());
        assertThat(KafkaClient.PRODUCER.definition().names())
                .containsAll(properties.producer().keySet());
        assertThat(KafkaClient.ADMIN.definition().names())
                .containsAll(properties.admin().keySet());
    }

    @Test
    void whatTheTeamSetsWins() {
        KafkaClientProperties properties = of(TestSettings.kafka(
                "client.id", "mine",
                "max.poll.records", "7",
                "max.partition.fetch.bytes", "4242",
                "fetch.max.bytes", "777777",
                "partition.assignment.strategy", "org.example.Mine",
                "linger.ms", "0",
                "max.request.size", "1000",
                "max.block.ms", "99"));
        assertThat(properties.consumer())
                .containsEntry("client.id", "mine")
                .containsEntry("max.poll.records", "7")
                .containsEntry("max.partition.fetch.bytes", "4242")
                .containsEntry("fetch.max.bytes", "777777")
                .containsEntry("partition.assignment.strategy", "org.example.Mine");
        assertThat(properties.producer())
                .containsEntry("linger.ms", "0")
                .containsEntry("max.request.size", "1000")
                .containsEntry("max.block.ms", "99");
    }

    @Test
    void whatTheGuaranteesNeedWinsOverAll() {
        KafkaClientProperties properties = of(TestSettings.kafka(
                "consumer.enable.auto.commit", "true",
                "isolation.level", "read_uncommitted",
                "auto.offset.reset", "latest",
                "group.id", "other",
                "producer.acks", "1",
                "enable.idempotence", "false"));
        assertThat(properties.consumer())
                .containsEntry("enable.auto.commit", false)
                .containsEntry("isolation.level", "read_committed")
                .containsEntry("auto.offset.reset", "none")
                .containsEntry("group.id", "billing");
        assertThat(properties.producer()).containsEntry("acks", "all").containsEntry("enable.idempotence", true);
    }

    @Test
    void prefixesReachOneClientOnlyAndWin() {
        KafkaClientProperties properties = of(TestSettings.kafka(
                "request.timeout.ms", "1",
                "consumer.request.timeout.ms", "2",
                "admin.request.timeout.ms", "3",
                "producer.batch.size", "4"));
        assertThat(properties.consumer()).containsEntry("request.timeout.ms", "2");
        assertThat(properties.producer())
                .containsEntry("request.timeout.ms", "1")
                .containsEntry("batch.size", "4");
        assertThat(properties.admin()).containsEntry("request.timeout.ms", "3");
        assertThat(properties.consumer()).doesNotContainKeys("batch.size", "producer.batch.size");
        assertThat(properties.producer()).doesNotContainKeys("producer.batch.size", "admin.request.timeout.ms");
    }

    @Test
    void withoutPrefixAPropertyReachesTheClientsThatKnowItOrElseAll() {
        KafkaClientProperties properties = of(TestSettings.kafka(
                "security.protocol", "SSL",
                "fetch.min.bytes", "1",
                "compression.type", "zstd",
                "my.login.module.url", "x"));
        assertThat(properties.consumer()).containsKeys("security.protocol", "fetch.min.bytes", "my.login.module.url");
        assertThat(properties.consumer()).doesNotContainKey("compression.type");
        assertThat(properties.producer()).containsKeys("security.protocol", "compression.type", "my.login.module.url");
        assertThat(properties.producer()).doesNotContainKey("fetch.min.bytes");
        assertThat(properties.admin()).containsKeys("security.protocol", "my.login.module.url");
        assertThat(properties.admin()).doesNotContainKeys("compression.type", "fetch.min.bytes");
    }

    @Test
    void fetchesAreHalfOfTheBoundsAndNeverAboveKafkasDefault() {
        assertThat(of(TestSettings.with(SettingKeys.BACKPRESSURE_PARTITION_BYTES, "1MiB")
                                .and(SettingKeys.BACKPRESSURE_WORKER_BYTES, "4MiB")
                                .and(SettingKeys.BACKPRESSURE_WORKER_MESSAGES, "300")
                                .build())
                        .consumer())
                .containsEntry("max.partition.fetch.bytes", 512 << 10)
                .containsEntry("fetch.max.bytes", 2 << 20)
                .containsEntry("max.poll.records", 300);
        assertThat(of(TestSettings.with(SettingKeys.BACKPRESSURE_PARTITION_BYTES, "1GiB")
                                .and(SettingKeys.BACKPRESSURE_WORKER_BYTES, "64GiB")
                                .and(SettingKeys.BACKPRESSURE_WORKER_MESSAGES, "1000000")
                                .build())
                        .consumer())
                .containsEntry("max.partition.fetch.bytes", 1 << 20)
                .containsEntry("fetch.max.bytes", 50 << 20)
                .containsEntry("max.poll.records", 500);
    }

    @Test
    void kafkasDefaultsThatWeLeaveAreWhatWeThinkTheyAre() {
        Map<String, Object> producer = KafkaClient.PRODUCER.definition().defaultValues();
        assertThat(producer)
                .containsEntry("delivery.timeout.ms", 120_000)
                .containsEntry("max.in.flight.requests.per.connection", 5)
                .containsEntry("retries", Integer.MAX_VALUE);
        assertThat(KafkaClient.CONSUMER.definition().defaultValues())
                .containsEntry(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, 300_000)
                .containsEntry(ConsumerConfig.GROUP_PROTOCOL_CONFIG, "classic");
    }

    private static KafkaClientProperties of(ConsumerSettings settings) {
        return new KafkaClientProperties(settings, "billing-w1");
    }
}
