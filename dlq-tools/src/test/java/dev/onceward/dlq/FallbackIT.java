package dev.onceward.dlq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.onceward.dlq.output.Terminal;
import dev.onceward.handler.PermanentException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code list} and {@code show} while the database cannot be reached: the dead-letter topic tells what it knows. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS) // nothing here changes the letters
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class FallbackIT {
    private static final String DEAD = "SELECT count(*) FROM dead_letters WHERE status = 'DEAD'";
    private static final String REFUSING = "postgresql://127.0.0.1:1/payments";
    private static final byte[] ODD = {(byte) 0xff, 0, 27, 'A'};

    private final Payments payments = new Payments(2);
    private final String refunds = "refunds." + payments.name;

    /** Two topics, several reasons, replays that failed again, an unusable id, a binary key, an unnamed copy. */
    @BeforeAll
    void fail() {
        payments.handle(refunds, 2);
        payments.failWith(
                id -> id.equals("m3") ? new IllegalStateException("503") : new PermanentException("no " + id));
        for (int i = 0; i < 6; i++) {
            payments.send("account-" + i % 3, "m" + i, "{\"amount\":" + i + "}");
        }
        payments.flush();
        payments.startWorker();
        Payments.await().until(() -> payments.count(DEAD) == 6);
        ProducerRecord<byte[], byte[]> odd = new ProducerRecord<>(refunds, 1, ODD, ODD);
        odd.headers().add("message-id", "odd".getBytes(UTF_8)).add("trace", ODD);
        payments.send(odd);
        payments.send(new ProducerRecord<>(refunds, 0, "account-1".getBytes(UTF_8), "no id".getBytes(UTF_8)));
        payments.send(new ProducerRecord<>(refunds, 0, null, null));
        payments.flush();
        Payments.await().until(() -> payments.count(DEAD) == 9);
        assertThat(payments.dlq("replay", "m1", "m4", "--yes", "--wait").exitCode())
                .isEqualTo(1);
        Payments.await()
                .until(() -> payments.count(DEAD) == 9 && payments.count("SELECT count(*) FROM dead_letters") == 11);
        payments.stopWorkers();
        // As a worker leaves it that is killed between publishing and recording.
        ConsumerRecord<byte[], byte[]> copy =
                payments.records(payments.deadLetterTopic).get(0);
        payments.send(
                new ProducerRecord<>(copy.topic(), copy.partition(), null, copy.key(), copy.value(), copy.headers()));
        payments.flush();
    }

    @AfterAll
    void close() {
        payments.close();
    }

    @Test
    void everyFilterMeansTheSame() throws IOException {
        JsonNode letters = json(payments.dlq("list", "-o", "json"));
        assertThat(letters).hasSize(9);
        String since = letters.get(2).get("failedAt").asText();
        String name = letters.get(8).get("origin").asText();
        String binary = "base64:" + Base64.getEncoder().encodeToString(ODD);
        List<List<String>> filters = List.of(
                List.of(),
                List.of("--topic", refunds),
                List.of("--topic", refunds, "--topic", payments.topic),
                List.of("--topic", "other"),
                List.of("--id", "m2", "--id", name),
                List.of("--id", "m4"),
                List.of("--key", "account-1"),
                List.of("--key", binary),
                List.of("--reason", "permanent"),
                List.of("--reason", "invalid_id", "--key", "account-1"),
                List.of("--exception", "illegalSTATE"),
                List.of("--since", since),
                List.of("--until", since),
                List.of("--limit", "2"),
                List.of("--limit", "0"));

        for (List<String> filter : filters) {
            List<String> known = origins(payments.dlq(list(filter)));
            assertThat(origins(without(REFUSING, list(filter))))
                    .as("%s", filter)
                    .containsExactlyInAnyOrderElementsOf(known);
        }
        assertThat(origins(without(REFUSING, list(List.of("--key", binary))))).hasSize(1);
        assertThat(origins(without(REFUSING, list(List.of("--since", since)))))
                .hasSizeBetween(1, 8)
                .doesNotContainAnyElementsOf(origins(without(REFUSING, list(List.of("--until", since)))));
    }

    @Test
    void everyFieldThatTheTopicKnowsIsTheSameAndTheOthersAreNull() throws IOException {
        Map<String, JsonNode> known = byOrigin(json(payments.dlq("list", "-o", "json")));
        Map<String, JsonNode> told = byOrigin(json(without(REFUSING, "list", "-o", "json")));

        List<String> unknown = List.of("status", "ageSeconds", "deadAt", "replays", "replayedAt");
        assertThat(told.keySet()).isEqualTo(known.keySet());
        String copied = copied();
        told.forEach((origin, letter) -> letter.properties().forEach(field -> {
            boolean otherCopy = origin.equals(copied) && field.getKey().equals("dltOffset");
            if (!unknown.contains(field.getKey()) && !otherCopy) {
                assertThat(field.getValue())
                        .as(origin + " " + field.getKey())
                        .isEqualTo(known.get(origin).get(field.getKey()));
            }
        }));
        assertThat(told.values())
                .allMatch(letter ->
                        letter.get("status").isNull() && letter.get("deadAt").isNull());
        assertThat(told.values().stream()
                        .filter(letter -> letter.get("replays").asInt() == 1)
                        .map(letter -> letter.get("messageId").asText()))
                .containsExactlyInAnyOrder("m1", "m4");
    }

    @Test
    void theListSaysWhatItDoesNotKnow() {
        Runs.Run table = without(REFUSING, "list", "--limit", "2");

        assertThat(table.exitCode()).as(table.err()).isZero();
        assertThat(table.err())
                .contains(
                        "Cannot connect to PostgreSQL at " + REFUSING,
                        "Not known: status, replays",
                        "The newest 2 of 9");
        assertThat(table.out().lines().skip(1))
                .hasSize(2)
                .allMatch(line -> line.matches("\\S+ {2,}\\S+ {2,}- {2,}[A-Z_]+ .*"));
        assertThat(without(REFUSING, "list", "--id", "m2", "-o", "csv")
                        .out()
                        .lines()
                        .skip(1))
                .singleElement()
                .asString()
                .contains(",m2,,PERMANENT,");
    }

    @Test
    void theTopicIsReadOnDemandAndNeedsNoDatabase() throws IOException {
        Map<String, String> environment = new HashMap<>(payments.environment());
        environment.keySet().removeIf(name -> name.startsWith("DLQ_DB") || name.startsWith("PG"));

        Runs.Run missing = Runs.dlq(environment, Terminal.NONE, "", "list");
        Runs.Run forced = Runs.dlq(environment, Terminal.NONE, "", "list", "--from-topic", "-o", "json");
        Runs.Run status = Runs.dlq(environment, Terminal.NONE, "", "list", "--from-topic", "--status", "dead");

        assertThat(missing.exitCode()).isEqualTo(2);
        assertThat(missing.err()).contains("--db-url");
        assertThat(json(forced)).hasSize(9);
        assertThat(forced.err()).contains("Not known: status").doesNotContain("Cannot connect");
        assertThat(status.exitCode()).isEqualTo(2);
        assertThat(status.err()).contains("--status", "--from-topic");
    }

    @Test
    void withoutAConsumerThoseOfAllAreRead() throws IOException {
        Map<String, String> environment = away(REFUSING);
        environment.remove("DLQ_CONSUMER");

        JsonNode letters = json(Runs.dlq(environment, Terminal.NONE, "", "list", "--topic", refunds, "-o", "json"));

        assertThat(letters)
                .hasSize(3)
                .allSatisfy(
                        letter -> assertThat(letter.get("consumer").asText()).isEqualTo(payments.name));
        Runs.Run nobody = without(REFUSING, "list", "--consumer", "nobody-" + payments.name);
        assertThat(nobody.exitCode()).isEqualTo(3);
        assertThat(nobody.err()).contains("dlq.nobody-" + payments.name, "--dead-letter-pattern");
    }

    @Test
    void showsWhatTheTopicTells() throws IOException {
        String page = without(REFUSING, "show", "m4", "--payload").out();
        assertThat(page)
                .contains(
                        payments.topic + "/", "PERMANENT", "PermanentException: no m4", "stack trace", "\"amount\" : 4")
                .contains("replays       1 before it failed this time")
                .doesNotContain("status ", "discarded", "resolved");
        assertThat(without(REFUSING, "show", "odd", "--headers").out()).contains("trace: base64:/wAbQQ==");
        assertThat(without(REFUSING, "show", "odd", "--hex").out()).contains("00000000  ff 00 1b 41");
        assertThat(without(REFUSING, "show", "odd", "--raw").bytes()).isEqualTo(ODD);
        JsonNode letter = json(without(REFUSING, "show", "odd", "--payload", "-o", "json"));
        JsonNode known = json(payments.dlq("show", "odd", "--payload", "-o", "json"));
        for (String field : List.of("key", "payload", "headers", "stacktrace", "payloadHash", "dltOffset", "worker")) {
            assertThat(letter.get(field)).as(field).isNotNull().isEqualTo(known.get(field));
        }
        assertThat(letter.get("status").isNull()).isTrue();
        Runs.Run none = without(REFUSING, "show", "nothing-like-it");
        assertThat(none.exitCode()).isEqualTo(2);
        assertThat(none.err()).contains("no dead letter nothing-like-it", "in the dead-letter topic");
    }

    @Test
    void exportsWhatTheTopicTells(@TempDir Path directory) throws IOException {
        Path known = directory.resolve("known");
        Path told = directory.resolve("told");
        Runs.Run whole = payments.dlq("export", "--all", "-f", known.toString());
        Runs.Run away = without(REFUSING, "export", "--all", "-f", told.toString());
        Runs.Run refused = without(
                REFUSING,
                "export",
                "--all",
                "--status",
                "dead",
                "-f",
                directory.resolve("none").toString());

        assertThat(whole.exitCode()).as(whole.err()).isZero();
        assertThat(away.exitCode()).as(away.err()).isZero();
        assertThat(away.err()).contains("Cannot connect to PostgreSQL", "Not known: status", "9 dead letters");
        assertThat(refused.exitCode()).isEqualTo(3);
        assertThat(directory.resolve("none")).doesNotExist();
        List<JsonNode> lines = exported(told);
        assertThat(lines).hasSize(9);
        for (String field : List.of("origin", "messageId", "reason", "error", "key", "value", "headers")) {
            assertThat(lines.stream().map(line -> line.get(field)))
                    .as(field)
                    .containsExactlyElementsOf(exported(known).stream()
                            .map(line -> line.get(field))
                            .toList());
        }
    }

    /** In the original order, without the first line and the last. */
    private static List<JsonNode> exported(Path file) throws IOException {
        ObjectMapper mapper = new ObjectMapper();
        List<JsonNode> lines = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
            JsonNode node = mapper.readTree(line);
            if (node.has("origin")) {
                lines.add(node);
            }
        }
        return lines;
    }

    @Test
    @Timeout(60) // the driver itself would wait without end
    void aDatabaseThatIsSilentIsNotWaitedForLong() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Runs.Run run =
                    without("postgresql://127.0.0.1:" + silent.getLocalPort() + "/payments", "list", "-o", "jsonl");

            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out().lines()).hasSize(9);
        }
    }

    @Test
    void whoIsNotLetInReadsTheTopicAndNoPasswordIsTold() {
        Map<String, String> environment = new HashMap<>(payments.environment());
        environment.put("PGPASSWORD", "not-the-word");

        Runs.Run run = Runs.dlq(environment, Terminal.NONE, "", "list", "--verbose");
        Runs.Run url = without("postgresql://me:not-the-word@127.0.0.1:1/payments", "list", "--verbose");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.err()).contains("Cannot connect to PostgreSQL", "password");
        assertThat(url.exitCode()).isZero();
        assertThat(Stream.of(run.err(), run.out(), url.err(), url.out()))
                .noneMatch(text -> text.contains("not-the-word") || text.contains(payments.postgres.password()));
    }

    @Test
    void aDatabaseThatAnswersIsNotAway() {
        Runs.Run schema = payments.dlq("list", "--schema", "elsewhere");
        Runs.Run database = without(payments.postgres.jdbcUrl("no_such_database"), "list");

        assertThat(schema.exitCode()).isEqualTo(3);
        assertThat(schema.err()).contains("elsewhere").doesNotContain("dead-letter topic");
        assertThat(database.exitCode()).isEqualTo(3);
        assertThat(database.err()).contains("no_such_database").doesNotContain("Not known");
        assertThat(Stream.of(schema, database)).allMatch(run -> run.out().isEmpty());
    }

    @Test
    void aStatusIsNotIgnored() {
        Runs.Run run = without(REFUSING, "list", "--status", "dead");

        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains("Cannot connect to PostgreSQL", "the status is not known");
    }

    @Test
    @Timeout(60) // Kafka's clients would wait that long by themselves, twice
    void whereBothAreAwayBothAreNamedAndSoon() {
        Map<String, String> environment = away(REFUSING);
        environment.put("DLQ_BOOTSTRAP_SERVER", "127.0.0.1:1");
        Runs.Run both = Runs.dlq(environment, Terminal.NONE, "", "list");
        Runs.Run kafka = payments.dlq("show", "m2", "--payload", "--bootstrap-server", "127.0.0.1:1");
        environment.remove("DLQ_BOOTSTRAP_SERVER");
        Runs.Run unset = Runs.dlq(environment, Terminal.NONE, "", "list");

        assertThat(both.exitCode()).isEqualTo(3);
        assertThat(both.err()).contains("PostgreSQL at " + REFUSING, "Kafka at 127.0.0.1:1");
        assertThat(kafka.exitCode()).isEqualTo(3);
        assertThat(unset.exitCode()).isEqualTo(3);
        assertThat(unset.err()).contains("PostgreSQL at " + REFUSING, "--bootstrap-server");
    }

    @Test
    void whatIsNobodysDeadLetterIsCounted() throws IOException {
        try (Payments others = new Payments(1)) {
            others.deadLetters(1, 1);
            others.stopWorkers();
            others.send(new ProducerRecord<>(others.deadLetterTopic, "k".getBytes(UTF_8), "foreign".getBytes(UTF_8)));
            others.send(origin(others, "other-topic", "7"));
            others.send(origin(others, others.topic, "not a number"));
            // As the worker writes it where the record has no room for more; and the same for one that had room before.
            others.send(origin(others, others.topic, "7"));
            others.send(origin(others, others.topic, "0"));
            others.flush();

            Runs.Run all = others.dlq("list", "--from-topic", "-o", "json");
            Runs.Run reason = others.dlq("list", "--from-topic", "--reason", "permanent", "-o", "json");
            Runs.Run id = others.dlq("list", "--from-topic", "--id", others.topic + "/0/7", "-o", "json");
            Runs.Run page = others.dlq("show", "--from-topic", others.topic + "/0/7", "--payload");

            assertThat(all.err()).contains("3 records of " + others.deadLetterTopic + " are no dead letters of ours");
            assertThat(origins(all)).containsExactlyInAnyOrder(others.topic + "/0/0", others.topic + "/0/7");
            JsonNode bare = byOrigin(json(all)).get(others.topic + "/0/7");
            assertThat(List.of("reason", "exception", "attempts", "firstFailedAt", "worker", "replays", "timestamp"))
                    .allMatch(field -> bare.get(field).isNull());
            assertThat(bare.get("failedAt").isNull()).isFalse();
            assertThat(origins(reason)).isEmpty();
            assertThat(reason.err()).contains("2 dead letters had no room to tell id and reason");
            assertThat(origins(id)).hasSize(1);
            assertThat(page.out())
                    .contains("only the database knows", "no room")
                    .doesNotContain("1970");
        }
    }

    @Test
    void otherNamesNeedTheirPattern() {
        Runs.Run run = payments.dlq("list", "--from-topic", "--dead-letter-pattern", "letters.{consumer}.{topic}");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("letters." + payments.name + ".{topic}", "--dead-letter-pattern");
    }

    private static ProducerRecord<byte[], byte[]> origin(Payments others, String topic, String offset) {
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(others.deadLetterTopic, 0, "k".getBytes(UTF_8), "no room".getBytes(UTF_8));
        record.headers()
                .add("__dlq.errors.topic", topic.getBytes(UTF_8))
                .add("__dlq.errors.partition", "0".getBytes(UTF_8))
                .add("__dlq.errors.offset", offset.getBytes(UTF_8));
        return record;
    }

    /** The origin of the letter of which there is an unnamed copy. */
    private String copied() {
        var headers = payments.records(payments.deadLetterTopic).get(0).headers();
        return Stream.of("topic", "partition", "offset")
                .map(part ->
                        new String(headers.lastHeader("__dlq.errors." + part).value(), UTF_8))
                .reduce((one, other) -> one + "/" + other)
                .orElseThrow();
    }

    private Runs.Run without(String database, String... arguments) {
        return Runs.dlq(away(database), Terminal.NONE, "", arguments);
    }

    private Map<String, String> away(String database) {
        Map<String, String> environment = new HashMap<>(payments.environment());
        environment.put("DLQ_DB_URL", database);
        return environment;
    }

    private static String[] list(List<String> filter) {
        List<String> arguments = new ArrayList<>(List.of("list", "-o", "json"));
        arguments.addAll(filter);
        return arguments.toArray(String[]::new);
    }

    private static JsonNode json(Runs.Run run) throws IOException {
        assertThat(run.exitCode()).as(run.err()).isZero();
        return new ObjectMapper().readTree(run.out());
    }

    private static List<String> origins(Runs.Run run) throws IOException {
        return json(run).findValuesAsText("origin");
    }

    private static Map<String, JsonNode> byOrigin(JsonNode letters) {
        Map<String, JsonNode> map = new HashMap<>();
        letters.forEach(letter -> map.put(letter.get("origin").asText(), letter));
        return map;
    }
}
