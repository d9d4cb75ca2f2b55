package dev.onceward.testsupport;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BackendsIT {

    @Test
    void sharedServersAreThereQuicklyAndOnlyOnce() {
        long start = System.nanoTime();
        KafkaServer kafka = Backends.shared().kafka();
        long kafkaMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        PostgresServer postgres = Backends.shared().postgres();
        long bothMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        System.err.printf("Kafka after %d ms, both after %d ms%n", kafkaMillis, bothMillis);

        assertThat(Backends.shared().kafka().bootstrapServers()).isEqualTo(kafka.bootstrapServers());
        assertThat(Backends.sharedPostgres().port()).isEqualTo(postgres.port());
    }

    @Test
    void closingTheSharedServersHasNoEffect() throws Exception {
        Backends.shared().close();
        Backends.sharedPostgres().close();

        PostgresServer postgres = Backends.shared().postgres();
        try (var connection = postgres.dataSource(postgres.createDatabase()).getConnection()) {
            assertThat(connection.isValid(5)).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void kafkaServesBothGroupProtocols(String protocol) throws Exception {
        String brokers = Backends.shared().kafka().bootstrapServers();
        String topic = "topic-" + UUID.randomUUID();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", brokers))) {
            admin.createTopics(List.of(new NewTopic(topic, 2, (short) 1))).all().get(10, TimeUnit.SECONDS);
        }
        try (Producer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", brokers, "transactional.id", "tx-" + topic),
                new StringSerializer(),
                new StringSerializer())) {
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(topic, "key", "aborted")).get(10, TimeUnit.SECONDS);
            producer.abortTransaction();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(topic, "key", "committed")).get(10, TimeUnit.SECONDS);
            producer.commitTransaction();
        }
        try (Consumer<String, String> consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        brokers,
                        "group.id",
                        "group-" + topic,
                        "group.protocol",
                        protocol,
                        "auto.offset.reset",
                        "earliest",
                        "isolation.level",
                        "read_committed"),
                new StringDeserializer(),
                new StringDeserializer())) {
            consumer.subscribe(List.of(topic));
            ConsumerRecords<String, String> records = ConsumerRecords.empty();
            long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
            while (records.isEmpty() && System.nanoTime() < deadline) {
                records = consumer.poll(Duration.ofMillis(200));
            }
            assertThat(records).extracting(record -> record.value()).containsExactly("committed");
        }
    }

    @Test
    void databasesAreApart() throws Exception {
        PostgresServer postgres = Backends.sharedPostgres();
        String first = postgres.createDatabase();
        String second = postgres.createDatabase();
        assertThat(first).isNotEqualTo(second);
        for (String database : List.of(first, second)) {
            try (var connection = postgres.dataSource(database).getConnection();
                    var statement = connection.createStatement()) {
                statement.execute("CREATE TABLE only_here (id int)");
            }
        }
        assertThat(postgres.serverVersion()).matches("\\d+\\.\\d+.*");
    }
}
