package dev.onceward.dlq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.dlq.output.Terminal;
import dev.onceward.handler.PermanentException;
import dev.onceward.testsupport.JavaProcess;
import dev.onceward.testsupport.ProcessControl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Personal data that must go: what is gone afterwards, what is said to stay, and who must not lose anything by it. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class EraseIT {
    private static final String TEXTS = "SELECT coalesce(convert_from(record_key, 'UTF8'), '-') || '|' || error_message"
            + " || '|' || left(error_stacktrace, 5) || '|' || status FROM dead_letters ORDER BY dead_at";
    private static final String GONE = "-|(erased)||DISCARDED";

    private final Payments payments = new Payments(1);

    @AfterEach
    void close() {
        payments.close();
    }

    @Test
    void keyAndTextsOfEveryFailureAreGoneAndNothingBringsThemBack() {
        payments.failWith(id -> new PermanentException("no account of Jane Doe"));
        payments.send("jane", "m1", "Jane Doe");
        payments.flush();
        payments.startWorker();
        Payments.await().until(() -> payments.statuses("m1").equals(List.of("DEAD")));
        assertThat(payments.dlq("replay", "m1", "--wait").exitCode()).isEqualTo(1);
        payments.execute("UPDATE dead_letters SET discard_reason = 'Jane Doe asked for it'");

        Runs.Run erased = payments.dlq("erase", "m1", "--yes", "--because", "request 17");

        assertThat(erased.exitCode()).as(erased.err()).isZero();
        assertThat(payments.texts(TEXTS)).containsExactly(GONE, GONE);
        assertThat(payments.texts("SELECT to_jsonb(d)::text FROM dead_letters d"))
                .allSatisfy(row ->
                        assertThat(row).doesNotContainIgnoringCase("jane").contains("m1", "request 17"));
        assertThat(erased.out())
                .contains("1 dead letter erased")
                .contains("its copy " + payments.deadLetterTopic
                        + "-0@0: the topic's retention is 7d 0h, which removes it")
                .contains(
                        "its copy " + payments.deadLetterTopic + "-0@1", "its source record " + payments.topic + "-0@0")
                .contains("1 replay of it in " + payments.replayTopic, "its message id", "backups");
        assertThat(payments.records(payments.deadLetterTopic)).hasSize(2);
        assertThat(payments.texts("SELECT command || ' ' || outcome || ' ' || filter || ' ' || detail FROM dlq_actions"
                        + " WHERE command = 'erase'"))
                .containsExactly("erase DONE --id " + payments.topic + "/0/0 request 17");

        for (String option : List.of("--payload", "--headers", "--hex", "--raw")) {
            Runs.Run show = payments.dlq("show", "m1", option);
            assertThat(show.exitCode()).isEqualTo(1);
            assertThat(show.out()).doesNotContainIgnoringCase("jane");
            assertThat(show.err()).contains("its data were erased");
        }
        assertThat(payments.dlq("show", "m1").out()).contains("erased        20", "DISCARDED");
        assertThat(payments.dlq("replay", "m1").err()).contains("nothing to replay", "m1: its data were erased");
        Runs.Run edit = payments.dlq("edit", "m1", "--yes", "--tombstone");
        assertThat(edit.exitCode()).isEqualTo(4);
        assertThat(edit.err()).contains("erased");
        Runs.Run restore = payments.dlq("restore", "m1");
        assertThat(restore.exitCode()).isEqualTo(4);
        assertThat(restore.err()).contains("not restored: its data were erased");
        assertThat(payments.texts(TEXTS)).containsExactly(GONE, GONE);
        assertThat(payments.records(payments.replayTopic)).hasSize(1);

        String when = "SELECT erased_at || erased_by FROM dead_letters";
        List<String> before = payments.texts(when);
        Runs.Run again = payments.dlq("erase", "m1", "--because", "request 18");
        assertThat(again.exitCode()).as(again.err()).isZero();
        assertThat(again.out()).contains("Erased already.", "its source record");
        assertThat(payments.texts(when)).isEqualTo(before);
    }

    @Test
    void anExportThatWasMadeBeforeLosesTheDataTooAndBringsNothingBack(@TempDir Path directory) throws IOException {
        payments.deadLetters(3, 3);
        Path file = directory.resolve("before.jsonl");
        assertThat(payments.dlq("export", "--all", "--file", file.toString()).exitCode())
                .isZero();
        List<String> before = Files.readAllLines(file);

        Runs.Run erased = payments.dlq("erase", "m1", "--yes", "--because", "request 17", "--file", file.toString());

        assertThat(erased.exitCode()).as(erased.err()).isZero();
        assertThat(erased.out()).contains(file + ": 1 letter erased.");
        List<String> after = Files.readAllLines(file);
        assertThat(after).hasSize(before.size());
        assertThat(after)
                .filteredOn(line -> !before.contains(line))
                .singleElement()
                .satisfies(line -> assertThat(line)
                        .contains("\"erasedAt\":\"20", "its data were erased")
                        .doesNotContain("account-1", "no account of", "\"value\""));
        assertThat(Files.getPosixFilePermissions(file)).isEqualTo(PosixFilePermissions.fromString("rw-------"));
        assertThat(directory)
                .isDirectoryContaining(other -> other.equals(file))
                .isDirectoryNotContaining(other -> !other.equals(file));

        payments.execute("DELETE FROM dead_letters");
        payments.dlq("import", "--file", file.toString(), "--yes");
        assertThat(payments.texts("SELECT message_id FROM dead_letters ORDER BY 1"))
                .containsExactly("m0", "m2");
    }

    @Test
    void whatIsNoExportIsNotTouchedAndNothingIsErased(@TempDir Path directory) throws IOException {
        payments.deadLetters(1, 1);
        Path file = Files.writeString(directory.resolve("letter.txt"), "Dear aunt,\n");

        Runs.Run refused = payments.dlq("erase", "m0", "--yes", "--because", "r", "--file", file.toString());

        assertThat(refused.exitCode()).isEqualTo(4);
        assertThat(refused.err()).contains("not the beginning of an export");
        assertThat(payments.count("SELECT count(*) FROM dead_letters WHERE erased_at IS NOT NULL"))
                .isZero();
    }

    @Test
    void aWorkerThatSeesTheRecordAgainWritesNothingBack() throws ExecutionException, InterruptedException {
        payments.deadLetters(1, 1);
        assertThat(payments.dlq("erase", "m0", "--yes", "--because", "r").exitCode())
                .isZero();
        payments.stopWorkers();
        payments.admin()
                .alterConsumerGroupOffsets(
                        payments.texts("SELECT group_id FROM consumers").get(0),
                        Map.of(new TopicPartition(payments.topic, 0), new OffsetAndMetadata(0)))
                .all()
                .get();

        payments.send("account-0", "m1", "1");
        payments.flush();
        payments.startWorker();

        Payments.await().until(() -> payments.entries() == 1);
        assertThat(payments.entriesOf("account-0")).containsExactly("m1");
        assertThat(payments.texts(TEXTS)).containsExactly(GONE);
    }

    @Test
    void whatTookEffectStaysResolvedAndWhatIsTriedLosesItsText() {
        payments.deadLetters(2, 2);
        assertThat(payments.dlq("replay", "--all", "--yes", "--wait").exitCode())
                .isZero();
        // As before a worker's mark: only the claim tells.
        payments.execute("UPDATE dead_letters SET status = 'REPLAYED', resolved_at = NULL WHERE message_id = 'm1'");
        payments.execute(
                "INSERT INTO message_attempts VALUES ('" + payments.name
                        + "', 'replay', 0, 1, gen_random_uuid(), 1, 1, 'm0', 1, now(), now(), now(), 'no account of Jane Doe')");

        assertThat(payments.dlq("erase", "m0", "m1", "--yes", "--because", "r").exitCode())
                .isZero();

        assertThat(payments.texts(TEXTS)).containsExactly("-|(erased)||RESOLVED", "-|(erased)||RESOLVED");
        assertThat(payments.count("SELECT count(resolved_at) FROM dead_letters WHERE discard_reason IS NULL"))
                .isEqualTo(2);
        assertThat(payments.texts("SELECT last_error FROM message_attempts")).containsExactly("(erased)");
        assertThat(payments.count("SELECT count(*) FROM processed_messages")).isEqualTo(2);
    }

    @Test
    void nothingIsErasedWithoutAYesOrKafkaOrWhileItIsPublished() {
        payments.deadLetters(1, 1);
        payments.stopWorkers();
        List<String> before = payments.texts(TEXTS);

        Runs.Run nobody = payments.dlq("erase", "m0", "--because", "r");
        Runs.Run no = payments.dlq(new Terminal(true, true, false, 80, false), "n\n", "erase", "m0", "--because", "r");
        Runs.Run why = payments.dlq("erase", "m0", "--yes");
        Runs.Run kafka = payments.dlq("erase", "m0", "--yes", "--because", "r", "--bootstrap-server", "127.0.0.1:1");
        payments.execute("UPDATE dead_letters SET status = 'PENDING'");
        Runs.Run pending = payments.dlq("erase", "m0", "--yes", "--because", "r");
        payments.execute("UPDATE dead_letters SET status = 'DEAD'");

        assertThat(List.of(nobody.exitCode(), no.exitCode(), why.exitCode(), kafka.exitCode(), pending.exitCode()))
                .containsExactly(4, 4, 2, 3, 4);
        assertThat(no.err()).contains("Erase 1 dead letter (" + payments.topic + "/0/0) for good?");
        assertThat(pending.err()).contains("about to publish");
        assertThat(payments.texts(TEXTS)).isEqualTo(before);
        assertThat(payments.count("SELECT count(*) FROM dlq_actions")).isZero();
    }

    @Test
    void compactionRemovesTheCopyAfterATombstone() {
        compact("compact");
        payments.deadLetters(3, 3);
        payments.stopWorkers();

        long copy = payments.count("SELECT dlt_offset FROM dead_letters WHERE message_id = 'm1'");

        Runs.Run run = payments.dlq("erase", "m1", "--yes", "--because", "r");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out())
                .contains(payments.deadLetterTopic + "-0@" + copy + ": compaction removes it, a tombstone follows\n");
        List<ConsumerRecord<byte[], byte[]>> records = payments.records(payments.deadLetterTopic);
        assertThat(records).hasSize(4);
        assertThat(records.get(3).key()).isEqualTo("account-1".getBytes(UTF_8));
        assertThat(records.get(3).value()).isNull();
        // The broker's cleaner looks at all but the segment that is written to.
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", payments.bootstrap),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            Payments.await().pollInterval(Duration.ofMillis(500)).until(() -> {
                producer.send(new ProducerRecord<>(
                                payments.deadLetterTopic, 0, "z".getBytes(UTF_8), "z".getBytes(UTF_8)))
                        .get();
                return payments.records(payments.deadLetterTopic).stream().noneMatch(record -> record.offset() == copy);
            });
        }
        assertThat(payments.dlq("show", "m0", "--raw").out()).isEqualTo("0");
        assertThat(payments.dlq("show", "m2", "--raw").out()).isEqualTo("2");
    }

    @Test
    void aTombstoneTakesNoOtherLettersPayload() {
        compact("compact,delete");
        payments.deadLetters(4, 2);
        String m0 = payments.topic + "/0/0";
        String m2 = payments.topic + "/0/2";

        Runs.Run refused = payments.dlq("erase", "m0", "--yes", "--because", "r");
        payments.dlq("discard", "m2", "--because", "later");
        Runs.Run discarded = payments.dlq("erase", "m0", "--yes", "--because", "r");
        Runs.Run both = payments.dlq("erase", "m0", "m2", m0, "--yes", "--because", "r");

        assertThat(refused.exitCode()).isEqualTo(4);
        assertThat(refused.err()).contains("not finished: " + m2 + ". Replay or edit them first, or erase them");
        assertThat(discarded.exitCode()).isEqualTo(4);
        assertThat(both.exitCode()).as(both.err()).isZero();
        assertThat(both.out()).contains("2 dead letters erased", "a tombstone follows; the topic's retention is");
        assertThat(tombstones()).containsExactly("account-0");

        // What took effect needs its copy no more.
        payments.dlq("replay", "m3", "--wait");
        assertThat(payments.dlq("erase", "m1", "--yes", "--because", "r").exitCode())
                .isZero();
        assertThat(tombstones()).containsExactly("account-0", "account-1");
        assertThat(payments.statuses("m3")).containsExactly("RESOLVED");
    }

    @Test
    void killedBetweenTombstoneAndDatabaseItIsRunAgain() throws SQLException {
        compact("compact");
        payments.deadLetters(1, 1);
        payments.stopWorkers();
        List<String> before = payments.texts(TEXTS);

        try (Connection other = payments.dataSource.getConnection();
                Statement lock = other.createStatement()) {
            other.setAutoCommit(false);
            lock.execute("SELECT * FROM dead_letters FOR UPDATE");
            try (ProcessControl erase = process("erase", "m0", "--yes", "--because", "r")) {
                Payments.await()
                        .until(() ->
                                payments.count("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'dlq'"
                                                + " AND datname = current_database() AND wait_event_type = 'Lock'")
                                        == 1);
                erase.kill9();
            }
            payments.count("SELECT count(*) FROM (SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
                    + " WHERE application_name = 'dlq' AND datname = current_database()) ended");
            other.rollback();
        }
        assertThat(payments.texts(TEXTS)).isEqualTo(before);
        assertThat(tombstones()).hasSize(1);

        assertThat(payments.dlq("erase", "m0", "--yes", "--because", "r").exitCode())
                .isZero();

        assertThat(payments.texts(TEXTS)).containsExactly(GONE);
        assertThat(tombstones()).hasSize(2);
        assertThat(payments.texts("SELECT outcome FROM dlq_actions ORDER BY action_id"))
                .containsExactly("RUNNING", "DONE");
    }

    @Test
    void aReplayThatFailsWhileItIsErasedKeepsWhatItsWorkerIsAboutToPublish() throws Exception {
        payments.deadLetters(1, 1);
        payments.stopWorkers();

        Background run = erasedWhile("INSERT INTO dead_letters SELECT (jsonb_populate_record(d, jsonb_build_object("
                + "'topic', '" + payments.replayTopic
                + "', 'status', 'PENDING', 'dlt_topic', null, 'dlt_partition', null,"
                + " 'dlt_offset', null, 'dead_at', null, 'error_message', 'again'))).* FROM dead_letters d");

        assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
        assertThat(run.out()).contains("1 dead letter erased");
        assertThat(run.err()).contains("a replay of " + payments.topic + "/0/0 failed while");
        assertThat(payments.texts(TEXTS)).containsExactly(GONE, "account-0|again|dev.o|PENDING");
        assertThat(actions()).containsExactly("PARTLY 0 1 r failed again meanwhile: " + payments.topic + "/0/0");

        // As soon as its worker has published it, all goes.
        payments.startWorker();
        payments.execute("UPDATE dead_letters SET status = 'DEAD', dlt_topic = '" + payments.deadLetterTopic
                + "', dlt_partition = 0, dlt_offset = 0, dead_at = now() WHERE status = 'PENDING'");
        assertThat(payments.dlq("erase", "m0", "--yes", "--because", "r").exitCode())
                .isZero();
        assertThat(payments.texts(TEXTS)).containsExactly(GONE, GONE);
    }

    @Test
    void afterATombstoneItIsNeverSaidThatNothingHappened() throws Exception {
        compact("compact");
        payments.deadLetters(2, 2);
        payments.stopWorkers();
        String copy = payments.texts("SELECT dlt_topic || '-' || dlt_partition || '@' || dlt_offset FROM dead_letters"
                        + " WHERE message_id = 'm0'")
                .get(0);

        Background changed = erasedWhile("UPDATE dead_letters SET status = 'PENDING' WHERE message_id = 'm0'");
        payments.execute("UPDATE dead_letters SET status = 'DEAD'");
        Background lost = erasedWhile("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                + " WHERE application_name = 'dlq' AND datname = current_database()");

        for (Background run : List.of(changed, lost)) {
            assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
            assertThat(run.out()).isEmpty();
            assertThat(run.err())
                    .contains(
                            "but compaction removes " + copy + ", as a tombstone was written", "Run the same command");
        }
        assertThat(changed.err()).contains("has failed again in the meantime: nothing was erased in the database");
        assertThat(lost.err()).contains("nobody knows whether the database has erased them");
        assertThat(tombstones()).containsExactly("account-0", "account-0");
        assertThat(payments.count("SELECT count(*) FROM dead_letters WHERE erased_at IS NOT NULL"))
                .isZero();
        assertThat(actions())
                .satisfiesExactly(
                        partly -> assertThat(partly).startsWith("PARTLY 0 1 r ").contains("compaction removes " + copy),
                        running -> assertThat(running).startsWith("RUNNING 0 0"));
    }

    @Test
    void whoMayNotEraseWritesNoTombstone() {
        compact("compact");
        payments.deadLetters(1, 1);
        String role = "eraser_" + payments.name;
        payments.execute("CREATE ROLE " + role + " LOGIN PASSWORD 'secret-of-eraser'");
        payments.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO " + role);
        payments.execute("GRANT INSERT, UPDATE ON dead_letters, dlq_actions TO " + role);
        Map<String, String> environment = payments.environment();
        environment.put("DLQ_DB_USER", role);
        environment.put("PGPASSWORD", "secret-of-eraser");

        Runs.Run run = Runs.dlq(environment, Terminal.NONE, "", "erase", "m0", "--yes", "--because", "r");

        assertThat(run.exitCode()).as(run.err()).isEqualTo(4);
        assertThat(run.err()).contains("this role may not erase", "message_attempts", "nothing was erased");
        assertThat(tombstones()).isEmpty();
        assertThat(actions()).isEmpty();

        payments.execute("GRANT UPDATE (last_error) ON message_attempts TO " + role);
        assertThat(Runs.dlq(environment, Terminal.NONE, "", "erase", "m0", "--yes", "--because", "r")
                        .exitCode())
                .isZero();
        assertThat(payments.texts(TEXTS)).containsExactly(GONE);
    }

    @Test
    void otherLettersUnderTheSameIdAreNamed() {
        payments.deadLetters(2, 2);
        payments.execute("UPDATE dead_letters SET message_id = 'twice'");
        String first = payments.topic + "/0/0";
        String second = payments.topic + "/0/1";

        Runs.Run ambiguous = payments.dlq("erase", "twice", "--yes", "--because", "r");
        Runs.Run one = payments.dlq("erase", first, "--yes", "--because", "r");
        Runs.Run both = payments.dlq("erase", first, second, "--yes", "--because", "r");

        assertThat(ambiguous.exitCode()).isEqualTo(2);
        assertThat(ambiguous.err()).contains(first, second);
        assertThat(one.out()).contains("other dead letters under its message id, with key and error texts: " + second);
        assertThat(both.exitCode()).as(both.err()).isZero();
        assertThat(both.out()).doesNotContain("other dead letters");
        assertThat(payments.texts(TEXTS)).containsExactly(GONE, GONE);
    }

    @Test
    void whatIsTriedWithoutAnIdLosesItsTextToo() {
        payments.deadLetters(2, 2);
        payments.stopWorkers();
        payments.execute("UPDATE dead_letters SET message_id = NULL");
        payments.execute(
                "INSERT INTO message_attempts SELECT consumer_name, '" + payments.replayTopic + "', 0, record_offset,"
                        + " gen_random_uuid(), 1, payload_hash, NULL, 1, now(), now(), now(), 'no account of Jane Doe'"
                        + " FROM dead_letters");

        assertThat(payments.dlq("erase", payments.topic + "/0/1", "--yes", "--because", "r")
                        .exitCode())
                .isZero();

        assertThat(payments.texts("SELECT last_error FROM message_attempts ORDER BY record_offset"))
                .containsExactly("no account of Jane Doe", "(erased)");
    }

    /** Runs it until it waits for the row, and lets something happen before it goes on. */
    private Background erasedWhile(String sql) throws Exception {
        try (Connection other = payments.dataSource.getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("SELECT FROM dead_letters FOR UPDATE");
            Background run = new Background(payments.environment(), "erase", "m0", "--yes", "--because", "r");
            Payments.await()
                    .until(() -> payments.count("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'dlq'"
                                    + " AND datname = current_database() AND wait_event_type = 'Lock'")
                            == 1);
            statement.execute(sql);
            other.commit();
            run.exitCode();
            return run;
        }
    }

    private List<String> actions() {
        return payments.texts("SELECT outcome || ' ' || done || ' ' || failed || ' ' || replace(detail, chr(10), ' ')"
                + " FROM dlq_actions ORDER BY action_id");
    }

    private List<String> tombstones() {
        return payments.records(payments.deadLetterTopic).stream()
                .filter(record -> record.value() == null)
                .map(record -> new String(record.key(), UTF_8))
                .toList();
    }

    private void compact(String policy) {
        List<AlterConfigOp> settings = Stream.of(
                        new ConfigEntry("cleanup.policy", policy),
                        new ConfigEntry("segment.ms", "200"),
                        new ConfigEntry("min.cleanable.dirty.ratio", "0.0"))
                .map(entry -> new AlterConfigOp(entry, AlterConfigOp.OpType.SET))
                .toList();
        try {
            payments.admin()
                    .incrementalAlterConfigs(
                            Map.of(new ConfigResource(ConfigResource.Type.TOPIC, payments.deadLetterTopic), settings))
                    .all()
                    .get();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private ProcessControl process(String... arguments) {
        JavaProcess process = ProcessControl.java(DlqMain.class)
                .named("dlq")
                .jvmOptions("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
                .arguments(arguments)
                .onErrors(line -> {})
                .onOutput(line -> {});
        payments.environment().forEach(process::environment);
        return process.start();
    }
}
