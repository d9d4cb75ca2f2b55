package dev.onceward.dlq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code dlq age} is exact while no worker runs, and says unknown where it cannot know. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class AgeIT {
    private static final Pattern ADDRESS = Pattern.compile("http://127.0.0.1:[0-9]+/metrics");

    private final Payments payments = new Payments(4);

    @AfterEach
    void close() {
        payments.close();
    }

    @Test
    void theOldestMessageWhileNoWorkerRuns() throws IOException {
        processed(0);
        send(0, Duration.ofHours(1));
        send(0, Duration.ofHours(2));
        send(2, Duration.ofMinutes(10));

        assertAge(0, Duration.ofHours(1));
        assertThat(age(0).get("lag").asLong()).isEqualTo(2);
        assertAge(2, Duration.ofMinutes(10));
        assertCaughtUp(1);
        assertThat(payments.dlq("age").out()).contains("1h 0m", "10m ").contains(payments.replayTopic);
        assertThat(payments.dlq("age", "-o", "csv").out())
                .startsWith("consumer,group,topic,partition,offset,lag,oldest,age,deadLetters,deadLetterAge,note");

        assertThat(payments.dlq("age", "--fail-over", "2h").exitCode()).isZero();
        Runs.Run over = payments.dlq("age", "--fail-over", "30m");
        assertThat(over.exitCode()).isEqualTo(1);
        assertThat(over.err())
                .contains(payments.topic + "/0: the oldest message is 1h 0m old")
                .doesNotContain("/2");
        assertThat(payments.dlq("age", "--fail-over", "soon").exitCode()).isEqualTo(2);
        assertThat(payments.dlq("age", "--consumer", "nobody").exitCode()).isEqualTo(2);
    }

    @Test
    void abortedTransactionsAreNoMessages() throws IOException {
        processed(0);
        transaction(0, false, Duration.ofHours(5));
        transaction(1, false, Duration.ofHours(5));

        assertCaughtUp(0);
        assertCaughtUp(1);

        transaction(0, true, Duration.ofMinutes(20));
        assertAge(0, Duration.ofMinutes(20));
        assertCaughtUp(1);
    }

    @Test
    void anOpenTransactionIsNotWaitingYet() throws IOException {
        processed(0);
        try (KafkaProducer<byte[], byte[]> producer = transactional()) {
            producer.beginTransaction();
            Future<RecordMetadata> sent = producer.send(record(3, Duration.ofHours(1)));
            producer.flush();
            assertThat(sent).isDone();
            assertCaughtUp(3);
            producer.commitTransaction();
        }
        assertAge(3, Duration.ofHours(1));
    }

    @Test
    void whatRetentionTookIsNotWaitingAndIsTold() throws Exception {
        processed(0);
        send(0, Duration.ofHours(3));
        send(0, Duration.ofHours(3));
        send(1, Duration.ofHours(3));
        send(1, Duration.ofHours(1));
        long end = age(0).get("offset").asLong() + 2;
        payments.admin()
                .deleteRecords(Map.of(
                        partition(0), RecordsToDelete.beforeOffset(end), partition(1), RecordsToDelete.beforeOffset(1)))
                .all()
                .get();

        assertCaughtUp(0);
        assertThat(age(0).get("note").asText()).contains("2 offsets gone by retention");
        assertAge(1, Duration.ofHours(1));
        assertThat(age(1).get("note").asText()).contains("1 offset gone by retention");
    }

    @Test
    void whatCompactionLeftIsTheOldest() throws Exception {
        processed(0);
        ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, payments.topic);
        List<AlterConfigOp> compact = Stream.of(
                        new ConfigEntry("cleanup.policy", "compact"),
                        new ConfigEntry("segment.ms", "1"),
                        new ConfigEntry("min.cleanable.dirty.ratio", "0.001"))
                .map(entry -> new AlterConfigOp(entry, AlterConfigOp.OpType.SET))
                .toList();
        payments.admin().incrementalAlterConfigs(Map.of(topic, compact)).all().get();
        long committed = age(0).get("offset").asLong();
        send(0, Duration.ofHours(2)); // where the committed offset points to
        send(0, Duration.ofHours(1)); // the same key
        payments.send(new ProducerRecord<>(payments.topic, 0, "other".getBytes(UTF_8), "1".getBytes(UTF_8)));
        payments.flush();

        Payments.await()
                .until(() -> payments.records(payments.topic).stream()
                        .noneMatch(record -> record.partition() == 0 && record.offset() == committed));
        assertAge(0, Duration.ofHours(1));
        assertThat(age(0).get("offset").asLong()).isEqualTo(committed);
    }

    @Test
    void aPartitionWithoutACommittedOffsetBeginsWhereAWorkerWould() throws Exception {
        send(0, Duration.ofHours(4));
        processed(0);
        send(0, Duration.ofHours(1));
        payments.admin()
                .deleteConsumerGroupOffsets(payments.name, Set.of(partition(0)))
                .all()
                .get();

        assertThat(age(0).get("note").asText()).contains("from the stored watermark");
        assertAge(0, Duration.ofHours(1));

        payments.execute("UPDATE partition_generations SET watermark = NULL");
        assertThat(age(0).get("note").asText()).contains("from the beginning");
        assertAge(0, Duration.ofHours(4));

        payments.execute("UPDATE partition_generations SET topic_id = gen_random_uuid(), watermark = 1");
        assertThat(age(0).get("note").asText()).contains("made again");
        assertAge(0, Duration.ofHours(4));
    }

    @Test
    void unknownIsNeverZero() throws Exception {
        processed(0);
        String foreign = "foreign." + payments.name;
        payments.create(foreign, 2, Map.of());
        payments.send(new ProducerRecord<>(foreign, 1, null, "x".getBytes(UTF_8)));
        payments.flush();
        payments.admin()
                .alterConsumerGroupOffsets(
                        payments.name, Map.of(new TopicPartition(foreign, 0), new OffsetAndMetadata(0)))
                .all()
                .get();

        JsonNode unknown = age(foreign, 1);
        assertThat(unknown.get("age").isNull()).isTrue();
        assertThat(unknown.get("lag").isNull()).isTrue();
        assertThat(unknown.get("note").asText()).startsWith("unknown");
        Runs.Run run = payments.dlq("age", "--fail-over", "1d");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains(foreign + "/1: unknown");

        payments.admin().deleteTopics(List.of(payments.topic)).all().get();
        Payments.await().until(() -> age(0).get("note").asText().contains("does not exist"));
        assertThat(age(0).get("age").isNull()).isTrue();
    }

    @Test
    void deadLettersStandBeside() throws IOException {
        payments.deadLetters(3, 1);
        payments.stopWorkers();
        payments.execute("UPDATE dead_letters SET failed_at = failed_at - interval '3 hours'");

        List<JsonNode> dead = ages().stream()
                .filter(age -> age.get("deadLetters").asLong() > 0)
                .toList();
        assertThat(dead).singleElement().satisfies(age -> {
            assertThat(age.get("deadLetters").asLong()).isEqualTo(3);
            assertThat(age.get("deadLetterAge").asDouble()).isBetween(10_800.0, 10_980.0);
            assertThat(age.get("age").asDouble()).isZero();
        });
    }

    @Test
    void servesPrometheusUntilItIsStopped() throws Exception {
        processed(0);
        send(0, Duration.ofHours(1));
        Background command = new Background(payments.environment(), "age", "--serve", "0");
        Payments.await().until(() -> command.err().contains("/metrics"));
        Matcher address = ADDRESS.matcher(command.err());
        assertThat(address.find()).isTrue();

        String labels = "{consumer=\"" + payments.name + "\",topic=\"" + payments.topic + "\",partition=\"0\"} ";
        assertThat(get(address.group()).body())
                .contains("# TYPE dlq_oldest_message_age_seconds gauge")
                .contains("dlq_oldest_message_age_seconds" + labels + "36")
                .contains("dlq_lag_offsets" + labels + "1\n")
                .contains("dlq_dead_letters" + labels + "0\n");

        // A scrape that fails says so; the next one connects again.
        payments.execute("ALTER TABLE consumers RENAME TO elsewhere");
        assertThat(get(address.group()).statusCode()).isEqualTo(503);
        payments.execute("ALTER TABLE elsewhere RENAME TO consumers");
        assertThat(get(address.group()).statusCode()).isEqualTo(200);
        assertThat(command.stop()).isZero();
    }

    @Test
    void watchesUntilItIsStopped() throws Exception {
        processed(0);
        Background command = new Background(payments.environment(), "age", "--watch", "1");
        Payments.await().until(() -> command.tables() > 1);
        assertThat(command.stop()).isZero();
        assertThat(payments.dlq("age", "--watch", "--serve", "1").exitCode()).isEqualTo(2);
    }

    @Test
    void watchesOnWhenTheDatabaseWasAway() throws Exception {
        processed(0);
        Background command = new Background(payments.environment(), "age", "--watch", "1");
        Payments.await().until(() -> command.tables() > 1);

        endSessionsOfTheCommand();
        Payments.await().until(() -> command.err().contains("PostgreSQL: "));
        assertThat(command.err()).contains("Trying again in 1s").doesNotContain("Cannot connect");
        awaitAnotherTable(command);

        // As while the server restarts: nobody is let in for a while. Said from elsewhere, as the server demands.
        DataSource elsewhere = payments.postgres.dataSource(payments.postgres.createDatabase());
        execute(elsewhere, "ALTER DATABASE \"" + payments.databaseName + "\" ALLOW_CONNECTIONS false");
        execute(
                elsewhere,
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + payments.databaseName
                        + "'");
        Payments.await().until(() -> command.err().contains("Cannot connect to PostgreSQL"));
        execute(elsewhere, "ALTER DATABASE \"" + payments.databaseName + "\" ALLOW_CONNECTIONS true");
        awaitAnotherTable(command);
        assertThat(command.stop()).isZero();
    }

    @Test
    void servesOnWhenTheDatabaseWasAway() throws Exception {
        processed(0);
        Background command = new Background(payments.environment(), "age", "--serve", "0");
        Payments.await().until(() -> command.err().contains("/metrics"));
        Matcher address = ADDRESS.matcher(command.err());
        assertThat(address.find()).isTrue();

        endSessionsOfTheCommand();
        assertThat(get(address.group()).statusCode()).isEqualTo(503);
        assertThat(get(address.group()).statusCode()).isEqualTo(200);
        assertThat(command.stop()).isZero();
    }

    // ---- helpers ----

    /** Lets a worker process a message of a partition, commit all and end. */
    private void processed(int partition) {
        payments.startWorker();
        send(partition, Duration.ZERO);
        Payments.await().until(() -> payments.entries() >= 1);
        Payments.await()
                .until(() -> payments.count("SELECT count(*) FROM partition_generations WHERE topic = '"
                                + payments.topic + "' AND watermark IS NOT NULL")
                        == 4);
        payments.stopWorkers();
    }

    private void endSessionsOfTheCommand() {
        assertThat(payments.count("SELECT count(*) FROM (SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
                        + " WHERE application_name = 'dlq' AND datname = current_database()) ended"))
                .isPositive();
    }

    private static void execute(DataSource database, String sql) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static void awaitAnotherTable(Background command) {
        int before = command.tables();
        Payments.await().until(() -> command.tables() > before);
    }

    private void send(int partition, Duration old) {
        payments.send(record(partition, old));
        payments.flush();
    }

    private ProducerRecord<byte[], byte[]> record(int partition, Duration old) {
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(
                payments.topic,
                partition,
                System.currentTimeMillis() - old.toMillis(),
                "account".getBytes(UTF_8),
                "1".getBytes(UTF_8));
        record.headers()
                .add("message-id", java.util.UUID.randomUUID().toString().getBytes(UTF_8));
        return record;
    }

    private void transaction(int partition, boolean commit, Duration old) {
        try (KafkaProducer<byte[], byte[]> producer = transactional()) {
            producer.beginTransaction();
            List<Future<RecordMetadata>> sent =
                    List.of(producer.send(record(partition, old)), producer.send(record(partition, old)));
            producer.flush();
            assertThat(sent).allMatch(Future::isDone);
            if (commit) {
                producer.commitTransaction();
            } else {
                producer.abortTransaction();
            }
        }
    }

    private KafkaProducer<byte[], byte[]> transactional() {
        KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", payments.bootstrap, "transactional.id", "t-" + payments.name),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        producer.initTransactions();
        return producer;
    }

    private TopicPartition partition(int partition) {
        return new TopicPartition(payments.topic, partition);
    }

    private List<JsonNode> ages() throws IOException {
        Runs.Run run = payments.dlq("age", "-o", "json");
        assertThat(run.exitCode()).as(run.err()).isZero();
        return new ObjectMapper().readTree(run.out()).valueStream().toList();
    }

    private JsonNode age(int partition) throws IOException {
        return age(payments.topic, partition);
    }

    private JsonNode age(String topic, int partition) throws IOException {
        return ages().stream()
                .filter(age -> age.get("topic").asText().equals(topic)
                        && age.get("partition").asInt() == partition)
                .findFirst()
                .orElseThrow();
    }

    private void assertAge(int partition, Duration expected) throws IOException {
        assertThat(age(partition).get("age").asDouble())
                .isBetween((double) expected.toSeconds(), expected.toSeconds() + 110.0);
    }

    private void assertCaughtUp(int partition) throws IOException {
        JsonNode age = age(partition);
        assertThat(age.get("age").asDouble()).isZero();
        assertThat(age.get("age").isNull()).isFalse();
        assertThat(age.get("lag").asLong()).isZero();
    }

    private static HttpResponse<String> get(String address) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(address)).build(), HttpResponse.BodyHandlers.ofString());
    }
}
