package dev.onceward.deadletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.config.ConfigurationException;
import dev.onceward.config.ConsumerSettings;
import dev.onceward.config.ConsumerSettings.DeadLetterTopics;
import dev.onceward.config.ConsumerSettings.Retention;
import dev.onceward.config.ConsumerSettings.TopicCreation;
import dev.onceward.testsupport.InProcessKafka;
import dev.onceward.testsupport.KafkaOptions;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.Resource;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Against a broker that allows what no rule speaks of, and some topics with a rule. */
class UnauthorisedIT {
    private static InProcessKafka kafka;
    private static Broker broker;

    private final String orders = Broker.unique("orders");

    @BeforeAll
    static void start() {
        kafka = InProcessKafka.start(KafkaOptions.defaults()
                .with("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
                .with("allow.everyone.if.no.acl.found", "true"));
        broker = new Broker(kafka.bootstrapServers());
    }

    @AfterAll
    static void stop() {
        broker.close();
        kafka.close();
    }

    /** All but one operation: the first rule on a resource refuses everybody else, the broker itself included. */
    private static void deny(ResourceType type, String name, AclOperation operation) throws Exception {
        rule(type, name, AclOperation.ALL, AclPermissionType.ALLOW);
        rule(type, name, operation, AclPermissionType.DENY);
    }

    private static void deny(String topic, AclOperation operation) throws Exception {
        deny(ResourceType.TOPIC, topic, operation);
    }

    private static void rule(ResourceType type, String name, AclOperation operation, AclPermissionType permission)
            throws Exception {
        AclBinding rule = new AclBinding(
                new ResourcePattern(type, name, PatternType.LITERAL),
                new AccessControlEntry("User:*", "*", operation, permission));
        broker.admin().createAcls(List.of(rule)).all().get(20, TimeUnit.SECONDS);
    }

    private static ConsumerSettings settings(Retention.Check check) {
        return TopicFixtures.settings(
                "billing",
                new DeadLetterTopics("dlq.{topic}", "replay.{consumer}", new TopicCreation(1, (short) 1, null)),
                new Retention(Duration.ofDays(14), true, check));
    }

    private List<String> provision(Retention.Check check) {
        return new TopicProvisioner(broker.admin(), Duration.ofSeconds(10)).provision(settings(check), List.of(orders));
    }

    /** A rule is in force as soon as the broker has read it from its own metadata. */
    private static void awaitProblem(Runnable provisioning, String text) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThatThrownBy(provisioning::run)
                        .isInstanceOf(ConfigurationException.class)
                        .hasMessageContaining(text));
    }

    @Test
    void aTopicThatMayNotBeSeenIsNamedWithTheRightToGrant() throws Exception {
        broker.create(orders, 1, Map.of());
        deny(orders, AclOperation.DESCRIBE);

        awaitProblem(
                () -> provision(Retention.Check.WARN),
                "topics: not authorised to see source topic " + orders + "; grant READ and DESCRIBE on it");
    }

    @Test
    void aTopicThatMayNotBeCreatedIsNamedWithTheRightToGrant() throws Exception {
        broker.create(orders, 1, Map.of());
        deny("dlq." + orders, AclOperation.CREATE);

        // Whoever may create topics anywhere may create this one.
        deny(ResourceType.CLUSTER, Resource.CLUSTER_NAME, AclOperation.CREATE);

        awaitProblem(
                () -> provision(Retention.Check.WARN),
                "onceward.dead-letters.create.partitions: not authorised to create dead-letter topic dlq." + orders
                        + "; grant CREATE on it, or create it yourself");
    }

    @Test
    void retentionThatMayNotBeReadIsWarnedOfOrRefused() throws Exception {
        broker.create(orders, 1, Map.of());
        broker.create("dlq." + orders, 1, Map.of());
        deny(orders, AclOperation.DESCRIBE_CONFIGS);

        awaitProblem(
                () -> provision(Retention.Check.REFUSE),
                "onceward.retention.check: not authorised to read the retention of [" + orders + "]");
        assertThat(provision(Retention.Check.WARN)).anyMatch(finding -> finding.contains("grant DESCRIBE_CONFIGS"));
    }

    @Test
    void aDeadLetterTopicThatMayNotBeWrittenIsToldAndTheProducerKept() throws Exception {
        broker.create("dlq." + orders, 1, Map.of());
        broker.create("dlq.open-" + orders, 1, Map.of());
        deny("dlq." + orders, AclOperation.WRITE);
        ConsumerRecord<byte[], byte[]> record = Letters.record(orders, 0, 1);
        ConsumerRecord<byte[], byte[]> other = Letters.record("open-" + orders, 0, 1);
        try (DeadLetterPublisher publisher = new DeadLetterPublisher(
                () -> broker.producer(Map.of()), topic -> "dlq." + topic, "billing", Clock.systemUTC())) {
            Awaitility.await()
                    .atMost(Duration.ofSeconds(20))
                    .untilAsserted(() -> assertThat(publisher.publish(Letters.of(record), record))
                            .failsWithin(Duration.ofSeconds(10))
                            .withThrowableOfType(ExecutionException.class)
                            .withCauseInstanceOf(TopicAuthorizationException.class));

            assertThat(publisher.trouble())
                    .get()
                    .asString()
                    .contains("not authorised; grant WRITE and DESCRIBE on topic dlq." + orders);
            assertThat(publisher.publish(Letters.of(other), other)).succeedsWithin(Duration.ofSeconds(10));
        }
    }
}
