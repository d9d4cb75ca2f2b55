package dev.onceward.dlq;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.onceward.dlq.output.Terminal;
import dev.onceward.testsupport.InProcessKafka;
import dev.onceward.testsupport.KafkaOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * {@code dlq doctor} tells which rights are missing. The broker has an authorizer and allows everything that no ACL speaks
 * of; everybody is ANONYMOUS there, so that an ACL for somebody else locks us out.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class RightsIT {
    private static InProcessKafka kafka;

    private Payments payments;

    @BeforeAll
    static void start() {
        kafka = InProcessKafka.start(KafkaOptions.defaults()
                .with("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
                .with("allow.everyone.if.no.acl.found", "true"));
    }

    @AfterAll
    static void stop() {
        kafka.close();
    }

    @BeforeEach
    void letters() {
        payments = new Payments(2, kafka);
        payments.create(replayDeadLetters(), 1, Map.of());
        payments.deadLetters(1, 1);
    }

    @AfterEach
    void close() {
        payments.close();
    }

    @Test
    void whatTheBrokersDoNotLetTheCommandDo() throws Exception {
        assertThat(doctor()).contains("OK kafka rights this command may do what it does with the topics and groups");
        payments.stopWorkers();
        allow(ResourceType.TOPIC, payments.replayTopic, AclOperation.WRITE, "User:other");
        allow(ResourceType.TOPIC, payments.deadLetterTopic, AclOperation.READ, "User:other");
        allow(ResourceType.TOPIC, payments.deadLetterTopic, AclOperation.WRITE, "User:*");
        allow(ResourceType.GROUP, payments.name, AclOperation.ALL, "User:other");
        allow(ResourceType.TOPIC, payments.topic, AclOperation.DESCRIBE, "User:*");

        Payments.await()
                .untilAsserted(() -> assertThat(problems())
                        .anyMatch(text -> text.contains("not allowed Write on the topic " + payments.replayTopic)
                                && text.contains("kafka-acls.sh --bootstrap-server " + payments.bootstrap + " --add"
                                        + " --allow-principal User:THIS_COMMANDS_USER --operation Write --topic "
                                        + payments.replayTopic))
                        .anyMatch(text -> text.contains("not allowed Read on the topic " + payments.deadLetterTopic))
                        .anyMatch(text -> text.contains("not allowed Read on the topic " + payments.topic))
                        .anyMatch(text -> text.contains("not allowed Describe on the group " + payments.name)
                                && text.contains("--operation Describe --group " + payments.name))
                        .noneMatch(text -> text.contains("Write on the topic " + payments.deadLetterTopic))
                        // Not even to be seen, which is not the same as missing.
                        .noneMatch(text -> text.contains("does not exist")));
    }

    @Test
    void whatAclsSayOfWorkers() throws Exception {
        assertThat(doctor())
                .anyMatch(text -> text.startsWith("UNKNOWN worker acls no ACL allows anybody Write on the topic "
                                + payments.deadLetterTopic)
                        && text.contains("--allow-principal User:THE_WORKERS_USER"));

        for (String principal : List.of("User:billing", "User:*")) {
            allow(ResourceType.TOPIC, payments.topic, AclOperation.READ, principal);
            allow(ResourceType.TOPIC, payments.deadLetterTopic, AclOperation.ALL, principal);
            allow(ResourceType.TOPIC, payments.replayTopic, AclOperation.READ, principal);
            allow(ResourceType.TOPIC, replayDeadLetters(), AclOperation.WRITE, principal);
        }
        allow(ResourceType.GROUP, payments.name, AclOperation.READ, "User:billing");

        Payments.await()
                .untilAsserted(() -> assertThat(doctor())
                        .contains("OK worker acls what workers of " + payments.name
                                + " must do is allowed to User:billing")
                        .noneMatch(text -> text.startsWith("UNKNOWN worker acls")));
    }

    @Test
    void whatTheDatabaseDoesNotLetTheCommandDo() throws IOException {
        String role = "operator_" + payments.name;
        payments.execute("CREATE ROLE " + role + " LOGIN PASSWORD 'secret-of-operator'");
        Map<String, String> environment = payments.environment();
        environment.put("DLQ_DB_USER", role);
        environment.put("PGPASSWORD", "secret-of-operator");

        payments.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO " + role);
        payments.execute("REVOKE SELECT ON processed_messages, onceward_schema_history FROM " + role);
        assertThat(lines(Runs.dlq(environment, Terminal.NONE, "", "doctor", "-o", "json")))
                .contains("PROBLEM database rights the role " + role + " may not read all tables"
                        + " GRANT SELECT ON public.onceward_schema_history TO " + role
                        + "; GRANT SELECT ON public.processed_messages TO " + role)
                .anyMatch(text -> text.startsWith("OK kafka "));

        payments.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO " + role);
        Runs.Run looking = Runs.dlq(environment, Terminal.NONE, "", "doctor", "-o", "json");
        assertThat(looking.exitCode()).as(looking.out()).isZero();
        assertThat(lines(looking))
                .anyMatch(text -> text.startsWith("OK database rights the role " + role + " may only look")
                        && text.contains("GRANT INSERT, UPDATE ON public.dlq_actions TO " + role));

        payments.execute("GRANT UPDATE ON dead_letters TO " + role);
        payments.execute("GRANT UPDATE ON dlq_actions TO " + role);
        assertThat(lines(Runs.dlq(environment, Terminal.NONE, "", "doctor", "-o", "json")))
                .anyMatch(text -> text.startsWith("PROBLEM database rights")
                        && text.endsWith("GRANT INSERT ON public.dlq_actions TO " + role));

        payments.execute("GRANT INSERT ON dlq_actions TO " + role);
        Runs.Run all = Runs.dlq(environment, Terminal.NONE, "", "doctor", "-o", "json");
        assertThat(all.exitCode()).as(all.out()).isZero();
        assertThat(lines(all))
                .contains("OK database rights the role " + role + " may look and act, but for these: GRANT INSERT ON"
                        + " public.dead_letters TO " + role + " (dlq import); GRANT UPDATE (last_error) ON"
                        + " public.message_attempts TO " + role + " (dlq erase); GRANT UPDATE ON"
                        + " public.partition_generations TO " + role + " (dlq workers evict)");
        Runs.Run discard = Runs.dlq(environment, Terminal.NONE, "", "discard", "m0", "--because", "test");
        assertThat(discard.exitCode())
                .as("what doctor says is true: %s", discard.err())
                .isZero();
    }

    @Test
    void whatThePageAboutRolesGrantsIsEnoughAndNeeded() throws IOException {
        String role = "page_" + payments.name;
        payments.execute("CREATE ROLE " + role + " LOGIN PASSWORD 'secret-of-page'");
        Map<String, String> environment = payments.environment();
        environment.put("DLQ_DB_USER", role);
        environment.put("PGPASSWORD", "secret-of-page");
        List<String> grants = Files.readAllLines(Path.of("../docs/database-roles.md")).stream()
                .filter(line -> line.startsWith("GRANT ") && line.endsWith(" TO onceward_operator;"))
                .map(line -> line.replace(";", "")
                        .replace("SCHEMA onceward", "SCHEMA public")
                        .replace("onceward.", "public.")
                        .replace("onceward_operator", role))
                .toList();
        List<String> writes = grants.stream()
                .filter(grant -> grant.matches(".*\\b(INSERT|UPDATE)\\b.*"))
                .toList();
        assertThat(writes).hasSize(4);

        grants.forEach(payments::execute);
        assertThat(lines(Runs.dlq(environment, Terminal.NONE, "", "doctor", "-o", "json")))
                .contains("OK database rights the role " + role + " may look and act");
        assertThat(Runs.dlq(environment, Terminal.NONE, "", "erase", "m0", "--yes", "--because", "r")
                        .exitCode())
                .isZero();

        for (String right : writes.stream().flatMap(RightsIT::one).toList()) {
            payments.execute(right.replace("GRANT", "REVOKE").replace(" TO ", " FROM "));
            assertThat(lines(Runs.dlq(environment, Terminal.NONE, "", "doctor", "-o", "json")))
                    .as(right)
                    .anyMatch(text -> text.contains("database rights") && text.contains(right));
            payments.execute(right);
        }
    }

    private String replayDeadLetters() {
        return "dlq." + payments.name + "." + payments.replayTopic;
    }

    /** A statement for each right that a line grants. */
    private static Stream<String> one(String grant) {
        int on = grant.indexOf(" ON ");
        return Arrays.stream(grant.substring("GRANT ".length(), on).split(", ", -1))
                .map(right -> "GRANT " + right + grant.substring(on));
    }

    private void allow(ResourceType type, String name, AclOperation operation, String principal) throws Exception {
        payments.admin()
                .createAcls(List.of(new AclBinding(
                        new ResourcePattern(type, name, PatternType.LITERAL),
                        new AccessControlEntry(principal, "*", operation, AclPermissionType.ALLOW))))
                .all()
                .get();
    }

    private List<String> problems() throws IOException {
        return doctor().stream().filter(text -> text.startsWith("PROBLEM")).toList();
    }

    private List<String> doctor() throws IOException {
        return lines(payments.dlq("doctor", "-o", "json"));
    }

    private static List<String> lines(Runs.Run run) throws IOException {
        return new ObjectMapper()
                .readTree(run.out())
                .valueStream()
                .map(finding -> String.join(
                                " ",
                                Arrays.asList("state", "check", "finding", "advice").stream()
                                        .map(field -> finding.get(field).asText())
                                        .toList())
                        .strip())
                .toList();
    }
}
