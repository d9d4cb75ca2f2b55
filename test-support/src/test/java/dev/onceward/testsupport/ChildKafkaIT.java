package dev.onceward.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

/** One broker and one test for the whole of its life: a start takes seconds. */
class ChildKafkaIT {

    private static final String TOPIC = "kept";

    @Test
    void livesThroughKillStopAndFreezeWithItsRecords() throws Exception {
        try (ChildKafka server = timed("start", ChildKafka::start)) {
            createTopic(server);
            try (Producer<String, String> producer = producer(server)) {
                send(producer, "before the kill").get(20, TimeUnit.SECONDS);

                long pid = server.pid();
                server.kill();
                assertThat(server.isAlive()).isFalse();
                timed("restart after kill", () -> {
                    server.restart();
                    return server;
                });
                assertThat(server.pid()).isNotEqualTo(pid);
                send(producer, "after the kill").get(20, TimeUnit.SECONDS);

                timed("orderly restart", () -> {
                    server.restart();
                    return server;
                });
                send(producer, "after the stop").get(20, TimeUnit.SECONDS);

                server.freeze();
                Future<RecordMetadata> unanswered = send(producer, "while frozen");
                assertThatThrownBy(() -> unanswered.get(300, TimeUnit.MILLISECONDS))
                        .isInstanceOf(TimeoutException.class);
                server.unfreeze();
                unanswered.get(20, TimeUnit.SECONDS);
            }
            assertThat(values(server))
                    .containsExactly("before the kill", "after the kill", "after the stop", "while frozen");
        }
    }

    @Test
    void wrongSettingIsToldWithKafkasOwnWords() {
        assertThatThrownBy(() -> ChildKafka.start(KafkaOptions.defaults().with("num.io.threads", "none")))
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("num.io.threads");
        assertThatThrownBy(
                        () -> ChildKafka.start(KafkaOptions.defaults().with("log.cleaner.dedupe.buffer.size", "1024")))
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("log.cleaner.dedupe.buffer.size");
    }

    private static <T> T timed(String what, java.util.function.Supplier<T> action) {
        long start = System.nanoTime();
        T result = action.get();
        System.err.printf("Kafka child, %s: %d ms%n", what, (System.nanoTime() - start) / 1_000_000);
        return result;
    }

    private static void createTopic(KafkaServer server) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", server.bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1))).all().get(20, TimeUnit.SECONDS);
        }
    }

    private static Producer<String, String> producer(KafkaServer server) {
        return new KafkaProducer<>(
                Map.of("bootstrap.servers", server.bootstrapServers()), new StringSerializer(), new StringSerializer());
    }

    private static Future<RecordMetadata> send(Producer<String, String> producer, String value) {
        return producer.send(new ProducerRecord<>(TOPIC, value));
    }

    private static List<String> values(KafkaServer server) {
        TopicPartition partition = new TopicPartition(TOPIC, 0);
        try (Consumer<String, String> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", server.bootstrapServers()),
                new StringDeserializer(),
                new StringDeserializer())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long end = consumer.endOffsets(List.of(partition)).get(partition);
            List<String> values = new ArrayList<>();
            while (consumer.position(partition) < end) {
                consumer.poll(Duration.ofMillis(200)).forEach(record -> values.add(record.value()));
            }
            return values;
        }
    }
}
