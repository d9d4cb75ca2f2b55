package dev.onceward.dlq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.dlq.output.Terminal;
import dev.onceward.message.PayloadHash;
import dev.onceward.testsupport.JavaProcess;
import dev.onceward.testsupport.ProcessControl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A payload changed by hand and sent again: it takes effect once, whatever else was sent under its id. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class EditIT {
    private static final Terminal TERMINAL = new Terminal(true, true, false, 100, false);

    private final Payments payments = new Payments(2);

    @TempDir
    private Path directory;

    @AfterEach
    void close() {
        payments.close();
    }

    @Test
    void editedInAnEditorItTakesEffectWithItsIdKeyAndHeaders() throws IOException {
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(
                payments.topic, "account-1".getBytes(UTF_8), "{\"amount\": \"1O\", \"to\": \"x\"}".getBytes(UTF_8));
        record.headers().add("message-id", "m1".getBytes(UTF_8)).add("trace", new byte[] {(byte) 0xff});
        dead(record);
        payments.breakFor(id -> false);

        Runs.Run run = edit(TERMINAL, "y\n", script("sed -i s/1O/10/ \"$2\""), "m1", "--wait");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains("1 message sent", "1 took effect");
        assertThat(run.err()).contains("27 bytes → 27 bytes", "-  \"amount\" : \"1O\"", "+  \"amount\" : \"10\"");
        assertThat(payments.texts("SELECT message_id || ' ' || account || ' ' || amount FROM entries"))
                .containsExactly("m1 account-1 {\"amount\": \"10\", \"to\": \"x\"}");
        assertThat(payments.statuses("m1")).containsExactly("RESOLVED");
        ConsumerRecord<byte[], byte[]> sent =
                payments.records(payments.replayTopic).get(0);
        assertThat(sent.key()).isEqualTo(record.key());
        assertThat(sent.headers().toArray()).startsWith(record.headers().toArray());
        assertThat(payments.texts("SELECT command || ' ' || outcome || ' ' || done || ' ' || detail FROM dlq_actions"))
                .containsExactly("edit DONE 1 payload hash " + hex(record.value()) + " → " + hex(sent.value()));
        assertThat(payments.texts("SELECT filter || detail FROM dlq_actions").get(0))
                .doesNotContain("amount");
        assertThat(payments.count("SELECT payload_hash FROM dead_letters")).isEqualTo(PayloadHash.of(record.value()));
        assertThat(payments.count("SELECT edited_payload_hash FROM dead_letters"))
                .isEqualTo(PayloadHash.of(sent.value()));
        assertThat(payments.dlq("show", "m1").out()).contains("edited", "@");
    }

    @Test
    void theFileForTheEditorIsPrivateAndGoneAfterwards() throws IOException {
        dead("m1", "secret");
        Path seen = directory.resolve("seen");
        String look = "stat -c %a \"$2\" $(dirname \"$2\") > " + seen + "; echo \"$2\" >> " + seen
                + "; touch \"$2\"~; echo \"$1\" >> " + seen + "; echo new > \"$2\"";

        Runs.Run run = edit(Terminal.NONE, "", script(look), "m1", "--yes");

        assertThat(run.exitCode()).as(run.err()).isZero();
        List<String> lines = Files.readAllLines(seen);
        assertThat(lines).startsWith("600", "700").endsWith("an argument");
        assertThat(Path.of(lines.get(2)).getParent()).doesNotExist();
        // The line feed that editors add at the end is not part of the payload.
        assertThat(payments.records(payments.replayTopic).get(0).value()).isEqualTo("new".getBytes(UTF_8));
    }

    @Test
    void nothingIsSentIfNothingChangedOrTheEditorFailsOrNobodySaysYes() {
        dead("m1", "100");

        Runs.Run unchanged = edit(TERMINAL, "y\n", script("true"), "m1");
        Runs.Run failed = edit(TERMINAL, "y\n", script("echo 200 > \"$2\"; exit 3"), "m1");
        Runs.Run no = edit(TERMINAL, "n\n", script("echo 200 > \"$2\""), "m1");
        Runs.Run nobody = edit(Terminal.NONE, "", script("echo 200 > \"$2\""), "m1");
        Runs.Run none = payments.dlq("edit", "m1");

        assertThat(unchanged.exitCode()).isZero();
        assertThat(unchanged.err()).contains("Nothing is changed: nothing was sent");
        assertThat(failed.exitCode()).isEqualTo(4);
        assertThat(failed.err()).contains("ended with 3: nothing was sent");
        assertThat(no.exitCode()).isEqualTo(4);
        assertThat(nobody.exitCode()).isEqualTo(4);
        assertThat(nobody.err()).contains("give --yes");
        assertThat(none.exitCode()).isEqualTo(2);
        assertThat(none.err()).contains("Set VISUAL or EDITOR");
        assertThat(payments.records(payments.replayTopic)).isEmpty();
        assertThat(payments.count("SELECT count(*) FROM dead_letters WHERE edited_payload_hash IS NULL"))
                .isEqualTo(1);
        assertThat(payments.count("SELECT count(*) FROM dlq_actions")).isZero();
    }

    @Test
    void bytesOfAFileGoAsTheyAreAndBytesThatAreNoTextAreNotOpened() throws IOException {
        byte[] odd = {(byte) 0xff, 0, 13, 10, (byte) 0x80, 10};
        dead("m1", "x");
        dead(new ProducerRecord<>(payments.topic, "b".getBytes(UTF_8), odd), "m2");
        payments.stopWorkers();
        Path empty = Files.createFile(directory.resolve("empty"));

        Runs.Run binary =
                payments.dlq("edit", "m1", "--yes", "--value-file", file(odd).toString());
        Runs.Run opened = edit(TERMINAL, "y\n", script("true"), "m2");
        Runs.Run nothing = payments.dlq("edit", "m2", "--yes", "--value-file", empty.toString());

        assertThat(binary.exitCode()).as(binary.err()).isZero();
        assertThat(binary.err()).contains("1 byte → 6 bytes", "no text");
        assertThat(opened.exitCode()).isEqualTo(4);
        assertThat(opened.err()).contains("dlq show --raw");
        assertThat(nothing.exitCode()).as(nothing.err()).isZero();
        assertThat(payments.records(payments.replayTopic))
                .extracting(ConsumerRecord::value)
                .containsExactlyInAnyOrder(odd, new byte[0]);
    }

    @Test
    void standardInputAndATombstoneWork() throws IOException, InterruptedException {
        dead("m1", "x");
        dead("m2", "y");
        payments.stopWorkers();
        byte[] odd = {(byte) 0xff, 0, 10};

        assertThat(payments.dlq("edit", "m1", "--value-file", "-").exitCode()).isEqualTo(2);
        ProcessBuilder builder = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        DlqMain.class.getName(),
                        "edit",
                        "m1",
                        "--value-file",
                        "-",
                        "--yes")
                .redirectInput(file(odd).toFile())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("out").toFile());
        builder.environment().putAll(payments.environment());
        Process process = builder.start();
        assertThat(process.waitFor())
                .as(Files.readString(directory.resolve("out")))
                .isZero();
        Runs.Run tombstone = payments.dlq("edit", "m2", "--tombstone", "--yes");

        assertThat(tombstone.exitCode()).as(tombstone.err()).isZero();
        assertThat(tombstone.err()).contains("1 byte → null, a tombstone");
        assertThat(payments.records(payments.replayTopic))
                .extracting(ConsumerRecord::value)
                .containsExactlyInAnyOrder(odd, null);
    }

    @Test
    void ofTwoEditsAtOnceOneIsSent() throws IOException {
        dead("m1", "x");
        payments.stopWorkers();
        String one = file("one".getBytes(UTF_8)).toString();
        String other = file("other".getBytes(UTF_8)).toString();

        List<CompletableFuture<Runs.Run>> runs = Stream.of(one, other, one, other)
                .map(file ->
                        CompletableFuture.supplyAsync(() -> payments.dlq("edit", "m1", "--yes", "--value-file", file)))
                .toList();

        assertThat(runs.stream().map(run -> run.join().exitCode())).containsExactlyInAnyOrder(0, 4, 4, 4);
        assertThat(payments.records(payments.replayTopic)).hasSize(1);
        assertThat(payments.count("SELECT edited_payload_hash FROM dead_letters"))
                .isEqualTo(PayloadHash.of(
                        payments.records(payments.replayTopic).get(0).value()));
    }

    @Test
    void whatTheProducerDoesNotTakeIsAsIfNobodyHadEditedIt() throws IOException {
        dead("m1", "x");
        payments.send("other-key", "m1", "x");
        payments.flush();
        Payments.await().until(() -> payments.statuses("m1").equals(List.of("DEAD", "DEAD")));
        // As after an edit of before that may have been sent: that is not to be forgotten.
        payments.execute("UPDATE dead_letters SET edited_payload_hash = 42, edited_by = 'me', edited_at = '2020-01-01'"
                + " WHERE record_key = 'other-key'");
        payments.breakFor(id -> false);
        String name = payments.texts("SELECT origin_topic || '/' || origin_partition || '/' || origin_offset"
                        + " FROM dead_letters WHERE edited_by IS NULL")
                .get(0);

        Runs.Run large = payments.dlq(
                "edit", name, "--yes", "--value-file", file(new byte[2_000_000]).toString());

        assertThat(large.exitCode()).as(large.err()).isEqualTo(1);
        assertThat(large.err()).contains("Kafka's producer does not take it");
        assertThat(payments.records(payments.replayTopic)).isEmpty();
        assertThat(payments.texts("SELECT (record_key = 'other-key') || ' ' || edited_payload_hash || edited_by"
                        + " || extract(year FROM edited_at) FROM dead_letters WHERE edited_payload_hash IS NOT NULL"
                        + " OR edited_by IS NOT NULL OR edited_at IS NOT NULL"))
                .containsExactly("true 42me2020");
        Runs.Run replay = payments.dlq("replay", name, "--wait");
        assertThat(replay.exitCode()).as(replay.err()).isZero();
        assertThat(payments.texts("SELECT amount FROM entries")).containsExactly("x");
    }

    @Test
    void killedBeforeItIsSentItCanBeEditedAgain() throws Exception {
        dead("m1", "x");
        payments.breakFor(id -> false);
        payments.stopWorkers();
        Path edited = file("edited".getBytes(UTF_8));

        // In the middle of a commit, which the server finishes for a client that is dead.
        try (Held held = new Held(
                        "AFTER UPDATE",
                        "NEW.edited_by IS NOT NULL AND NEW.status = 'DEAD'",
                        "DEFERRABLE INITIALLY DEFERRED");
                ProcessControl edit = process("edit", "m1", "--yes", "--value-file", edited.toString())) {
            held.await();
            edit.kill9();
        }
        Payments.await().until(() -> payments.count("SELECT count(edited_payload_hash) FROM dead_letters") == 1);

        assertThat(payments.records(payments.replayTopic)).isEmpty();
        assertThat(payments.statuses("m1")).containsExactly("DEAD");
        Runs.Run replay = payments.dlq("replay", "--all", "--yes");
        assertThat(replay.exitCode()).isEqualTo(4);
        assertThat(replay.err()).contains("another payload was sent in its place, or may have been");
        Runs.Run again = payments.dlq("edit", "m1", "--yes", "--value-file", edited.toString());
        assertThat(again.exitCode()).as(again.err()).isZero();
        payments.startWorker();
        Payments.await().until(() -> payments.statuses("m1").equals(List.of("RESOLVED")));
        assertThat(payments.texts("SELECT amount FROM entries")).containsExactly("edited");
        assertThat(payments.texts("SELECT outcome FROM dlq_actions WHERE command = 'edit' ORDER BY action_id"))
                .containsExactly("RUNNING", "DONE");
    }

    @Test
    void killedAfterItIsSentTheSameEditAgainIsADuplicate() throws Exception {
        killedAfterSending("edited");

        assertThat(payments.dlq(
                                "edit",
                                "m1",
                                "--yes",
                                "--value-file",
                                file("edited".getBytes(UTF_8)).toString())
                        .exitCode())
                .isZero();
        payments.startWorker();

        Payments.await().until(() -> payments.statuses("m1").equals(List.of("RESOLVED")));
        awaitReplaysDone(2);
        assertThat(payments.texts("SELECT amount FROM entries")).containsExactly("edited");
        assertThat(payments.statuses("m1")).containsExactly("RESOLVED");
    }

    @Test
    void killedAfterItIsSentTheOriginalAfterAllHasNoSecondEffect() throws Exception {
        killedAfterSending("edited");

        Runs.Run original = payments.dlq(
                "edit", "m1", "--yes", "--value-file", file("x".getBytes(UTF_8)).toString());
        payments.startWorker();

        assertThat(original.exitCode()).as(original.err()).isZero();
        assertThat(original.err()).contains("this is the original payload", "the first that the workers process");
        Payments.await().until(() -> payments.statuses("m1").equals(List.of("RESOLVED", "DEAD")));
        assertThat(payments.texts("SELECT amount FROM entries")).containsExactly("edited");
        // What was sent last did not take effect, and the index says so, and why.
        assertThat(payments.dlq("show", "m1").out()).contains("status        DEAD", "reason        ID_REUSED");
        // Not even when the claim is gone: nothing would be left to say that the id had its effect.
        payments.execute("DELETE FROM processed_messages");
        Runs.Run replay = payments.dlq("replay", "m1", "--assert-unprocessed");
        assertThat(replay.exitCode()).isEqualTo(4);
        assertThat(replay.err()).contains("ID_REUSED: another payload took effect under this id");
    }

    @Test
    void killedAfterItIsSentAnotherEditHasNoSecondEffect() throws Exception {
        killedAfterSending("one");
        assertThat(payments.dlq(
                                "edit",
                                "m1",
                                "--yes",
                                "--value-file",
                                file("two".getBytes(UTF_8)).toString())
                        .exitCode())
                .isZero();
        payments.startWorker();

        // Its hash is not known any more, so nobody can tell that the first one was never processed.
        Payments.await()
                .until(() -> payments.texts("SELECT reason || ' ' || status FROM dead_letters ORDER BY status")
                        .equals(List.of("TOO_OLD DEAD", "PERMANENT RESOLVED")));
        assertThat(payments.texts("SELECT amount FROM entries")).containsExactly("two");
    }

    @Test
    void whatFailsAgainIsEditedAgainAndEveryRowOfItIsResolved() throws IOException {
        payments.breakFor(id -> true);
        dead("m1", "x");
        Runs.Run first = payments.dlq(
                "edit",
                "m1",
                "--yes",
                "--wait",
                "--value-file",
                file("one".getBytes(UTF_8)).toString());
        assertThat(first.exitCode()).isEqualTo(1);
        assertThat(first.out()).contains("0 took effect, 1 dead again");
        assertThat(payments.statuses("m1")).containsExactly("REPLAYED", "DEAD");
        assertThat(payments.dlq("show", "m1", "--raw").bytes()).isEqualTo("one".getBytes(UTF_8));

        payments.breakFor(id -> false);
        Runs.Run second = payments.dlq(
                "edit",
                "m1",
                "--yes",
                "--wait",
                "--value-file",
                file("two".getBytes(UTF_8)).toString());

        assertThat(second.exitCode()).as(second.err()).isZero();
        assertThat(payments.texts("SELECT amount FROM entries")).containsExactly("two");
        // Both: one left open would prove the message unprocessed, once its claim is pruned.
        assertThat(payments.statuses("m1")).containsExactly("RESOLVED", "RESOLVED");
    }

    @Test
    void whatFailsAgainCanBeReplayedAsItIs() throws IOException {
        payments.breakFor(id -> true);
        dead("m1", "x");
        payments.dlq(
                "edit",
                "m1",
                "--yes",
                "--wait",
                "--value-file",
                file("one".getBytes(UTF_8)).toString());
        payments.breakFor(id -> false);

        Runs.Run replay = payments.dlq("replay", "m1", "--wait");

        assertThat(replay.exitCode()).as(replay.err()).isZero();
        assertThat(payments.texts("SELECT amount FROM entries")).containsExactly("one");
        assertThat(payments.statuses("m1")).containsExactly("RESOLVED", "RESOLVED");
    }

    @Test
    void aCopyOfTheOriginalThatComesInBetweenMakesNoSecondEffect() throws IOException {
        dead("m1", "x");
        dead("m2", "y");
        payments.stopWorkers();
        String edited = file("edited".getBytes(UTF_8)).toString();
        assertThat(payments.dlq("edit", "m1", "--yes", "--value-file", edited).exitCode())
                .isZero();
        payments.send("account", "m1", "x");
        payments.send("account", "m2", "y");
        payments.flush();
        payments.breakFor(id -> false);
        payments.startWorker();

        // Whichever comes first.
        Payments.await().until(() -> payments.statuses("m2").equals(List.of("RESOLVED")));
        awaitReplaysDone(1);
        Payments.await().until(() -> payments.count("SELECT count(*) FROM entries WHERE message_id = 'm1'") == 1);
        Runs.Run late = payments.dlq("edit", "m2", "--yes", "--value-file", edited);

        assertThat(late.exitCode()).isEqualTo(4);
        assertThat(late.err()).contains("is RESOLVED: its message took effect");
        assertThat(payments.entries()).isEqualTo(2);
        assertThat(payments.distinctEntries()).isEqualTo(2);
    }

    @Test
    void anotherCopyOfTheMessageIsResolvedByTheEditToo() throws IOException {
        dead("m1", "x");
        payments.send("other-key", "m1", "x");
        payments.flush();
        Payments.await().until(() -> payments.statuses("m1").equals(List.of("DEAD", "DEAD")));
        payments.breakFor(id -> false);

        Runs.Run ambiguous = payments.dlq("edit", "m1", "--yes", "--tombstone");
        String name = payments.texts("SELECT origin_topic || '/' || origin_partition || '/' || origin_offset"
                        + " FROM dead_letters LIMIT 1")
                .get(0);
        Runs.Run run = payments.dlq(
                "edit",
                name,
                "--yes",
                "--wait",
                "--value-file",
                file("edited".getBytes(UTF_8)).toString());

        assertThat(ambiguous.exitCode()).isEqualTo(2);
        assertThat(ambiguous.err()).contains("several dead letters", name);
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(payments.statuses("m1")).containsExactly("RESOLVED", "RESOLVED");
        assertThat(payments.entries()).isEqualTo(1);
    }

    @Test
    void onlyWhatIsDeadIsEditedAndTooOldOnlyIfAsserted() throws IOException {
        dead("m1", "x");
        payments.stopWorkers();
        String edited = file("edited".getBytes(UTF_8)).toString();

        payments.dlq("discard", "m1", "--because", "no");
        Runs.Run discarded = payments.dlq("edit", "m1", "--yes", "--value-file", edited);
        payments.dlq("restore", "m1");
        payments.execute("UPDATE dead_letters SET reason = 'TOO_OLD'");
        Runs.Run tooOld = payments.dlq("edit", "m1", "--yes", "--value-file", edited);
        Runs.Run asserted = payments.dlq("edit", "m1", "--yes", "--value-file", edited, "--assert-unprocessed");
        Runs.Run replayed = payments.dlq("edit", "m1", "--yes", "--value-file", edited);
        Runs.Run original = payments.dlq("replay", "m1", "--status", "replayed");

        assertThat(List.of(
                        discarded.exitCode(),
                        tooOld.exitCode(),
                        asserted.exitCode(),
                        replayed.exitCode(),
                        original.exitCode()))
                .containsExactly(4, 4, 0, 4, 4);
        assertThat(discarded.err()).contains("dlq restore");
        assertThat(tooOld.err()).contains("--assert-unprocessed");
        assertThat(replayed.err()).contains("may still take effect");
        assertThat(payments.texts("SELECT asserted_by FROM dead_letters").get(0))
                .contains("@");
        payments.breakFor(id -> false);
        payments.startWorker();
        Payments.await().until(() -> payments.statuses("m1").equals(List.of("RESOLVED")));
        assertThat(payments.texts("SELECT amount FROM entries")).containsExactly("edited");
    }

    // ---- setting the scene ----

    /** A letter m1 with the payload x; an edit of it is in the replay topic, and the command died before it could say so. */
    private void killedAfterSending(String payload) throws Exception {
        dead("m1", "x");
        payments.breakFor(id -> false);
        payments.stopWorkers();
        try (Held held = new Held("BEFORE UPDATE", "NEW.status = 'REPLAYED'", "");
                ProcessControl edit = process(
                        "edit",
                        "m1",
                        "--yes",
                        "--value-file",
                        file(payload.getBytes(UTF_8)).toString())) {
            held.await();
            edit.kill9();
            // The server would finish the statement of a client that is dead.
            payments.count("SELECT count(*) FROM (SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
                    + " WHERE application_name = 'dlq' AND datname = current_database()) ended");
        }
        assertThat(payments.statuses("m1")).containsExactly("DEAD");
        assertThat(payments.records(payments.replayTopic)).hasSize(1);
    }

    /** Updates like this wait until it is closed. */
    private final class Held implements AutoCloseable {
        private final Connection holder;

        Held(String when, String condition, String how) throws SQLException {
            holder = payments.dataSource.getConnection();
            execute("SELECT pg_advisory_lock(4711)");
            execute("CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS"
                    + " $$ BEGIN PERFORM pg_advisory_xact_lock(4711); RETURN NEW; END $$");
            execute("CREATE " + (how.isEmpty() ? "" : "CONSTRAINT ") + "TRIGGER hold " + when + " ON dead_letters "
                    + how + " FOR EACH ROW WHEN (" + condition + ") EXECUTE FUNCTION hold()");
        }

        /** Until the command's statement has come to it. */
        void await() {
            Payments.await()
                    .until(() -> payments.count("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'dlq'"
                                    + " AND datname = current_database() AND wait_event = 'advisory'")
                            == 1);
        }

        @Override
        public void close() throws SQLException {
            execute("SELECT pg_advisory_unlock(4711)");
            execute("DROP TRIGGER hold ON dead_letters");
            holder.close();
        }

        private void execute(String sql) throws SQLException {
            try (Statement statement = holder.createStatement()) {
                statement.execute(sql);
            }
        }
    }

    private void awaitReplaysDone(int count) {
        Payments.await()
                .until(() -> payments.count(
                                "SELECT coalesce(sum(watermark), 0) FROM partition_generations" + " WHERE topic = ?",
                                payments.replayTopic)
                        == count);
    }

    private void dead(String id, String payload) {
        dead(new ProducerRecord<>(payments.topic, ("account-" + id).getBytes(UTF_8), payload.getBytes(UTF_8)), id);
    }

    private void dead(ProducerRecord<byte[], byte[]> record, String id) {
        record.headers().add("message-id", id.getBytes(UTF_8));
        dead(record);
    }

    private void dead(ProducerRecord<byte[], byte[]> record) {
        long before = payments.count("SELECT count(*) FROM dead_letters WHERE status = 'DEAD'");
        payments.breakFor(id -> true);
        payments.send(record);
        payments.flush();
        if (before == 0) {
            payments.startWorker();
        }
        Payments.await()
                .until(() -> payments.count("SELECT count(*) FROM dead_letters WHERE status = 'DEAD'") == before + 1);
    }

    private Path file(byte[] content) throws IOException {
        return Files.write(Files.createTempFile(directory, "value", ""), content);
    }

    /** An editor with an argument of its own before the file's name. */
    private String script(String commands) {
        try {
            Path script = Files.writeString(
                    Files.createTempFile(directory, "editor", ".sh"), "#!/bin/sh\n" + commands + "\n");
            Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
            return script + " 'an argument'";
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private Runs.Run edit(Terminal terminal, String input, String editor, String... arguments) {
        Map<String, String> environment = new HashMap<>(payments.environment());
        environment.put("EDITOR", editor);
        String[] all = Stream.concat(Stream.of("edit"), Stream.of(arguments)).toArray(String[]::new);
        return Runs.dlq(environment, terminal, input, all);
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

    private static String hex(byte[] payload) {
        return HexFormat.of().toHexDigits(PayloadHash.of(payload));
    }
}
