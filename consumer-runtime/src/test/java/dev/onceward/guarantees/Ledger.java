package dev.onceward.guarantees;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onceward.config.ConsumerSettings;
import dev.onceward.config.RetryPolicy;
import dev.onceward.handler.MessageHandler;
import dev.onceward.migrations.Migrations;
import dev.onceward.runtime.ConsumerRuntime;
import dev.onceward.runtime.ConsumerRuntimeBuilder;
import dev.onceward.testsupport.Backends;
import dev.onceward.testsupport.PgBouncer;
import dev.onceward.testsupport.PostgresServer;
import dev.onceward.testsupport.guarantees.ObservedConsumer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;

/**
 * A consumer with a topic and a database of its own, on shared servers. Its effects are rows of {@code entries}, a table
 * without any unique key that could hide a double.
 */
final class Ledger implements AutoCloseable {
    /** Adds one entry; every test's plain handler. */
    static final MessageHandler<String, String> HANDLER = (message, effect) -> effect.update(
            "INSERT INTO entries (message_id, account, amount) VALUES (?, ?, ?)",
            message.id(),
            message.key(),
            message.value());

    /** Why a few tests do not run behind a pooler. */
    static final String POOLER_ANSWERS =
            "about who may connect: PgBouncer answers for the server, with an SQLSTATE of its own";

    final String name = "c" + UUID.randomUUID().toString().substring(0, 8);
    final String topic = "payments." + name;
    private final Optional<PgBouncer> pooler;
    /** What workers connect to; {@link #dataSource} goes straight to the server. */
    final PostgresServer postgres;

    final String databaseName;
    final DataSource dataSource;
    final String bootstrap;
    private final Admin admin;
    private final KafkaProducer<byte[], byte[]> producer;
    private final List<Future<RecordMetadata>> sent = new ArrayList<>();
    private final List<ConsumerRuntime> runtimes = new ArrayList<>();

    Ledger(int partitions) {
        this(partitions, Backends.shared().postgres(), Backends.shared().kafka().bootstrapServers());
    }

    Ledger(int partitions, PostgresServer postgres, String bootstrap) {
        this.pooler = PgBouncer.ifWanted(postgres);
        this.postgres = pooler.isPresent() ? pooler.get() : postgres;
        this.bootstrap = bootstrap;
        this.databaseName = postgres.createDatabase();
        this.dataSource = postgres.dataSource(databaseName);
        Migrations.apply(dataSource, "public");
        execute("CREATE TABLE entries (id bigserial PRIMARY KEY, message_id text, account text, amount text)");
        Properties properties = new Properties();
        properties.put("bootstrap.servers", bootstrap);
        this.admin = Admin.create(properties);
        // The first batches to a new topic can meet a leader that is not ready. With several requests under way the
        // broker
        // then sees them out of order, and the producer retries for minutes.
        properties.put("max.in.flight.requests.per.connection", "1");
        this.producer = new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
        create(topic, partitions);
        create(deadLetterTopic(), partitions);
        create(replayTopic(), 1);
    }

    String deadLetterTopic() {
        return "dlq." + name + "." + topic;
    }

    String replayTopic() {
        return "replay." + name;
    }

    void create(String newTopic, int partitions) {
        try {
            admin.createTopics(List.of(new NewTopic(newTopic, partitions, (short) 1)))
                    .all()
                    .get();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    Admin admin() {
        return admin;
    }

    /** As the checkers of guarantees see it. */
    ObservedConsumer observed() {
        return ObservedConsumer.named(name, dataSource, bootstrap);
    }

    /** Quick timings, no pool to wait for: what every test begins with. */
    ConsumerRuntimeBuilder consumer() {
        return quick().database(postgres.jdbcUrl(databaseName), postgres.user(), postgres.password());
    }

    /** As {@link #consumer()}, with the team's own pool. */
    ConsumerRuntimeBuilder consumer(DataSource pool) {
        return quick().dataSource(pool);
    }

    private ConsumerRuntimeBuilder quick() {
        return ConsumerRuntime.named(name)
                .bootstrapServers(bootstrap)
                .retry(new RetryPolicy(5, Duration.ofMillis(10), Duration.ofMillis(100)))
                .concurrency(new ConsumerSettings.Concurrency(4, 100, Duration.ofSeconds(5)))
                .lease(new ConsumerSettings.Lease(Duration.ofMillis(200), Duration.ofSeconds(2)));
    }

    /** With a group protocol, {@code classic} or {@code consumer}. */
    ConsumerRuntimeBuilder consumer(String protocol) {
        return consumer().kafka(group(protocol));
    }

    /** Members hear quickly of a rebalance and are soon missed; with the new protocol the broker decides that. */
    static Map<String, String> group(String protocol) {
        return protocol.equals("classic")
                ? Map.of("group.protocol", protocol, "heartbeat.interval.ms", "300", "session.timeout.ms", "3000")
                : Map.of("group.protocol", protocol);
    }

    /** Does not wait long for what does not end by itself. */
    static ConsumerSettings.Limits impatient() {
        return new ConsumerSettings.Limits(
                Duration.ofSeconds(30),
                Duration.ofSeconds(5),
                Duration.ofSeconds(1),
                Duration.ofSeconds(1),
                Duration.ofSeconds(2),
                Duration.ofMillis(200),
                3);
    }

    ConsumerRuntime start(MessageHandler<String, String> handler) {
        return start(consumer(), handler);
    }

    ConsumerRuntime start(ConsumerRuntimeBuilder builder, MessageHandler<String, String> handler) {
        return started(builder.handle(topic, new StringDeserializer(), new StringDeserializer(), handler)
                .start());
    }

    ConsumerRuntime started(ConsumerRuntime runtime) {
        runtimes.add(runtime);
        return runtime;
    }

    /** Sends a message with its id in the header {@code message-id}. */
    void send(@Nullable String key, String id, @Nullable String value) {
        send(new ProducerRecord<>(topic, bytes(key), bytes(value)), id);
    }

    void send(int partition, @Nullable String key, String id, @Nullable String value) {
        send(new ProducerRecord<>(topic, partition, bytes(key), bytes(value)), id);
    }

    private void send(ProducerRecord<byte[], byte[]> message, String id) {
        message.headers().add("message-id", id.getBytes(UTF_8));
        send(message);
    }

    void send(ProducerRecord<byte[], byte[]> message) {
        sent.add(producer.send(message));
    }

    /** Sends messages n0, n1, … by a producer that learns of the topic only now. */
    void sendAnew(int partition, int messages) {
        try (KafkaProducer<byte[], byte[]> other = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap), new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int i = 0; i < messages; i++) {
                ProducerRecord<byte[], byte[]> message =
                        new ProducerRecord<>(topic, partition, bytes("k" + i), bytes("new"));
                message.headers().add("message-id", ("n" + i).getBytes(UTF_8));
                sent.add(other.send(message));
            }
            flush();
        }
    }

    /** Resets the group's offset in partition 0, as an operator does while no worker runs. */
    void commit(long offset) throws ExecutionException, InterruptedException {
        commit(offset, "");
    }

    void commit(long offset, String metadata) throws ExecutionException, InterruptedException {
        admin.alterConsumerGroupOffsets(name, Map.of(partition(0), new OffsetAndMetadata(offset, metadata)))
                .all()
                .get();
    }

    /** Deletes records of partition 0, as retention does. */
    void deleteBefore(long offset) throws ExecutionException, InterruptedException {
        admin.deleteRecords(Map.of(partition(0), RecordsToDelete.beforeOffset(offset)))
                .all()
                .get();
    }

    /** Deletes the topic and makes it again under its name. */
    void makeAgain() throws ExecutionException, InterruptedException {
        admin.deleteTopics(List.of(topic)).all().get();
        await().until(() -> !admin.listTopics().names().get().contains(topic));
        create(topic, 1);
    }

    /** Waits until the broker has everything that was sent. */
    void flush() {
        producer.flush();
        for (Future<RecordMetadata> record : sent) {
            try {
                record.get();
            } catch (InterruptedException | ExecutionException e) {
                throw new IllegalStateException(e);
            }
        }
        sent.clear();
    }

    static byte @Nullable [] bytes(@Nullable String text) {
        return text == null ? null : text.getBytes(UTF_8);
    }

    // ---- what is there ----

    long count(String sql, Object... arguments) {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < arguments.length; i++) {
                statement.setObject(i + 1, arguments[i]);
            }
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
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

    /** Connections that a worker holds; behind a pooler those of all its workers, which are all that it has. */
    long connectionsOf(String workerId) {
        return pooler.map(before -> before.connections(databaseName))
                .orElseGet(() -> count("SELECT count(*) FROM pg_stat_activity WHERE application_name = ?", workerId));
    }

    long entries() {
        return count("SELECT count(*) FROM entries");
    }

    long distinctEntries() {
        return count("SELECT count(DISTINCT message_id) FROM entries");
    }

    /** Message ids of an account's entries, in the order in which they took effect. */
    List<String> entriesOf(String account) {
        return texts("SELECT message_id FROM entries WHERE account = ? ORDER BY id", account);
    }

    long deadLetters() {
        return count("SELECT count(*) FROM dead_letters WHERE status = 'DEAD'");
    }

    /** What the group has committed, in all its topics. */
    Map<TopicPartition, Long> offsets() {
        return offsets(name);
    }

    private Map<TopicPartition, Long> offsets(String group) {
        try {
            Map<TopicPartition, Long> offsets = new HashMap<>();
            admin.listConsumerGroupOffsets(group)
                    .partitionsToOffsetAndMetadata()
                    .get()
                    .forEach((partition, offset) -> {
                        if (offset != null) {
                            offsets.put(partition, offset.offset());
                        }
                    });
            return offsets;
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Messages committed to Kafka as finished, over all partitions of the topic. */
    long committed() {
        return committed(name);
    }

    /** As {@link #committed()}, by another group. */
    long committed(String group) {
        return offsets(group).entrySet().stream()
                .filter(entry -> entry.getKey().topic().equals(topic))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /** The id of the topic, as the database stores it. */
    UUID topicId() {
        try {
            Uuid id = admin.describeTopics(List.of(topic))
                    .allTopicNames()
                    .get()
                    .get(topic)
                    .topicId();
            return new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits());
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A partition of the topic. */
    TopicPartition partition(int number) {
        return new TopicPartition(topic, number);
    }

    /** Everything that a topic holds, without what was aborted: as this consumer sees it. */
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

    static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(20));
    }

    @Override
    public void close() {
        runtimes.forEach(ConsumerRuntime::close);
        producer.close(Duration.ofSeconds(5));
        admin.close(Duration.ofSeconds(5));
        pooler.ifPresent(PgBouncer::close);
    }
}
