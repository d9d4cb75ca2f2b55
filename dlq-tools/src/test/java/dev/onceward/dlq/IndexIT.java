package dev.onceward.dlq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.onceward.dlq.output.Bytes;
import dev.onceward.dlq.output.Printable;
import dev.onceward.dlq.output.Terminal;
import dev.onceward.testsupport.JavaProcess;
import dev.onceward.testsupport.ProcessControl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What {@code list}, {@code stats} and {@code show} say is so. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class IndexIT {
    private final Payments payments = new Payments(2);

    @AfterEach
    void close() {
        payments.close();
    }

    @Test
    void aDeadLetterThatWasProcessedAfterAllIsResolvedWhateverTheRowSays() throws IOException {
        payments.deadLetters(2, 2);
        // The producer sends it once more, and this time it works.
        payments.send("account-0", "m0", "0");
        payments.flush();
        Payments.await().until(() -> payments.entries() == 1);
        payments.execute("UPDATE dead_letters SET status = 'DEAD', resolved_at = NULL");

        assertThat(ids("list")).containsExactly("m1");
        assertThat(ids("list", "--status", "resolved")).containsExactly("m0");
        assertThat(payments.dlq("show", "m0").out())
                .contains("RESOLVED (its message took effect after all; the index says DEAD)");
        assertThat(payments.dlq("replay", "m0").err()).contains("nothing to replay");
        assertThat(payments.dlq("stats", "--by", "status", "--status", "all", "-o", "csv")
                        .out())
                .contains("status,DEAD,1,0.5,", "status,RESOLVED,1,0.5,");
    }

    @Test
    void anIdUsedAgainForSomethingElseResolvesNothing() throws IOException {
        payments.deadLetters(1, 1);
        payments.send("account-0", "m0", "other content");
        payments.flush();
        Payments.await().until(() -> payments.entries() == 1);

        assertThat(ids("list", "--status", "dead")).containsExactly("m0");
        assertThat(ids("list", "--status", "resolved")).isEmpty();
    }

    @Test
    void filtersMeanWhatTheySay() throws IOException {
        payments.deadLetters(6, 3);
        payments.execute("UPDATE dead_letters SET reason = 'TOO_OLD', failed_at = failed_at - interval '3 hours'"
                + " WHERE message_id IN ('m0', 'm3')");
        String origin = payments.texts("SELECT origin_topic || '/' || origin_partition || '/' || origin_offset"
                        + " FROM dead_letters WHERE message_id = 'm4'")
                .get(0);

        assertThat(ids("list")).containsExactlyInAnyOrder("m0", "m1", "m2", "m3", "m4", "m5");
        assertThat(ids("list", "--id", "m2", "--id", origin)).containsExactlyInAnyOrder("m2", "m4");
        assertThat(ids("list", "--key", "account-1")).containsExactlyInAnyOrder("m1", "m4");
        assertThat(ids("list", "--key", "base64:" + Base64.getEncoder().encodeToString("account-1".getBytes(UTF_8))))
                .hasSize(2);
        assertThat(ids("list", "--reason", "too_old")).containsExactlyInAnyOrder("m0", "m3");
        assertThat(ids("list", "--since", "2h")).hasSize(4);
        assertThat(ids("list", "--until", "2h")).containsExactlyInAnyOrder("m0", "m3");
        assertThat(ids("list", "--exception", "permanentEXCEPTION")).hasSize(6);
        assertThat(ids("list", "--exception", "Timeout")).isEmpty();
        assertThat(ids("list", "--topic", payments.topic)).hasSize(6);
        assertThat(ids("list", "--topic", "other")).isEmpty();
        assertThat(ids("list", "--limit", "2")).hasSize(2);
        assertThat(payments.dlq("list", "--limit", "2").err()).contains("The newest 2 of 6");
        assertThat(payments.dlq("list", "--status", "alive").exitCode()).isEqualTo(2);
        assertThat(payments.dlq("list", "--since", "soon").err()).contains("--since", "2025-01-31");
    }

    @Test
    void listsFitTheTerminal() {
        payments.deadLetters(3, 3);

        for (int width : new int[] {80, 120, 200}) {
            String out = payments.dlq(new Terminal(true, true, true, width, true), "", "list")
                    .out();
            assertThat(out.lines())
                    .hasSize(4)
                    .allSatisfy(line -> assertThat(Printable.width(line)).isLessThanOrEqualTo(width));
            assertThat(out).doesNotContain("\u001b");
        }
        assertThat(payments.dlq("list").out()).contains("PermanentException: no account of m2");
        assertThat(payments.dlq(new Terminal(true, true, true, 100, false), "", "stats")
                        .out())
                .contains("3 dead letters", "REASON", "PERMANENT", "100%", "████");
        assertThat(payments.dlq("stats").out()).doesNotContain("█");
    }

    @Test
    void showsEverythingAndThePayloadOnlyWhenAskedFor() throws IOException {
        payments.breakFor(id -> true);
        byte[] odd = {(byte) 0xff, 0, 27, 'A'};
        ProducerRecord<byte[], byte[]> json = new ProducerRecord<>(
                payments.topic,
                0,
                "account-1".getBytes(UTF_8),
                "{\"amount\":1.10,\"to\":\"\u202e\",\"to\":2}".getBytes(UTF_8));
        json.headers().add("message-id", "json".getBytes(UTF_8)).add("trace", odd);
        ProducerRecord<byte[], byte[]> bytes = new ProducerRecord<>(payments.topic, 0, odd, odd);
        bytes.headers().add("message-id", "bytes".getBytes(UTF_8));
        payments.send(json);
        payments.send(bytes);
        payments.flush();
        payments.startWorker();
        Payments.await().until(() -> payments.count("SELECT count(*) FROM dead_letters WHERE status = 'DEAD'") == 2);

        String plain = payments.dlq("show", "json").out();
        assertThat(plain)
                .contains(payments.topic + "/0/0", "PermanentException: no account of json", "stack trace", "PERMANENT")
                .doesNotContain("amount", "trace: ");
        assertThat(payments.dlq("show", "json", "--headers").out())
                .contains("trace: base64:/wAbQQ==")
                .doesNotContain("amount");
        assertThat(payments.dlq("show", "json", "--payload").out())
                .contains("\"amount\" : 1.10", "\"to\" : \"\\u202e\"", "\"to\" : 2")
                .doesNotContain("\u202e");
        assertThat(payments.dlq("show", "json", "--hex").out()).contains("00000000  7b 22 61");
        assertThat(payments.dlq("show", "bytes", "--payload").out()).contains("00000000  ff 00 1b 41");
        assertThat(payments.dlq("show", "bytes", "--raw").bytes()).isEqualTo(odd);
        JsonNode node = new ObjectMapper()
                .readTree(
                        payments.dlq("show", "bytes", "--payload", "-o", "json").out());
        assertThat(node.at("/payload/base64").asText())
                .isEqualTo(Base64.getEncoder().encodeToString(odd));
        assertThat(Bytes.fromJson(new ObjectMapper().convertValue(node.get("key"), Object.class)))
                .isEqualTo(odd);
    }

    @Test
    void anIdThatMeansSeveralIsAskedBack() {
        payments.breakFor(id -> true);
        payments.send("account-1", "same", "1");
        payments.send("account-2", "same", "2");
        payments.flush();
        payments.startWorker();
        Payments.await().until(() -> payments.count("SELECT count(*) FROM dead_letters WHERE status = 'DEAD'") == 2);

        Runs.Run several = payments.dlq("show", "same");
        Runs.Run none = payments.dlq("show", "nothing-like-it");

        assertThat(several.exitCode()).isEqualTo(2);
        assertThat(several.err()).contains("several dead letters", payments.topic + "/");
        assertThat(none.exitCode()).isEqualTo(2);
        assertThat(none.err()).contains("there is no dead letter nothing-like-it");
    }

    @Test
    void aNameIsNotTakenForTheMessageIdOfAnother() throws IOException {
        payments.breakFor(id -> true);
        String name = payments.topic + "/0/0";
        String asKafkaSaysIt = payments.topic + "-0@0";
        send("m0");
        send(name);
        payments.flush();
        payments.startWorker();
        Payments.await().until(() -> payments.count("SELECT count(*) FROM dead_letters WHERE status = 'DEAD'") == 2);

        assertThat(payments.dlq("show", name).out()).contains("m0");
        assertThat(payments.dlq("show", asKafkaSaysIt).out()).contains("m0");
        assertThat(payments.dlq("show", name, "--from-topic").out()).contains("m0");
        assertThat(ids("list", name)).containsExactly("m0");
        assertThat(ids("list", payments.topic + "/0/1")).containsExactly(name);

        Runs.Run discarded = payments.dlq("discard", name, "--because", "only this one");

        assertThat(discarded.out()).contains("1 dead letter discarded");
        assertThat(ids("list", "--status", "discarded")).containsExactly("m0");
    }

    @Test
    void whatIsNamedAndNotActedOnIsTold() throws IOException {
        payments.deadLetters(4, 4);
        payments.dlq("discard", "m1", "--because", "refunded by hand");

        Runs.Run discarded =
                payments.dlq("discard", "m0", "m1", "nobody", "m2", "m0", "--because", "refunded", "--yes");
        Runs.Run restored = payments.dlq("restore", "m3", "nobody");
        Runs.Run narrowed = payments.dlq("discard", "m3", "--topic", "other", "--because", "refunded");

        assertThat(discarded.exitCode()).isEqualTo(1);
        assertThat(discarded.out()).contains("2 dead letters discarded");
        assertThat(discarded.err())
                .contains("m1 is DISCARDED", "there is no dead letter nobody")
                .doesNotContain("m0", "m2");
        assertThat(restored.exitCode()).isEqualTo(1);
        assertThat(restored.err()).contains("m3 is DEAD", "there is no dead letter nobody", "nothing to restore");
        assertThat(narrowed.exitCode()).isEqualTo(1);
        assertThat(narrowed.err()).contains("m3 is not meant by the other filters");
        Runs.Run replayed = payments.dlq("replay", "m3", "m0", "nobody", "--dry-run");
        assertThat(replayed.exitCode()).isEqualTo(1);
        assertThat(replayed.out()).contains("would be sent");
        assertThat(replayed.err()).contains("m0 is DISCARDED", "there is no dead letter nobody");
        Runs.Run exported = payments.dlq("export", "m3", "nobody", "--file", "-");
        assertThat(exported.exitCode()).isEqualTo(1);
        assertThat(exported.out()).contains("\"letters\":1}");
        assertThat(exported.err()).contains("there is no dead letter nobody").doesNotContain("m3");
        // Whoever names one sees it, whatever became of it.
        assertThat(ids("list", "m0", "m3")).containsExactlyInAnyOrder("m0", "m3");
        assertThat(payments.dlq("stats", "m0").out()).contains("1 dead letter");
    }

    @Test
    void aConsumerThatDoesNotExistIsNoGoodNews() {
        payments.deadLetters(1, 1);

        for (String command : List.of("list", "stats")) {
            Runs.Run run = payments.dlq(command, "--consumer", "nobody");
            assertThat(run.exitCode()).isEqualTo(2);
            assertThat(run.err()).contains("there is no nobody; there are: " + payments.name);
        }
        payments.execute("DELETE FROM consumers");
        assertThat(payments.dlq("list", "--consumer", "nobody").err()).contains("no worker has ever started");
        assertThat(payments.dlq("list", "--limit", "-1").exitCode()).isEqualTo(2);
    }

    @Test
    void whatIsDiscardedStaysAndComesBack() throws IOException {
        payments.deadLetters(4, 4);

        assertThat(payments.dlq("discard", "m1", "--reason", "refunded").err())
                .contains("'refunded' is none", "PERMANENT", "--because");
        Runs.Run unasked = payments.dlq("discard", "--key", "account-1");
        Runs.Run discarded = payments.dlq("discard", "m1", "m2", "--yes", "--because", "refunded by hand");

        assertThat(unasked.exitCode()).isEqualTo(2);
        assertThat(discarded.exitCode()).as(discarded.err()).isZero();
        assertThat(discarded.out()).contains("2 dead letters discarded");
        assertThat(ids("list")).containsExactlyInAnyOrder("m0", "m3");
        assertThat(ids("list", "--status", "discarded")).containsExactlyInAnyOrder("m1", "m2");
        assertThat(payments.dlq("show", "m1").out()).contains("DISCARDED", "refunded by hand", "@");
        assertThat(payments.dlq("replay", "m1").err()).contains("nothing to replay");
        assertThat(payments.dlq("replay", "m1", "--status", "discarded").exitCode())
                .isEqualTo(2);

        assertThat(payments.dlq("restore", "m1").out()).contains("1 dead letter restored");

        assertThat(ids("list")).containsExactlyInAnyOrder("m0", "m1", "m3");
        assertThat(payments.texts("SELECT command || ' ' || outcome || ' ' || done || ' ' || detail FROM dlq_actions"
                        + " ORDER BY action_id"))
                .containsExactly("discard DONE 2 refunded by hand", "restore DONE 1 ");
        assertThat(payments.count("SELECT count(*) FROM dead_letters")).isEqualTo(4);
    }

    @Test
    void withoutKafkaTheIndexStillAnswers() {
        payments.deadLetters(1, 1);

        Runs.Run list = payments.dlq("list", "--bootstrap-server", "127.0.0.1:1");
        Runs.Run payload = payments.dlq("show", "m0", "--payload", "--bootstrap-server", "127.0.0.1:1");

        assertThat(list.exitCode()).isZero();
        assertThat(list.out()).contains("m0");
        assertThat(payload.exitCode()).isEqualTo(3);
        assertThat(payload.err()).contains("Cannot connect to Kafka at 127.0.0.1:1");
    }

    @Test
    void aPasswordFileServesAsForPsql(@TempDir Path directory) throws IOException {
        payments.deadLetters(1, 1);
        Path file = Files.writeString(
                directory.resolve("pgpass"),
                "*:*:" + payments.databaseName + ":" + payments.postgres.user() + ":" + payments.postgres.password()
                        + "\n",
                UTF_8);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));

        assertThat(statsWith("PGPASSFILE", file.toString())).isZero();
        assertThat(statsWith("PGPASSFILE", "/dev/null")).isEqualTo(3);
    }

    private void send(String messageId) {
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(payments.topic, 0, "account-1".getBytes(UTF_8), "1".getBytes(UTF_8));
        record.headers().add("message-id", messageId.getBytes(UTF_8));
        payments.send(record);
    }

    private int statsWith(String variable, String value) {
        Map<String, String> environment = new HashMap<>(payments.environment());
        environment.remove("PGPASSWORD");
        environment.put(variable, value);
        JavaProcess process = ProcessControl.java(DlqMain.class)
                .arguments("stats")
                .onOutput(line -> {})
                .onErrors(line -> assertThat(line).doesNotContain(payments.postgres.password()));
        environment.forEach(process::environment);
        try (ProcessControl stats = process.start()) {
            return stats.awaitExit(Duration.ofSeconds(60));
        }
    }

    private List<String> ids(String... arguments) throws IOException {
        String[] all = Arrays.copyOf(arguments, arguments.length + 2);
        all[arguments.length] = "-o";
        all[arguments.length + 1] = "json";
        Runs.Run run = payments.dlq(all);
        assertThat(run.exitCode()).as(run.err()).isZero();
        return new ObjectMapper().readTree(run.out()).findValuesAsText("messageId");
    }
}
