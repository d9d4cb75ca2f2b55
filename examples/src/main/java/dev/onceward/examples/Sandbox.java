package dev.onceward.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onceward.migrations.Migrations;
import dev.onceward.testsupport.Backends;
import dev.onceward.testsupport.BackendsMode;
import dev.onceward.testsupport.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.concurrent.ExecutionException;
import javax.sql.DataSource;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * What a service has around it, for the examples: a Kafka with the topic {@value #TOPIC}, a PostgreSQL with two accounts and
 * the tables of Onceward, and somebody who sends payments.
 */
final class Sandbox implements AutoCloseable {

    static final String TOPIC = "payments";

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final String TABLES = """
            CREATE TABLE accounts (id text PRIMARY KEY, balance numeric(12, 2) NOT NULL);
            CREATE TABLE ledger (message_id text, account text, amount numeric(12, 2));
            INSERT INTO accounts VALUES ('alice', 0), ('bob', 0);
            """;

    private final Backends backends;
    private final PostgresServer postgres;
    private final String database;
    private final Producer<String, String> producer;

    private Sandbox(Backends backends) {
        this.backends = backends;
        this.postgres = backends.postgres();
        this.database = postgres.createDatabase();
        this.producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", brokers()), new StringSerializer(), new StringSerializer());
    }

    static Sandbox start() throws Exception {
        Sandbox sandbox = new Sandbox(Backends.start(BackendsMode.configured()));
        Migrations.apply(sandbox.dataSource(), "public");
        sandbox.execute(TABLES);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", sandbox.brokers()))) {
            admin.createTopics(List.of(new NewTopic(TOPIC, Optional.of(3), Optional.empty())))
                    .all()
                    .get();
        }
        return sandbox;
    }

    String brokers() {
        return backends.kafka().bootstrapServers();
    }

    String jdbcUrl() {
        return postgres.jdbcUrl(database);
    }

    String user() {
        return postgres.user();
    }

    String password() {
        return postgres.password();
    }

    private DataSource dataSource() {
        return postgres.dataSource(database);
    }

    /** Sends a payment under this message id, with the account as its key. */
    void send(String messageId, String account, String amount) throws InterruptedException, ExecutionException {
        sendRaw(messageId, account, "{\"account\": \"" + account + "\", \"amount\": " + amount + "}");
    }

    void sendRaw(String messageId, String key, String value) throws InterruptedException, ExecutionException {
        ProducerRecord<String, String> record = new ProducerRecord<>(TOPIC, key, value);
        record.headers().add("message-id", messageId.getBytes(UTF_8));
        producer.send(record).get();
    }

    /** Waits until a query that asks yes or no says yes. */
    void await(String question) throws SQLException, InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!isTrue(question)) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("Still not true after " + PATIENCE.toSeconds() + " s: " + question);
            }
            Thread.sleep(50);
        }
    }

    private boolean isTrue(String question) throws SQLException {
        try (Connection connection = dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT " + question)) {
            return rows.next() && rows.getBoolean(1);
        }
    }

    /** Prints what a query finds. */
    void print(String title, String query) throws SQLException {
        System.out.println(title);
        try (Connection connection = dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            ResultSetMetaData columns = rows.getMetaData();
            while (rows.next()) {
                StringJoiner line = new StringJoiner(", ", "  ", "");
                for (int column = 1; column <= columns.getColumnCount(); column++) {
                    line.add(columns.getColumnLabel(column) + "=" + rows.getString(column));
                }
                System.out.println(line);
            }
        }
    }

    /** Prints the records of a topic of one partition or several. */
    void printTopic(String topic) {
        System.out.println("Topic " + topic + ":");
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", brokers()), new StringDeserializer(), new StringDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(partition -> new TopicPartition(topic, partition.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(100))) {
                    System.out.println("  " + record.value());
                    record.headers()
                            .forEach(header -> System.out.println(
                                    "      " + header.key() + ": " + firstLine(new String(header.value(), UTF_8))));
                }
            }
        }
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElse("");
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Override
    public void close() {
        producer.close();
        backends.close();
    }
}
