package dev.onceward.dlq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.dlq.connect.ConnectionOptions;
import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.exit.Stop;
import dev.onceward.dlq.index.DeadLetterIndex;
import dev.onceward.dlq.index.Filter;
import dev.onceward.dlq.index.LetterSource;
import dev.onceward.dlq.output.Console;
import dev.onceward.dlq.output.Secrets;
import dev.onceward.dlq.output.Terminal;
import dev.onceward.dlq.transfer.ExportFile;
import dev.onceward.dlq.transfer.ExportResult;
import dev.onceward.dlq.transfer.ExportRun;
import dev.onceward.postgres.ClaimPruning;
import dev.onceward.postgres.Database;
import dev.onceward.postgres.Tables;
import dev.onceward.testsupport.JavaProcess;
import dev.onceward.testsupport.ProcessControl;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Dead letters that leave in a file and come back. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class TransferIT {
    private static final Terminal TERMINAL = new Terminal(true, true, true, 120, false);
    private static final byte[] ODD = {(byte) 0xff, 1, (byte) 0x80, '\n'};

    private final Payments payments = new Payments(2);

    @TempDir
    private Path directory;

    @AfterEach
    void close() {
        payments.close();
    }

    // ---- byte for byte ----

    @Test
    void F43_hostileKeysComeBackFromJsonByteForByteAndStandNeutralisedInCsv() {
        List<ProducerRecord<byte[], byte[]>> odd = oddRecords();
        payments.breakFor(id -> true);
        odd.forEach(payments::send);
        payments.flush();
        payments.startWorker();
        awaitDead(odd.size());
        payments.breakFor(id -> false);
        List<ConsumerRecord<byte[], byte[]>> before = payments.records(payments.deadLetterTopic);
        List<String> rows = rowsWithoutPlaces();
        Runs.Run csv = payments.dlq("list", "--limit", "0", "-o", "csv");
        assertThat(csv.out())
                .contains("\"'=HYPERLINK(\"\"http://example.org\"\")\"")
                .doesNotContain(",=HYPERLINK", "\"=HYPERLINK");

        assertThat(payments.dlq("export", "--all", "--file", file("all")).exitCode())
                .isZero();
        emptyDeadLetterTopic();
        assertThat(payments.dlq("replay", "--all", "--yes").exitCode()).isEqualTo(1);
        Runs.Run imported = payments.dlq("import", "--file", file("all"), "--yes");

        assertThat(imported.exitCode()).as(imported.err()).isZero();
        assertThat(imported.out()).contains(odd.size() + "  payload put back");
        assertThat(rowsWithoutPlaces()).isEqualTo(rows);
        assertSame(before, payments.records(payments.deadLetterTopic));
        Runs.Run replayed = payments.dlq("replay", "--all", "--yes", "--wait");
        assertThat(replayed.exitCode()).as(replayed.err()).isZero();
        assertThat(payments.entries()).isEqualTo(odd.size());
        assertThat(payments.distinctEntries()).isEqualTo(odd.size());
        assertThat(payments.texts("SELECT command || ' ' || outcome || ' ' || selected || ' ' || done || ' ' || failed"
                        + " FROM dlq_actions WHERE command = 'import'"))
                .containsExactly("import DONE " + odd.size() + " " + odd.size() + " 0");
    }

    /** All without NUL, which the table of the effects does not take. */
    private List<ProducerRecord<byte[], byte[]>> oddRecords() {
        byte[][] keys = {
            null,
            new byte[0],
            ODD,
            utf8("=HYPERLINK(\"http://example.org\")"),
            utf8("a \"b\"\r\n,'c'"),
            utf8("\uD83D\uDE00")
        };
        byte[][] values = {utf8("9.99"), null, new byte[0], ODD, utf8("{\"a\":\"\u2028\\\"\"}"), utf8("\u0001\u001b[2J")
        };
        List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (int i = 0; i < keys.length; i++) {
            for (int j = 0; j < values.length; j++) {
                ProducerRecord<byte[], byte[]> record =
                        new ProducerRecord<>(payments.topic, (i + j) % 2, keys[i], values[j]);
                record.headers()
                        .add("message-id", utf8("id-" + i + "-" + j))
                        .add("again", utf8("1"))
                        .add("nothing", null)
                        .add("odd \"name\"\n", ODD)
                        .add("again", utf8("2"))
                        .add("again", utf8("1"));
                records.add(record);
            }
        }
        return records;
    }

    private static void assertSame(
            List<ConsumerRecord<byte[], byte[]>> before, List<ConsumerRecord<byte[], byte[]>> after) {
        assertThat(after).hasSameSizeAs(before);
        Map<String, ConsumerRecord<byte[], byte[]>> byId =
                after.stream().collect(Collectors.toMap(TransferIT::id, record -> record));
        for (ConsumerRecord<byte[], byte[]> record : before) {
            ConsumerRecord<byte[], byte[]> copy = byId.get(id(record));
            assertThat(copy.partition()).isEqualTo(record.partition());
            assertThat(copy.key()).isEqualTo(record.key());
            assertThat(copy.value()).isEqualTo(record.value());
            assertThat(copy.headers().toArray()).isEqualTo(record.headers().toArray());
        }
    }

    private static String id(ConsumerRecord<byte[], byte[]> record) {
        Header header = record.headers().lastHeader("message-id");
        return new String(header.value(), UTF_8);
    }

    // ---- export ----

    @Test
    void cutAnywhereAndRunAgainItIsTheSameFile() throws IOException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        payments.deadLetters(40, 7);
        payments.stopWorkers();
        assertThat(payments.dlq("discard", "m3", "--because", "no").exitCode()).isZero();
        assertThat(payments.dlq("export", "--since", "5h", "--file", file("whole"))
                        .exitCode())
                .isZero();
        byte[] whole = Files.readAllBytes(path("whole"));
        int head = new String(whole, UTF_8).indexOf('\n') + 1;

        List<Integer> cuts = new ArrayList<>(List.of(0, 1, head - 1, head, whole.length - 1, whole.length - 5));
        for (int i = 0; i < 14; i++) {
            cuts.add(head + random.nextInt(whole.length - head));
        }
        for (int cut : cuts) {
            Files.write(path("cut"), Arrays.copyOf(whole, cut));

            Runs.Run run = payments.dlq("export", "--since", "5h", "--file", file("cut"));

            assertThat(run.exitCode())
                    .as("seed %d, cut %d: %s", seed, cut, run.err())
                    .isZero();
            if (cut < head) {
                // Begun anew, at a later time.
                assertThat(letters("cut")).as("seed %d, cut %d", seed, cut).isEqualTo(letters("whole"));
            } else {
                assertThat(path("cut")).as("seed %d, cut %d", seed, cut).hasBinaryContent(whole);
            }
        }
        assertThat(letters("whole"))
                .hasSize(40)
                .anySatisfy(line -> assertThat(line)
                        .contains("\"messageId\":\"m3\"", "\"status\":\"DISCARDED\"", "\"discardReason\":\"no\""));
    }

    @Test
    void aFileIsNotOverwrittenByAccident() throws IOException {
        payments.deadLetters(3, 3);
        assertThat(payments.dlq("export", "--all", "--file", file("all")).exitCode())
                .isZero();
        byte[] whole = Files.readAllBytes(path("all"));
        Files.write(path("cut"), Arrays.copyOf(whole, whole.length - 40));
        Files.writeString(path("letter"), "Dear aunt,");
        Files.writeString(path("letters"), "Dear aunt,\nhow are you?\n");
        Files.setPosixFilePermissions(path("letter"), PosixFilePermissions.fromString("rw-r--r--"));

        Runs.Run again = payments.dlq("export", "--all", "--file", file("all"));
        Runs.Run other = payments.dlq("export", "--key", "account-1", "--file", file("cut"));
        Runs.Run status = payments.dlq("export", "--all", "--status", "dead", "--file", file("cut"));

        assertThat(again.exitCode()).isEqualTo(4);
        assertThat(again.err()).contains("complete export already", "--overwrite");
        assertThat(other.exitCode()).isEqualTo(4);
        assertThat(other.err()).contains("another export", "--key account-1");
        assertThat(status.exitCode()).isEqualTo(4);
        assertThat(payments.dlq("export", "--all", "--file", file("letter")).exitCode())
                .isEqualTo(4);
        assertThat(payments.dlq("export", "--all", "--file", file("letters")).exitCode())
                .isEqualTo(4);
        assertThat(path("letter")).hasContent("Dear aunt,");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path("letter"))))
                .isEqualTo("rw-r--r--");
        assertThat(path("all")).hasBinaryContent(whole);
        assertThat(payments.dlq("export", "--file", file("all")).exitCode()).isEqualTo(2);
        assertThat(payments.dlq("export", "--all", "--file", file("no/such/directory"))
                        .exitCode())
                .isEqualTo(2);
        Files.setPosixFilePermissions(path("all"), PosixFilePermissions.fromString("rw-rw-rw-"));
        assertThat(payments.dlq("export", "m1", "--file", file("all"), "--overwrite")
                        .exitCode())
                .isZero();
        assertThat(letters("all")).hasSize(1);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path("all"))))
                .isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path("cut"))))
                .isEqualTo("rw-------");
    }

    @Test
    void goesToStandardOutputToo() throws IOException {
        payments.deadLetters(5, 5);
        payments.stopWorkers();

        Runs.Run run = payments.dlq("export", "--all", "-f", "-");
        assertThat(payments.dlq("export", "--all", "-f", file("all")).exitCode())
                .isZero();

        assertThat(run.exitCode()).isZero();
        assertThat(run.out().lines().skip(1))
                .isEqualTo(Files.readAllLines(path("all")).stream().skip(1).toList());
        assertThat(run.err()).contains("5 dead letters written to standard output");
    }

    /** As it is with list. */
    @Test
    void aReaderThatHadEnoughIsNoFailureToTellOf() throws Exception {
        payments.deadLetters(5, 5);
        Path said = path("said");
        ProcessBuilder shell = new ProcessBuilder(
                "bash",
                "-c",
                "\"$0\" -cp \"$1\" dev.onceward.dlq.DlqMain export --all -f - | true; exit ${PIPESTATUS[0]}",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                System.getProperty("java.class.path"));
        shell.environment().putAll(payments.environment());
        Process process =
                shell.redirectErrorStream(true).redirectOutput(said.toFile()).start();

        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();

        assertThat(process.exitValue()).isEqualTo(1);
        assertThat(said).hasContent("");
    }

    @Test
    void whatIsErasedWhileItIsWrittenDoesNotGetOut() throws Exception {
        payments.deadLetters(4, 4);
        payments.stopWorkers();
        Console console = new Console(
                new BufferedReader(new StringReader("")),
                System.out,
                System.err,
                payments.environment(),
                Terminal.NONE,
                new Secrets());
        try (Connections connections = new ConnectionOptions(console).connections();
                ExportFile target = ExportFile.open(path("all"), false)) {
            DeadLetterIndex index = new DeadLetterIndex(connections);
            // After the letters were looked up, and before they are written.
            LetterSource slow = (LetterSource) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {LetterSource.class}, (proxy, method, arguments) -> {
                        if (method.getName().equals("stacktraces")) {
                            Runs.Run refused = payments.dlq(
                                    "erase", "m0", "--because", "request 16", "--yes", "--file", file("all"));
                            assertThat(refused.exitCode()).isEqualTo(4);
                            assertThat(refused.err()).contains("an export writes " + file("all"));
                            assertThat(payments.dlq("erase", "m1", "--because", "request 17", "--yes")
                                            .exitCode())
                                    .isZero();
                        }
                        return method.invoke(index, arguments);
                    });

            ExportResult result = new ExportRun(connections, slow, console, Stop.silent(), target)
                    .run(payments.name, now -> Filter.all(payments.name, EnumSet.allOf(DeadLetterStatus.class)));

            assertThat(result).isEqualTo(new ExportResult(4, 0, 0, true));
        }
        assertThat(letters("all")).hasSize(4);
        assertThat(letters("all").stream().filter(line -> line.contains("payloadMissing")))
                .singleElement()
                .asString()
                .contains("its data were erased")
                .doesNotContain("account-1", "no account of m1", "\"value\"");
    }

    @Test
    void whatTheFirstRunCouldNotHaveIsCountedByTheLastOne() throws IOException {
        payments.deadLetters(4, 4);
        payments.stopWorkers();
        emptyDeadLetterTopic();
        Runs.Run first = payments.dlq("export", "--all", "--file", file("all"));
        byte[] whole = Files.readAllBytes(path("all"));
        // Without its end, and in the middle of the last letter.
        Files.write(path("all"), Arrays.copyOf(whole, whole.length - 60));

        Runs.Run second = payments.dlq("export", "--all", "--file", file("all"));

        assertThat(first.exitCode()).isEqualTo(1);
        assertThat(second.exitCode()).isEqualTo(1);
        assertThat(second.err())
                .contains("1 dead letter written", "behind 3 that were there already", "4 have no payload any more");
        assertThat(path("all")).hasBinaryContent(whole);
    }

    @Test
    void whatHasNoPayloadAnyMoreIsSaidToHaveNone() throws IOException {
        payments.deadLetters(4, 4);
        assertThat(payments.dlq("replay", "m0", "--wait").exitCode()).isZero();
        payments.execute("UPDATE dead_letters SET erased_at = now(), error_message = 'secret' WHERE message_id = 'm1'");
        emptyDeadLetterTopic();

        Runs.Run run = payments.dlq("export", "--all", "--file", file("all"));

        // What took effect is no loss, what was erased is none either.
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("exported without payload", "2 have no payload any more");
        assertThat(letters("all"))
                .hasSize(4)
                .allSatisfy(line -> assertThat(line).contains("payloadMissing").doesNotContain("\"value\"", "secret"));
        Runs.Run imported = payments.dlq("import", "--file", file("all"), "--yes");
        assertThat(imported.exitCode()).isEqualTo(1);
        assertThat(imported.out()).contains("1  there already", "1  took effect already", "2  impossible");
        assertThat(imported.err()).contains("exported without payload");
    }

    // ---- import ----

    @Test
    void importedTwiceTheSecondDoesNothing() {
        payments.deadLetters(20, 5);
        assertThat(payments.dlq("export", "--all", "--file", file("all")).exitCode())
                .isZero();
        Runs.Run needless = payments.dlq("import", "--file", file("all"), "--yes");
        payments.execute("DELETE FROM dead_letters WHERE message_id < 'm15'");
        emptyDeadLetterTopic();
        long rows = payments.count("SELECT count(*) FROM dead_letters");

        Runs.Run dry = payments.dlq("import", "--file", file("all"), "--dry-run");
        assertThat(payments.records(payments.deadLetterTopic)).isEmpty();
        assertThat(payments.count("SELECT count(*) FROM dlq_actions")).isEqualTo(1);
        Runs.Run first = payments.dlq("import", "--file", file("all"), "--yes");
        Runs.Run second = payments.dlq("import", "--file", file("all"), "--yes");

        assertThat(needless.out()).contains("20  there already");
        assertThat(dry.out()).isEqualTo(first.out());
        assertThat(dry.err()).contains("Nothing was written.");
        assertThat(first.exitCode()).as(first.err()).isZero();
        assertThat(first.out()).contains(rows + "  payload put back", (20 - rows) + "  added");
        assertThat(second.exitCode()).isZero();
        assertThat(second.out()).contains("20  there already").doesNotContain("added", "put back");
        assertThat(payments.records(payments.deadLetterTopic)).hasSize(20);
        // No claim was ever pruned: one that is not there never was.
        assertThat(payments.texts("SELECT DISTINCT reason || ' ' || status FROM dead_letters"))
                .containsExactly("PERMANENT DEAD");
        assertThat(payments.dlq("replay", "--all", "--yes", "--wait").exitCode())
                .isZero();
        assertThat(payments.entries()).isEqualTo(20);
        assertThat(payments.dlq("import", "--file", file("all"), "--yes").out()).contains("20  took effect already");
    }

    @Test
    void aRowThatWasLostComesBackWithItsFacts() {
        payments.deadLetters(3, 3);
        assertThat(payments.dlq("discard", "m1", "--because", "refunded").exitCode())
                .isZero();
        payments.execute("UPDATE dead_letters SET asserted_by = 'somebody', edited_payload_hash = -7");
        String facts = "SELECT row(consumer_name, topic, partition, record_offset, topic_id, record_timestamp,"
                + " payload_hash, origin_topic, origin_partition, origin_offset, origin_timestamp, message_id,"
                + " record_key, status, reason, error_class, error_message, error_stacktrace, attempts,"
                + " first_failed_at, failed_at, dead_at, worker_id, generation, replays, edited_payload_hash, discarded_at,"
                + " discarded_by, discard_reason)::text FROM dead_letters ORDER BY message_id";
        List<String> before = payments.texts(facts);
        assertThat(payments.dlq("export", "--all", "--file", file("all")).exitCode())
                .isZero();
        payments.execute("DELETE FROM dead_letters");

        Runs.Run run = payments.dlq("import", "--file", file("all"), "--yes");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(payments.texts(facts)).isEqualTo(before);
        assertThat(payments.count("SELECT count(*) FROM dead_letters WHERE asserted_by IS NOT NULL"))
                .isZero();
    }

    @Test
    void whatOnlyTheTopicToldComesBackToo() {
        payments.deadLetters(3, 3);
        Runs.Run exported = payments.dlq("export", "--all", "--from-topic", "--file", file("all"));
        payments.execute("DELETE FROM dead_letters WHERE message_id = 'm0'");
        emptyDeadLetterTopic();

        Runs.Run first = payments.dlq("import", "--file", file("all"), "--yes");
        Runs.Run second = payments.dlq("import", "--file", file("all"), "--yes");

        assertThat(exported.exitCode()).as(exported.err()).isZero();
        assertThat(first.exitCode()).as(first.err()).isZero();
        // The topic does not tell of which topic's life its letters are.
        assertThat(first.out()).contains("2  payload put back", "1  added as TOO_OLD");
        assertThat(second.out()).contains("3  there already");
        assertThat(payments.dlq("replay", "m1", "m2", "--yes", "--wait").exitCode())
                .isZero();
    }

    @Test
    void aTopicMadeAgainIsFilledAgain() {
        payments.deadLetters(20, 5);
        payments.stopWorkers();
        assertThat(payments.dlq("export", "--all", "--file", file("all")).exitCode())
                .isZero();
        delete(payments.deadLetterTopic);

        Runs.Run gone = payments.dlq("export", "--all", "--file", file("gone"));
        Runs.Run refused = payments.dlq("import", "--file", file("all"), "--yes");
        payments.create(payments.deadLetterTopic, 1, Map.of());
        // What is at their offsets now are others.
        for (int i = 0; i < 10; i++) {
            payments.send(new ProducerRecord<>(payments.deadLetterTopic, utf8("key"), utf8("other " + i)));
        }
        payments.flush();
        Runs.Run first = payments.dlq("import", "--file", file("all"), "--yes");
        Runs.Run second = payments.dlq("import", "--file", file("all"), "--yes");

        assertThat(gone.exitCode()).isEqualTo(1);
        assertThat(gone.err()).contains("20 have no payload any more");
        assertThat(refused.exitCode()).isEqualTo(4);
        assertThat(refused.err()).contains("does not exist: create it");
        assertThat(first.out()).contains("20  payload put back");
        assertThat(second.out()).contains("20  there already");
        assertThat(payments.dlq("replay", "--all", "--yes").out()).contains("20 messages sent");
    }

    @Test
    void killedBeforeItIsRecordedItIsPublishedAgain() throws SQLException {
        payments.deadLetters(20, 4);
        payments.stopWorkers();
        assertThat(payments.dlq("export", "--all", "--file", file("all")).exitCode())
                .isZero();
        emptyDeadLetterTopic();

        try (Connection other = payments.dataSource.getConnection();
                Statement lock = other.createStatement()) {
            other.setAutoCommit(false);
            lock.execute("SELECT * FROM dead_letters FOR UPDATE");
            JavaProcess process = ProcessControl.java(DlqMain.class)
                    .named("dlq")
                    .arguments("import", "--file", file("all"), "--yes")
                    .onOutput(line -> {});
            payments.environment().forEach(process::environment);
            try (ProcessControl command = process.start()) {
                Payments.await()
                        .until(() ->
                                payments.count("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'dlq'"
                                                + " AND datname = current_database() AND wait_event_type = 'Lock'")
                                        == 1);
                command.kill9();
            }
            assertThat(payments.count("SELECT count(*) FROM (SELECT pg_terminate_backend(pid, 5000)"
                            + " FROM pg_stat_activity WHERE application_name = 'dlq'"
                            + " AND datname = current_database()) ended"))
                    .isPositive();
            other.rollback();
        }
        assertThat(payments.records(payments.deadLetterTopic)).hasSize(20);

        Runs.Run run = payments.dlq("import", "--file", file("all"), "--yes");

        assertThat(run.out()).contains("20  payload put back");
        assertThat(payments.records(payments.deadLetterTopic)).hasSize(40);
        payments.startWorker();
        assertThat(payments.dlq("replay", "--all", "--yes", "--wait").exitCode())
                .isZero();
        assertThat(payments.entries()).isEqualTo(20);
        assertThat(payments.texts("SELECT outcome FROM dlq_actions WHERE command = 'import' ORDER BY action_id"))
                .containsExactly("RUNNING", "DONE");
    }

    @Test
    void asksBeforeMoreThanOne() {
        payments.deadLetters(2, 2);
        assertThat(payments.dlq("export", "--all", "--file", file("all")).exitCode())
                .isZero();
        emptyDeadLetterTopic();

        Runs.Run nobody = payments.dlq("import", "--file", file("all"));
        Runs.Run no = payments.dlq(TERMINAL, "n\n", "import", "--file", file("all"));

        assertThat(nobody.exitCode()).isEqualTo(4);
        assertThat(nobody.err()).contains("--yes");
        assertThat(no.err()).contains("Import 2 dead letters of " + payments.name, "nothing was imported");
        assertThat(payments.records(payments.deadLetterTopic)).isEmpty();
        assertThat(payments.dlq(TERMINAL, "y\n", "import", "--file", file("all"))
                        .exitCode())
                .isZero();
    }

    // ---- never a second effect ----

    @Test
    void F49_anExportThatIsReplayedAfterItsClaimWasPrunedHasNoSecondEffect() {
        exportReplayAndPrune();

        Runs.Run imported = payments.dlq("import", "--file", file("all"), "--yes");
        emptyDeadLetterTopic();
        Runs.Run again = payments.dlq("import", "--file", file("all"), "--yes");
        Runs.Run replayed = payments.dlq("replay", "--all", "--yes", "--status", "dead,replayed");
        sendTheOldReplayAgain();

        assertThat(imported.out()).contains("1  took effect already");
        assertThat(again.out()).contains("1  took effect already");
        assertThat(replayed.err()).contains("nothing to replay");
        awaitReplayTopicFinished();
        assertThat(payments.entries()).isEqualTo(1);
    }

    @Test
    void afterItsClaimWasPrunedAndItsRowLostNobodyCanTell() {
        exportReplayAndPrune();
        payments.execute("DELETE FROM dead_letters");

        Runs.Run dry = payments.dlq("import", "--file", file("all"), "--dry-run");
        Runs.Run imported = payments.dlq("import", "--file", file("all"), "--yes");

        assertThat(dry.out()).contains("1  added as TOO_OLD");
        assertThat(imported.exitCode()).isZero();
        assertThat(imported.out()).contains("1  added as TOO_OLD");
        assertThat(imported.err()).contains("--assert-unprocessed");
        assertThat(payments.texts("SELECT status || ' ' || reason || ' ' || error_message FROM dead_letters"))
                .containsExactly("DEAD TOO_OLD imported, and was PERMANENT: no account of m0");
        Runs.Run refused = payments.dlq("replay", "--all", "--yes", "--status", "dead,replayed");
        assertThat(refused.exitCode()).isEqualTo(4);
        assertThat(refused.err()).contains("TOO_OLD");

        sendTheOldReplayAgain();
        Payments.await()
                .until(() -> payments.count(
                                "SELECT count(*) FROM dead_letters WHERE reason = 'TOO_OLD'" + " AND status = 'DEAD'")
                        == 2);
        assertThat(payments.entries()).isEqualTo(1);

        // Somebody takes it upon himself.
        Runs.Run asserted = payments.dlq("replay", "--all", "--yes", "--wait", "--assert-unprocessed");
        assertThat(asserted.exitCode()).as(asserted.err()).isZero();
        assertThat(payments.entries()).isEqualTo(2);
    }

    @Test
    void whatCameThroughAnotherPartitionAndWasPrunedIsNoProofEither() {
        exportReplayAndPrune();
        payments.execute("DELETE FROM dead_letters");
        assertThat(payments.count(
                        "SELECT max(pruned_through) FROM partition_generations WHERE topic = ?", payments.topic))
                .isEqualTo(-1);

        assertThat(payments.dlq("import", "--file", file("all"), "--yes").out()).contains("1  added as TOO_OLD");
    }

    @Test
    void thatClaimsWerePrunedIsRememberedWhenTheReplayTopicIsMadeAgain() {
        exportReplayAndPrune();
        payments.execute("DELETE FROM dead_letters");
        // As the takeover of a topic made again leaves it.
        payments.execute("UPDATE partition_generations SET topic_id = gen_random_uuid(), pruned_through = -1"
                + " WHERE topic = '" + payments.replayTopic + "'");

        Runs.Run imported = payments.dlq("import", "--file", file("all"), "--yes");
        Runs.Run refused = payments.dlq("replay", "--all", "--yes");
        sendTheOldReplayAgain();
        awaitReplayTopicFinished();

        assertThat(imported.out()).contains("1  added as TOO_OLD");
        assertThat(refused.exitCode()).isEqualTo(4);
        assertThat(payments.entries()).isEqualTo(1);
    }

    @Test
    void ofATopicThatWasMadeAgainNobodyCanTell() {
        payments.deadLetters(1, 1);
        assertThat(payments.dlq("export", "--all", "--file", file("all")).exitCode())
                .isZero();
        payments.execute("DELETE FROM dead_letters");
        // As the takeover of a topic made again leaves it: nothing of it was ever pruned.
        payments.execute("UPDATE partition_generations SET topic_id = gen_random_uuid(), pruned_through = -1");

        assertThat(payments.dlq("import", "--file", file("all"), "--yes").out()).contains("1  added as TOO_OLD");
    }

    @Test
    void whatTookEffectSinceIsNotAddedAgain() {
        payments.deadLetters(1, 1);
        assertThat(payments.dlq("export", "--all", "--file", file("all")).exitCode())
                .isZero();
        assertThat(payments.dlq("replay", "--all", "--yes", "--wait").exitCode())
                .isZero();
        payments.execute("DELETE FROM dead_letters");

        Runs.Run run = payments.dlq("import", "--file", file("all"), "--yes");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("1  took effect already");
        assertThat(payments.count("SELECT count(*) FROM dead_letters")).isZero();
    }

    @Test
    void whatFailedAgainSinceIsKnownByThat() {
        payments.deadLetters(1, 1);
        assertThat(payments.dlq("export", "--all", "--file", file("all")).exitCode())
                .isZero();
        payments.breakFor(id -> true);
        assertThat(payments.dlq("replay", "--all", "--yes", "--wait").exitCode())
                .isEqualTo(1);
        payments.execute("DELETE FROM dead_letters WHERE topic = '" + payments.topic + "'");
        // By the clock of its worker, which is slow.
        payments.execute("UPDATE dead_letters SET failed_at = failed_at - interval '1 hour'");

        Runs.Run run = payments.dlq("import", "--file", file("all"), "--yes");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("1  known by a later failure");
    }

    @Test
    void anOldFailureDoesNotBecomeTheNewest() {
        payments.deadLetters(1, 1);
        assertThat(payments.dlq("export", "--all", "--file", file("first")).exitCode())
                .isZero();
        payments.breakFor(id -> true);
        assertThat(payments.dlq("replay", "--all", "--yes", "--wait").exitCode())
                .isEqualTo(1);
        assertThat(payments.dlq("export", "--all", "--file", file("second")).exitCode())
                .isZero();
        String times = "SELECT topic || ' ' || dead_at FROM dead_letters ORDER BY dead_at";
        List<String> before = payments.texts(times);
        payments.execute("DELETE FROM dead_letters");

        Runs.Run first = payments.dlq("import", "--file", file("first"), "--yes");
        Runs.Run second = payments.dlq("import", "--file", file("second"), "--yes");

        assertThat(before).hasSize(2);
        assertThat(first.exitCode()).as(first.err()).isZero();
        assertThat(second.exitCode()).as(second.err()).isZero();
        assertThat(payments.texts(times)).isEqualTo(before);
        assertThat(payments.dlq("list", "-o", "jsonl").out().lines()).hasSize(1);
    }

    @Test
    void whatOthersDecideWhileItIsPublishedIsTold() throws Exception {
        payments.deadLetters(3, 3);
        payments.stopWorkers();
        assertThat(payments.dlq("export", "--all", "--file", file("all")).exitCode())
                .isZero();
        emptyDeadLetterTopic();

        Background run;
        try (Connection other = payments.dataSource.getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("UPDATE dead_letters SET erased_at = now() WHERE message_id = 'm0'");
            statement.execute(
                    "UPDATE dead_letters SET status = 'RESOLVED', resolved_at = now()" + " WHERE message_id = 'm1'");
            run = new Background(payments.environment(), "import", "--file", file("all"), "--yes");
            Payments.await()
                    .until(() -> payments.count("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'dlq'"
                                    + " AND datname = current_database() AND wait_event_type = 'Lock'")
                            == 1);
            other.commit();
        }

        assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
        assertThat(run.out()).contains("1  payload put back", "1  took effect already", "1  refused");
        assertThat(run.err()).contains("its data were erased, and stay so");
        assertThat(payments.texts("SELECT outcome || ' ' || done || ' ' || failed FROM dlq_actions"))
                .containsExactly("PARTLY 1 1");
    }

    @Test
    void whatWasErasedStaysErased() {
        payments.deadLetters(2, 2);
        assertThat(payments.dlq("export", "--all", "--file", file("all")).exitCode())
                .isZero();
        payments.execute("UPDATE dead_letters SET erased_at = now(), erased_by = 'me', message_id = NULL,"
                + " record_key = NULL, error_message = '' WHERE message_id = 'm0'");
        emptyDeadLetterTopic();

        Runs.Run run = payments.dlq("import", "--file", file("all"), "--yes");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).contains("1  payload put back", "1  refused");
        assertThat(run.err()).contains("its data were erased, and stay so");
        assertThat(payments.records(payments.deadLetterTopic)).hasSize(1);
    }

    /** The same message under another time, another topic's id, or without a word of where it comes from. */
    @Test
    void whatWasErasedDoesNotComeBackInAChangedLine() throws IOException {
        payments.deadLetters(1, 1);
        payments.stopWorkers();
        assertThat(payments.dlq("export", "--all", "--file", file("all")).exitCode())
                .isZero();
        assertThat(payments.dlq("erase", "m0", "--because", "request 17", "--yes")
                        .exitCode())
                .isZero();
        emptyDeadLetterTopic();

        Runs.Run time = forged(line -> line.replaceAll("\"timestamp\":[0-9]+}", "\"timestamp\":7}")
                .replaceAll("\"timestamp\":[0-9]+,\"payloadHash", "\"timestamp\":7,\"payloadHash"));
        UnaryOperator<String> untold = line -> line.replaceAll("\"timestamp\":[0-9]+", "\"timestamp\":7")
                .replaceAll("\\[\"onceward.dlq.original-timestamp\",\"[0-9]+\"\\],", "");
        Runs.Run noTime = forged(untold);
        Runs.Run elsewhere = forged(line -> untold.apply(line)
                .replaceAll("\"offset\":0,\"t", "\"offset\":99,\"t")
                .replace("[\"__dlq.errors.offset\",\"0\"]", "[\"__dlq.errors.offset\",\"99\"]"));

        assertThat(time.exitCode()).isEqualTo(1);
        assertThat(time.err()).contains("original-timestamp does not agree with the letter's origin.timestamp");
        for (Runs.Run run : List.of(noTime, elsewhere)) {
            assertThat(run.exitCode()).as(run.err()).isEqualTo(4);
            assertThat(run.err()).contains("its data were erased, and stay so");
        }
        assertThat(payments.records(payments.deadLetterTopic)).isEmpty();
        assertThat(payments.count("SELECT count(*) FROM dead_letters")).isEqualTo(1);
    }

    @Test
    void aLineThatContradictsTheRowOrItselfIsRefused() throws IOException {
        payments.deadLetters(1, 1);
        payments.stopWorkers();
        assertThat(payments.dlq("export", "--all", "--file", file("all")).exitCode())
                .isZero();
        emptyDeadLetterTopic();
        String topicId = "\"topicId\":\"[^\"]*\"";

        Runs.Run otherTopic =
                forged(line -> line.replaceAll(topicId, "\"topicId\":\"00000000-0000-0001-0000-000000000002\""));
        Runs.Run noTopic = forged(line -> line.replaceAll(topicId, "\"topicId\":null"));
        Runs.Run reason = forged(line -> line.replace("\"reason\":\"PERMANENT\"", "\"reason\":\"UNLUCKY\""));
        Runs.Run otherReason = forged(line -> line.replace("\"reason\":\"PERMANENT\"", "\"reason\":\"UNDECODABLE\""));

        assertThat(otherTopic.exitCode()).isEqualTo(4);
        assertThat(otherTopic.err()).contains("is of another record");
        assertThat(noTopic.err()).contains("record.topicId must not be null");
        assertThat(reason.err()).contains("there is no UNLUCKY");
        assertThat(otherReason.err()).contains("onceward.dlq.reason does not agree with the letter's reason");
        assertThat(List.of(noTopic, reason, otherReason))
                .allSatisfy(run -> assertThat(run.exitCode()).isEqualTo(1));
        assertThat(payments.records(payments.deadLetterTopic)).isEmpty();
        assertThat(payments.dlq("import", "--file", file("all"), "--yes").out()).contains("1  payload put back");
    }

    // ---- files that are not what they should be ----

    @Test
    void whatWasForgedIsRefused() throws IOException {
        payments.deadLetters(1, 1);
        assertThat(payments.dlq("export", "--all", "--file", file("all")).exitCode())
                .isZero();
        payments.execute("DELETE FROM dead_letters");
        String foreign = "foreign." + payments.name;
        payments.create(foreign, 1, Map.of());

        Runs.Run topic = forged(line ->
                line.replace("\"copy\":{\"topic\":\"" + payments.deadLetterTopic, "\"copy\":{\"topic\":\"" + foreign));
        Runs.Run source = forged(line -> line.replace(
                "\"copy\":{\"topic\":\"" + payments.deadLetterTopic, "\"copy\":{\"topic\":\"" + payments.topic));
        Runs.Run record = forged(line ->
                line.replace("\"record\":{\"topic\":\"" + payments.topic, "\"record\":{\"topic\":\"" + foreign));
        Runs.Run origin = forged(line -> line.replace(payments.topic, foreign));
        Runs.Run value = forged(line -> line.replace("\"value\":\"0\"", "\"value\":\"1000000\""));
        Runs.Run id = forged(line -> line.replace("\"messageId\":\"m0\"", "\"messageId\":\"m1\""));

        assertThat(topic.exitCode()).isEqualTo(4);
        assertThat(topic.err()).contains(foreign + " is not known as a dead-letter topic", "--dead-letter-pattern");
        assertThat(source.exitCode()).isEqualTo(4);
        assertThat(record.exitCode()).isEqualTo(4);
        assertThat(record.err()).contains("has never read a topic " + foreign);
        assertThat(origin.exitCode()).isEqualTo(4);
        assertThat(value.exitCode()).isEqualTo(1);
        assertThat(value.err()).contains(file("forged") + ", line 2", "not the hash of value");
        assertThat(id.exitCode()).isEqualTo(1);
        assertThat(payments.count("SELECT count(*) FROM dead_letters")).isZero();
        assertThat(payments.records(payments.deadLetterTopic)).hasSize(1);
        assertThat(payments.records(payments.topic)).hasSize(1);
        assertThat(payments.records(foreign)).isEmpty();
        assertThat(payments.texts("SELECT DISTINCT outcome FROM dlq_actions ORDER BY outcome"))
                .containsExactly("PARTLY", "REFUSED");
    }

    @Test
    void whatIsBrokenIsNamedAndTheRestGoesOn() throws IOException {
        payments.deadLetters(6, 6);
        assertThat(payments.dlq("export", "--all", "--file", file("all")).exitCode())
                .isZero();
        emptyDeadLetterTopic();
        List<String> lines = new ArrayList<>(Files.readAllLines(path("all")));
        lines.set(2, "{\"consumer\":");
        lines.set(4, lines.get(4).replace("\"attempts\":", "\"attempts\":-"));
        lines.add(3, "Dear aunt,");
        lines.remove(lines.size() - 1);
        String last = lines.remove(lines.size() - 1);
        Files.writeString(path("broken"), String.join("\n", lines) + "\n" + last.substring(0, last.length() / 2));

        Runs.Run run = payments.dlq("import", "--file", file("broken"), "--yes");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).contains("3  payload put back", "4  impossible");
        assertThat(run.err())
                .contains(
                        "broken, line 3: it is no JSON",
                        "broken, line 4: it is no JSON",
                        "broken, line 6: attempts must be",
                        "broken, line 8: it is no JSON",
                        "is incomplete");
        assertThat(payments.texts("SELECT outcome || ' ' || done || ' ' || failed FROM dlq_actions"))
                .containsExactly("PARTLY 3 4");
    }

    @Test
    void aMissingEndIsToldAfterTheRest() throws IOException {
        payments.deadLetters(3, 3);
        assertThat(payments.dlq("export", "--all", "--file", file("all")).exitCode())
                .isZero();
        emptyDeadLetterTopic();
        List<String> lines = Files.readAllLines(path("all"));
        Files.write(path("endless"), lines.subList(0, 4));
        List<String> fewer = new ArrayList<>(lines);
        fewer.remove(1);
        Files.write(path("fewer"), fewer);

        Runs.Run endless = payments.dlq("import", "--file", file("endless"), "--yes");
        Runs.Run missing = payments.dlq("import", "--file", file("fewer"), "--yes");

        assertThat(endless.exitCode()).isEqualTo(1);
        assertThat(endless.out()).contains("3  payload put back");
        assertThat(endless.err()).contains("is incomplete");
        assertThat(missing.exitCode()).isEqualTo(1);
        assertThat(missing.out()).contains("2  there already");
        assertThat(missing.err()).contains("is incomplete");
    }

    @Test
    void theFileMustBeOfTheConsumer() throws IOException {
        payments.deadLetters(1, 1);
        assertThat(payments.dlq("export", "--all", "--file", file("all")).exitCode())
                .isZero();
        Files.writeString(path("other"), Files.readString(path("all")).replace(payments.name, "other"));
        Files.writeString(path("letter"), "Dear aunt,\n");

        Runs.Run other = payments.dlq("import", "--file", file("other"), "--yes");

        assertThat(other.exitCode()).isEqualTo(4);
        assertThat(other.err()).contains("of the consumer other");
        assertThat(payments.dlq("import", "--file", file("letter"), "--yes").exitCode())
                .isEqualTo(4);
        assertThat(payments.dlq("import", "--file", file("nothing"), "--yes").exitCode())
                .isEqualTo(2);
        assertThat(payments.count("SELECT count(*) FROM dlq_actions")).isZero();
    }

    // ---- helpers ----

    /** One message: dead, exported, replayed, its effect committed, its claim pruned. */
    private void exportReplayAndPrune() {
        payments.deadLetters(1, 1);
        assertThat(payments.dlq("export", "--all", "--file", file("all")).exitCode())
                .isZero();
        Runs.Run replayed = payments.dlq("replay", "--all", "--yes", "--wait");
        assertThat(replayed.exitCode()).as(replayed.err()).isZero();
        assertThat(payments.entries()).isEqualTo(1);
        awaitReplayTopicFinished();
        Database database = new Database(payments.dataSource, new Tables("public"), payments.name, 0);
        ClaimPruning pruning = new ClaimPruning(database, Duration.ZERO, 100);
        try {
            assertThat((long) database.inTransaction(Duration.ofSeconds(10), pruning::prune))
                    .isEqualTo(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        assertThat(payments.count("SELECT count(*) FROM processed_messages")).isZero();
        assertThat(payments.count("SELECT count(*) FROM partition_generations WHERE pruned_through >= 0"))
                .isEqualTo(1);
    }

    /** Until the heartbeat has stored that everything in the replay topic is finished. */
    private void awaitReplayTopicFinished() {
        long records = payments.records(payments.replayTopic).size();
        Payments.await()
                .until(() -> payments.count(
                                "SELECT coalesce(sum(watermark), 0) FROM partition_generations" + " WHERE topic = ?",
                                payments.replayTopic)
                        == records);
    }

    private void sendTheOldReplayAgain() {
        ConsumerRecord<byte[], byte[]> old =
                payments.records(payments.replayTopic).get(0);
        payments.send(
                new ProducerRecord<>(payments.replayTopic, old.partition(), old.key(), old.value(), old.headers()));
        payments.flush();
    }

    private Runs.Run forged(UnaryOperator<String> change) throws IOException {
        List<String> lines = new ArrayList<>(Files.readAllLines(path("all")));
        String forged = change.apply(lines.get(1));
        assertThat(forged).isNotEqualTo(lines.get(1));
        lines.set(1, forged);
        Files.write(path("forged"), lines);
        return payments.dlq("import", "--file", file("forged"), "--yes");
    }

    private List<String> letters(String name) throws IOException {
        List<String> lines = Files.readAllLines(path(name));
        return lines.subList(1, lines.size() - 1);
    }

    private List<String> rowsWithoutPlaces() {
        return payments.texts("SELECT (to_jsonb(d) - 'dlt_offset')::text FROM dead_letters d ORDER BY message_id");
    }

    private void awaitDead(int count) {
        Payments.await()
                .until(() -> payments.count("SELECT count(*) FROM dead_letters WHERE status = 'DEAD'") == count);
    }

    /** As retention would. */
    private void emptyDeadLetterTopic() {
        Map<TopicPartition, RecordsToDelete> all = Map.of(
                new TopicPartition(payments.deadLetterTopic, 0), RecordsToDelete.beforeOffset(-1),
                new TopicPartition(payments.deadLetterTopic, 1), RecordsToDelete.beforeOffset(-1));
        payments.admin()
                .deleteRecords(all)
                .all()
                .toCompletionStage()
                .toCompletableFuture()
                .join();
    }

    private void delete(String topic) {
        payments.admin()
                .deleteTopics(Set.of(topic))
                .all()
                .toCompletionStage()
                .toCompletableFuture()
                .join();
        Payments.await()
                .until(() -> !payments.admin().listTopics().names().get().contains(topic));
    }

    private String file(String name) {
        return path(name).toString();
    }

    private Path path(String name) {
        return directory.resolve(name);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(UTF_8);
    }
}
