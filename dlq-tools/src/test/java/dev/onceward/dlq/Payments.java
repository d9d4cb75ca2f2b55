package dev.onceward.dlq;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onceward.config.ConsumerSettings;
import dev.onceward.config.RetryPolicy;
import dev.onceward.dlq.output.Terminal;
import dev.onceward.handler.MessageHandler;
import dev.onceward.handler.PermanentException;
import dev.onceward.migrations.Migrations;
import dev.onceward.runtime.ConsumerRuntime;
import dev.onceward.runtime.ConsumerRuntimeBuilder;
import dev.onceward.testsupport.Backends;
import dev.onceward.testsupport.KafkaServer;
import dev.onceward.testsupport.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;

/**
 * A consumer with topics and a database of its own on the shared servers, and the command pointed at them. Its effects are
 * rows of {@code entries}, a table without any key that could hide a double.
 */
final class Payments implements AutoCloseable {
    final String name;
    final String topic;
    final String deadLetterTopic;
    final String replayTopic;
    final String bootstrap;
    final PostgresServer postgres = Backends.shared().postgres();
    final String databaseName = postgres.createDatabase();
    final DataSource dataSource = postgres.dataSource(databaseName);
    private final Admin admin;
    private final KafkaProducer<byte[], byte[]> producer;
    private final List<Future<RecordMetadata>> sent = new ArrayList<>();
    private final List<String> topics = new ArrayList<>();
    private final List<ConsumerRuntime> workers = new ArrayList<>();
    private volatile Function<String, @Nullable RuntimeException> fault = id -> null;

    Payments(int partitions) {
        this(partitions, Backends.shared().kafka());
    }

    /** On a Kafka of the test's own. */
    Payments(int partitions, KafkaServer kafka) {
        this(partitions, kafka, "c" + UUID.randomUUID().toString().substring(0, 8));
    }

    private Payments(int partitions, KafkaServer kafka, String name) {
        this(partitions, kafka, name, "payments." + name);
    }

    /** With names that nobody else may have on this Kafka. */
    Payments(int partitions, KafkaServer kafka, String name, String topic) {
        this.name = name;
        this.topic = topic;
        this.deadLetterTopic = "dlq." + name + "." + topic;
        this.replayTopic = "replay." + name;
        this.bootstrap = kafka.bootstrapServers();
        this.admin = Admin.create(Map.of("bootstrap.servers", bootstrap));
        Migrations.apply(dataSource, "public");
        execute("CREATE TABLE entries (id bigserial PRIMARY KEY, message_id text, account text, amount text)");
        // One request at a time: a new topic's leader may refuse the first of several.
        Map<String, Object> properties =
                Map.of("bootstrap.servers", bootstrap, "max.in.flight.requests.per.connection", 1);
        this.producer = new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
        handle(topic, partitions);
        create(replayTopic, 2, Map.of());
    }

    /** Makes one more source topic with its dead-letter topic; workers started later read it, too. */
    void handle(String source, int partitions) {
        create(source, partitions, Map.of());
        create("dlq." + name + "." + source, partitions, Map.of());
        topics.add(source);
    }

    void create(String newTopic, int partitions, Map<String, String> configuration) {
        get(admin.createTopics(List.of(new NewTopic(newTopic, partitions, (short) 1).configs(configuration)))
                .all()
                .toCompletionStage()
                .toCompletableFuture());
    }

    /** From now on the broker takes no larger records for the replay topic. */
    void limitReplayTopic(int maxBytes) {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, replayTopic);
        AlterConfigOp limit = new AlterConfigOp(
                new ConfigEntry("max.message.bytes", String.valueOf(maxBytes)), AlterConfigOp.OpType.SET);
        get(admin.incrementalAlterConfigs(Map.of(resource, List.of(limit)))
                .all()
                .toCompletionStage()
                .toCompletableFuture());
    }

    /** As retention does: nothing is left in any partition. */
    void deleteRecords(String from) {
        Map<TopicPartition, RecordsToDelete> all = new HashMap<>();
        records(from)
                .forEach(record -> all.put(
                        new TopicPartition(from, record.partition()),
                        RecordsToDelete.beforeOffset(record.offset() + 1)));
        get(admin.deleteRecords(all).all().toCompletionStage().toCompletableFuture());
    }

    Admin admin() {
        return admin;
    }

    // ---- workers ----

    /** From now on messages with these ids fail for good. */
    void breakFor(Predicate<String> ids) {
        failWith(id -> ids.test(id) ? new PermanentException("no account of " + id) : null);
    }

    /** From now on a message fails with what this gives for its id; null: it does not. */
    void failWith(Function<String, @Nullable RuntimeException> newFault) {
        fault = newFault;
    }

    void startWorker() {
        MessageHandler<String, String> handler = (message, effect) -> {
            RuntimeException failure = fault.apply(message.id());
            if (failure != null) {
                throw failure;
            }
            effect.update(
                    "INSERT INTO entries (message_id, account, amount) VALUES (?, ?, ?)",
                    message.id(),
                    message.key(),
                    message.value());
        };
        ConsumerRuntimeBuilder worker = ConsumerRuntime.named(name)
                .bootstrapServers(bootstrap)
                .database(postgres.jdbcUrl(databaseName), postgres.user(), postgres.password())
                .retry(new RetryPolicy(2, Duration.ofMillis(10), Duration.ofMillis(50)))
                .concurrency(new ConsumerSettings.Concurrency(4, 100, Duration.ofSeconds(5)))
                .lease(new ConsumerSettings.Lease(Duration.ofMillis(200), Duration.ofSeconds(2)));
        topics.forEach(source -> worker.handle(source, new StringDeserializer(), new StringDeserializer(), handler));
        workers.add(worker.start());
    }

    void stopWorkers() {
        workers.forEach(ConsumerRuntime::close);
        workers.clear();
    }

    // ---- messages ----

    void send(@Nullable String key, String id, String value) {
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(topic, key == null ? null : key.getBytes(UTF_8), value.getBytes(UTF_8));
        record.headers().add("message-id", id.getBytes(UTF_8));
        send(record);
    }

    void send(ProducerRecord<byte[], byte[]> record) {
        sent.add(producer.send(record));
    }

    void flush() {
        producer.flush();
        sent.forEach(Payments::get);
        sent.clear();
    }

    /** Sends messages {@code m0}… of some accounts, lets them all fail, and mends what was broken. */
    void deadLetters(int count, int accounts) {
        breakFor(id -> true);
        for (int i = 0; i < count; i++) {
            send("account-" + i % accounts, "m" + i, String.valueOf(i));
        }
        flush();
        if (workers.isEmpty()) {
            startWorker();
        }
        await().until(() -> count("SELECT count(*) FROM dead_letters WHERE status = 'DEAD'") == count);
        breakFor(id -> false);
    }

    /** Everything that a topic holds. */
    List<ConsumerRecord<byte[], byte[]>> records(String from) {
        Map<String, Object> properties = Map.of("bootstrap.servers", bootstrap, "isolation.level", "read_committed");
        try (KafkaConsumer<byte[], byte[]> reader =
                new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = reader.partitionsFor(from).stream()
                    .map(info -> new TopicPartition(from, info.partition()))
                    .toList();
            reader.assign(partitions);
            reader.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = reader.endOffsets(partitions);
            List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
            while (ends.entrySet().stream().anyMatch(end -> reader.position(end.getKey()) < end.getValue())) {
                reader.poll(Duration.ofMillis(100)).forEach(records::add);
            }
            return records;
        }
    }

    // ---- the command ----

    /** Runs the command with no terminal at all. */
    Runs.Run dlq(String... arguments) {
        return Runs.dlq(environment(), Terminal.NONE, "", arguments);
    }

    Runs.Run dlq(Terminal terminal, String input, String... arguments) {
        return Runs.dlq(environment(), terminal, input, arguments);
    }

    Map<String, String> environment() {
        Map<String, String> environment = new HashMap<>();
        environment.put("DLQ_BOOTSTRAP_SERVER", bootstrap);
        environment.put("DLQ_DB_URL", postgres.jdbcUrl(databaseName));
        environment.put("DLQ_DB_USER", postgres.user());
        environment.put("PGPASSWORD", postgres.password());
        environment.put("DLQ_CONSUMER", name);
        return environment;
    }

    // ---- what is there ----

    long count(String sql, Object... arguments) {
        return Long.parseLong(texts(sql, arguments).get(0));
    }

    List<String> texts(String sql, Object... arguments) {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < arguments.length; i++) {
                statement.setObject(i + 1, arguments[i]);
            }
            List<String> texts = new ArrayList<>();
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    texts.add(row.getString(1));
                }
            }
            return texts;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    void execute(String sql) {
        try (Connection connection = dataSource.getConnection();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    long entries() {
        return count("SELECT count(*) FROM entries");
    }

    long distinctEntries() {
        return count("SELECT count(DISTINCT message_id) FROM entries");
    }

    List<String> entriesOf(String account) {
        return texts("SELECT message_id FROM entries WHERE account = ? ORDER BY id", account);
    }

    List<String> statuses(String id) {
        return texts("SELECT status FROM dead_letters WHERE message_id = ? ORDER BY dead_at", id);
    }

    static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(20));
    }

    private static <T> T get(Future<T> future) {
        try {
            return future.get();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        stopWorkers();
        producer.close(Duration.ofSeconds(5));
        admin.close(Duration.ofSeconds(5));
    }
}
