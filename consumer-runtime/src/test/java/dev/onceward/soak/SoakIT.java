package dev.onceward.soak;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.migrations.Migrations;
import dev.onceward.testsupport.Backends;
import dev.onceward.testsupport.PostgresServer;
import dev.onceward.testsupport.ProcessControl;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("soak")
class SoakIT {
    private static final int ACCOUNTS = 10_000;

    private final String consumer = "soak" + UUID.randomUUID().toString().substring(0, 8);
    private final String topic = "payments." + consumer;
    private final PostgresServer postgres = Backends.shared().postgres();
    private final String bootstrap = Backends.shared().kafka().bootstrapServers();
    private final String database = postgres.createDatabase();
    private final DataSource dataSource = postgres.dataSource(database);
    private final AtomicReference<Throwable> sendFailure = new AtomicReference<>();

    /** Measured over half a minute, after the JIT compiler has settled. */
    @Test
    void anIdleWorkerTakesLessThanTwoPercentOfOneCore() throws Exception {
        prepare();
        try (ProcessControl worker = worker("-Xmx96m")) {
            send(1_000);
            awaitMessages(1_000, Duration.ofMinutes(1));
            ProcessHandle process = ProcessHandle.of(worker.pid()).orElseThrow();
            double[] share = {1};
            // The compiler works on for a while: the first window without it counts.
            Awaitility.await()
                    .atMost(Duration.ofMinutes(4))
                    .pollDelay(Duration.ZERO)
                    .untilAsserted(() -> {
                        share[0] = shareOfOneCore(process, Duration.ofSeconds(30));
                        assertThat(share[0]).isLessThan(0.02);
                    });
            System.out.printf("idle worker: %.2f%% of one core%n", share[0] * 100);
        }
    }

    @Test
    void aMillionMessagesOfBacklogAreConsumedWithAHeapOf96Megabytes() throws Exception {
        int messages = 1_000_000;
        prepare();
        send(messages);
        Instant began = Instant.now();
        try (ProcessControl worker = worker("-Xmx96m", "-XX:+ExitOnOutOfMemoryError")) {
            awaitMessages(messages, Duration.ofMinutes(15));
            assertThat(worker.isAlive()).isTrue();
            System.out.printf(
                    "backlog: %d messages with -Xmx96m, resident %s, %d s%n",
                    messages,
                    residentMemory(worker),
                    Duration.between(began, Instant.now()).toSeconds());
        }
        assertThat(number("SELECT count(*) FROM processed_messages")).isEqualTo(messages);
    }

    private void prepare() throws Exception {
        Migrations.apply(dataSource, "public");
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE totals (account text PRIMARY KEY, messages bigint NOT NULL)"
                    + " WITH (fillfactor = 50)");
            statement.execute(
                    "INSERT INTO totals SELECT 'account-' || n, 0 FROM generate_series(0, " + (ACCOUNTS - 1) + ") n");
        }
        try (Admin admin = Admin.create(clientProperties())) {
            admin.createTopics(List.of(
                            new NewTopic(topic, 12, (short) 1),
                            new NewTopic("dlq." + consumer + "." + topic, 1, (short) 1),
                            new NewTopic("replay." + consumer, 1, (short) 1)))
                    .all()
                    .get();
        }
    }

    private Properties clientProperties() {
        Properties properties = new Properties();
        properties.put("bootstrap.servers", bootstrap);
        return properties;
    }

    private void send(int messages) throws ExecutionException {
        Properties properties = clientProperties();
        properties.put("max.in.flight.requests.per.connection", "1"); // the topic is new, its leader may not be ready
        properties.put("linger.ms", "20");
        properties.put("batch.size", "131072");
        byte[] value = "x".repeat(200).getBytes(UTF_8);
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int i = 0; i < messages; i++) {
                byte[] key = ("account-" + i % ACCOUNTS).getBytes(UTF_8);
                ProducerRecord<byte[], byte[]> message = new ProducerRecord<>(topic, key, value);
                message.headers().add("message-id", ("m" + i).getBytes(UTF_8));
                var sent = producer.send(message, (at, failure) -> {
                    if (failure != null) {
                        sendFailure.set(failure);
                    }
                });
                assertThat(sent).isNotNull();
            }
        }
        if (sendFailure.get() != null) {
            throw new ExecutionException(sendFailure.get());
        }
    }

    private ProcessControl worker(String... jvmOptions) {
        return ProcessControl.java(SoakWorkerMain.class)
                .jvmOptions(jvmOptions)
                .arguments(consumer, topic, bootstrap, postgres.jdbcUrl(database), postgres.user(), postgres.password())
                .start();
    }

    private void awaitMessages(long messages, Duration patience) {
        Awaitility.await()
                .atMost(patience)
                .pollInterval(Duration.ofMillis(500))
                .untilAsserted(() ->
                        assertThat(number("SELECT sum(messages) FROM totals")).isEqualTo(messages));
    }

    private long number(String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    private static double shareOfOneCore(ProcessHandle process, Duration window) {
        Instant began = Instant.now();
        Duration before = processorTime(process);
        Awaitility.await()
                .atMost(window.plusSeconds(10))
                .pollInterval(Duration.ofSeconds(1))
                .until(() -> Duration.between(began, Instant.now()).compareTo(window) > 0);
        double used = processorTime(process).minus(before).toNanos();
        return used / Duration.between(began, Instant.now()).toNanos();
    }

    private static Duration processorTime(ProcessHandle process) {
        return process.info().totalCpuDuration().orElseThrow();
    }

    private static String residentMemory(ProcessControl worker) throws java.io.IOException {
        return java.nio.file.Files.readAllLines(java.nio.file.Path.of("/proc/" + worker.pid() + "/status")).stream()
                .filter(line -> line.startsWith("VmRSS"))
                .findFirst()
                .orElse("unknown");
    }
}
