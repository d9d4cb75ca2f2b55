package dev.onceward.dlq;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.onceward.dlq.output.Terminal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code dlq doctor} finds what was broken, and nothing where nothing is. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class DoctorIT {
    private final Payments payments = new Payments(2);

    private final String replayDeadLetters = "dlq." + payments.name + "." + payments.replayTopic;

    @AfterEach
    void close() {
        payments.close();
    }

    @Test
    void findsNothingWhereAllIsWell() throws IOException {
        payments.create(replayDeadLetters, 1, Map.of());
        payments.deadLetters(2, 2);

        Runs.Run run = payments.dlq("doctor", "--claims-retention", "30d");

        assertThat(run.exitCode()).as(run.out()).isZero();
        assertThat(run.out())
                .contains("ok       database", "tables of version 3", "on, or stronger", "1 worker, none stale")
                .contains("ok       topics", "4 topics of " + payments.name + " as they should be")
                .doesNotContain("problem", "unknown");

        // How long claims are kept, the workers only know.
        Runs.Run unknown = payments.dlq("doctor");
        assertThat(unknown.exitCode()).isZero();
        assertThat(unknown.out()).contains("ok       topics", "unknown  retention", "give --claims-retention");
    }

    @Test
    void topicsThatAreMissingOrUnfit() throws Exception {
        payments.deadLetters(1, 1);
        payments.stopWorkers();
        configure(payments.deadLetterTopic, "cleanup.policy", "compact");
        configure(payments.deadLetterTopic, "max.message.bytes", "1000");
        payments.admin().deleteTopics(List.of(payments.replayTopic)).all().get();
        payments.create(replayDeadLetters, 1, Map.of("cleanup.policy", "compact"));

        assertThat(problems("--claims-retention", "1d"))
                .anyMatch(text -> text.contains("replay topic " + payments.replayTopic) && text.contains("not exist"))
                .anyMatch(text -> text.contains(payments.deadLetterTopic + " is compacted"))
                .anyMatch(text -> text.contains(payments.deadLetterTopic + " takes smaller records"))
                .anyMatch(text -> text.contains(replayDeadLetters + " is compacted"))
                .anyMatch(text -> text.contains("source topic " + payments.topic + " keeps records 7d 0h"))
                .anyMatch(text -> text.contains(payments.deadLetterTopic + " keeps records without limit"));
        assertThat(problems("--claims-retention", "30d")).noneMatch(text -> text.contains("source topic"));
    }

    @Test
    void claimsRetentionIsKnownWhereClaimsWerePruned() throws IOException {
        payments.startWorker();
        payments.send("account", "m0", "1");
        payments.flush();
        Payments.await().until(() -> payments.entries() == 1);
        payments.execute("UPDATE partition_generations SET pruned_through = 0");
        payments.execute("UPDATE processed_messages SET processed_at = now() - interval '2 days'");

        assertThat(problems())
                .anyMatch(text -> text.contains("source topic " + payments.topic) && text.contains("are kept 2d 0h"));
    }

    @Test
    void workersAndLettersThatHang() throws IOException {
        payments.deadLetters(3, 1);
        payments.stopWorkers();
        payments.execute("UPDATE dead_letters SET status = 'PENDING', dead_at = NULL, dlt_offset = NULL,"
                + " failed_at = now() - interval '2 minutes' WHERE message_id = 'm0'");
        payments.execute("UPDATE dead_letters SET reason = 'PAYLOAD_LOST' WHERE message_id = 'm1'");

        assertThat(problems())
                .anyMatch(text -> text.contains("no worker runs"))
                .anyMatch(
                        text -> text.contains("1 dead letter of " + payments.name + " pending for more than a minute"))
                .anyMatch(text -> text.contains("1 dead letter of " + payments.name + " whose payload was lost"));

        payments.execute("UPDATE dead_letters SET failed_at = now() WHERE message_id = 'm0'");
        payments.execute("INSERT INTO consumer_workers VALUES ('" + payments.name + "', 'ghost', 'g', 'host-a', '1',"
                + " now(), now() - interval '10 minutes', interval '2 seconds')");
        assertThat(problems())
                .anyMatch(text -> text.contains("no worker runs"))
                .noneMatch(text -> text.contains("ghost"));
        assertThat(payments.dlq("doctor").out())
                .contains("ok       workers", "ghost of " + payments.name + " ended without a word", "owns nothing");
        payments.execute("UPDATE partition_generations SET worker_id = 'ghost', released_at = NULL WHERE topic = '"
                + payments.topic + "'");
        assertThat(problems())
                .anyMatch(text -> text.contains("ghost of " + payments.name + " is stale: no heartbeat for 10m"))
                .noneMatch(text -> text.contains("pending"));
    }

    @Test
    void deadLetterTopicOfTheReplayTopic() throws IOException {
        payments.deadLetters(1, 1);

        assertThat(problems())
                .containsExactly("the dead-letter topic of the replay topic " + replayDeadLetters + " of "
                        + payments.name + " does not exist");
    }

    @Test
    void commitsThatDoNotWait() throws IOException {
        payments.execute("ALTER DATABASE \"" + payments.databaseName + "\" SET synchronous_commit = local");
        assertThat(problems())
                .anyMatch(text -> text.contains("off or local for this session, every role of this database"));
    }

    @Test
    void connectionsThatFailAreFindings() {
        Map<String, String> environment = new HashMap<>(payments.environment());
        environment.put("DLQ_BOOTSTRAP_SERVER", "127.0.0.1:1");
        Runs.Run noKafka = Runs.dlq(environment, Terminal.NONE, "", "doctor");
        assertThat(noKafka.exitCode()).isEqualTo(1);
        assertThat(noKafka.out()).contains("ok       database", "problem  kafka", "no broker answers there");

        environment.putAll(payments.environment());
        environment.put("DLQ_SCHEMA", "elsewhere");
        Runs.Run noTables = Runs.dlq(environment, Terminal.NONE, "", "doctor");
        assertThat(noTables.exitCode()).isEqualTo(1);
        assertThat(noTables.out())
                .contains("problem  database", "elsewhere", "ok       kafka")
                .contains("there are in: public. Give --schema public")
                .doesNotContain("migrations");
    }

    @Test
    void linesFitATerminalAndLoseNothing() throws IOException {
        payments.deadLetters(1, 1);
        String whole = payments.dlq("doctor").out().replaceAll("\\s+", " ");

        for (int width : new int[] {40, 80}) {
            Runs.Run run = payments.dlq(new Terminal(false, true, false, width, false), "", "doctor");

            assertThat(run.out().replaceAll("\\s+", " ")).isEqualTo(whole);
            assertThat(run.out().lines())
                    .filteredOn(line -> line.length() > width && !line.contains(".sh --"))
                    // One word that is longer than the rest of the line stays whole.
                    .allSatisfy(line -> assertThat(line.strip()
                                    .substring(Math.min(29, line.strip().length())))
                            .doesNotContain(" "));
            assertThat(run.out()).containsPattern("\n {" + (width == 40 ? 4 : 29) + "}\\S");
        }
    }

    @Test
    void aConsumerThatThereIsNotIsWrongUsage() throws IOException {
        payments.deadLetters(1, 1);

        for (String command : List.of("doctor", "workers")) {
            Runs.Run run = payments.dlq(command, "--consumer", "nobody");
            assertThat(run.exitCode()).as(command).isEqualTo(2);
            assertThat(run.err()).contains("there is no nobody; there are: " + payments.name);
            assertThat(run.out()).isEmpty();
        }
    }

    @Test
    void allConsumersIfNoneIsNamed() throws IOException {
        payments.create(replayDeadLetters, 1, Map.of());
        payments.deadLetters(1, 1);
        Map<String, String> environment = new HashMap<>(payments.environment());
        environment.remove("DLQ_CONSUMER");

        for (String command : List.of("doctor", "age", "workers")) {
            Runs.Run run = Runs.dlq(environment, Terminal.NONE, "", command, "-o", "json");
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out()).contains(payments.name);
        }
    }

    // ---- helpers ----

    private void configure(String topic, String name, String value) throws Exception {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        payments.admin()
                .incrementalAlterConfigs(Map.of(
                        resource, List.of(new AlterConfigOp(new ConfigEntry(name, value), AlterConfigOp.OpType.SET))))
                .all()
                .get();
    }

    private List<String> problems(String... options) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("doctor", "-o", "json"));
        arguments.addAll(List.of(options));
        Runs.Run run = payments.dlq(arguments.toArray(new String[0]));
        assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
        List<JsonNode> problems = new ObjectMapper()
                .readTree(run.out())
                .valueStream()
                .filter(finding -> finding.get("state").asText().equals("PROBLEM"))
                .toList();
        assertThat(problems)
                .allSatisfy(
                        problem -> assertThat(problem.get("advice").asText()).isNotBlank());
        return problems.stream().map(problem -> problem.get("finding").asText()).toList();
    }
}
