package dev.onceward.deadletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.config.ConfigurationException;
import dev.onceward.config.ConsumerSettings;
import dev.onceward.config.ConsumerSettings.DeadLetterTopics;
import dev.onceward.config.ConsumerSettings.Retention;
import dev.onceward.config.ConsumerSettings.TopicCreation;
import dev.onceward.testsupport.Backends;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Against a real broker, which creates no topic by itself. */
class TopicProvisionerIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final Broker broker = new Broker(Backends.shared().kafka().bootstrapServers());
    private final TopicProvisioner provisioner = new TopicProvisioner(broker.admin(), TIMEOUT);
    private final String consumer = Broker.unique("billing");
    private final String orders = Broker.unique("orders");
    private final String payments = Broker.unique("payments");

    @AfterEach
    void close() {
        broker.close();
    }

    private ConsumerSettings settings(@Nullable TopicCreation creation, Retention retention) {
        return TopicFixtures.settings(
                consumer, new DeadLetterTopics("dlq.{consumer}.{topic}", "replay.{consumer}", creation), retention);
    }

    private ConsumerSettings settings(@Nullable TopicCreation creation) {
        return settings(creation, Retention.DEFAULT);
    }

    private String deadLetters(String source) {
        return "dlq." + consumer + "." + source;
    }

    private String replay() {
        return "replay." + consumer;
    }

    private Map<String, TopicDescription> describe(String... topics) throws Exception {
        return broker.admin().describeTopics(List.of(topics)).allTopicNames().get(20, TimeUnit.SECONDS);
    }

    private Config configOf(String topic) throws Exception {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        return broker.admin()
                .describeConfigs(List.of(resource))
                .all()
                .get(20, TimeUnit.SECONDS)
                .get(resource);
    }

    private static List<String> problemsOf(Runnable provisioning) {
        List<String> problems = new ArrayList<>();
        assertThatThrownBy(provisioning::run)
                .isInstanceOfSatisfying(ConfigurationException.class, e -> problems.addAll(e.problems()));
        return problems;
    }

    @Test
    void createsWhatIsMissingWithAsManyPartitionsAsTheSource() throws Exception {
        broker.create(orders, 6, Map.of());
        broker.create(payments, 2, Map.of("max.message.bytes", "2000000"));

        provisioner.provision(settings(new TopicCreation(0, (short) -1, null)), List.of(orders, payments));

        Map<String, TopicDescription> topics =
                describe(deadLetters(orders), deadLetters(payments), replay(), deadLetters(replay()));
        assertThat(topics.get(deadLetters(orders)).partitions()).hasSize(6);
        assertThat(topics.get(deadLetters(payments)).partitions()).hasSize(2);
        assertThat(topics.get(replay()).partitions()).hasSize(6);
        assertThat(configOf(deadLetters(payments)).get("max.message.bytes").value())
                .isEqualTo("2065536");
        assertThat(configOf(deadLetters(payments)).get("cleanup.policy").value())
                .isEqualTo("delete");
        assertThat(configOf(replay()).get("max.message.bytes").value()).isEqualTo("2065536");
    }

    @Test
    void createsAsItIsTold() throws Exception {
        broker.create(orders, 6, Map.of());

        provisioner.provision(settings(new TopicCreation(3, (short) 1, Duration.ofDays(3))), List.of(orders));

        TopicDescription topic = describe(deadLetters(orders)).get(deadLetters(orders));
        assertThat(topic.partitions())
                .hasSize(3)
                .allMatch(partition -> partition.replicas().size() == 1);
        assertThat(configOf(deadLetters(orders)).get("retention.ms").value()).isEqualTo("259200000");
    }

    @Test
    void isDoneTwiceWithoutHarm() throws Exception {
        broker.create(orders, 2, Map.of());
        ConsumerSettings settings = settings(new TopicCreation(0, (short) 1, null));
        provisioner.provision(settings, List.of(orders));
        Map<String, UUID> before = provisioner.topicIds(List.of(deadLetters(orders), replay()));

        assertThat(provisioner.provision(settings, List.of(orders))).isEmpty();
        assertThat(provisioner.provision(settings(null), List.of(orders))).isEmpty();
        assertThat(provisioner.topicIds(List.of(deadLetters(orders), replay()))).isEqualTo(before);
    }

    @Test
    void fiveWorkersStartAtOnce() throws Exception {
        broker.create(orders, 2, Map.of());
        ConsumerSettings settings = settings(new TopicCreation(0, (short) 1, null));

        List<CompletableFuture<List<String>>> workers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            workers.add(CompletableFuture.supplyAsync(
                    () -> {
                        try (Broker own = new Broker(Backends.shared().kafka().bootstrapServers())) {
                            return new TopicProvisioner(own.admin(), TIMEOUT).provision(settings, List.of(orders));
                        }
                    },
                    command -> new Thread(command).start()));
        }
        for (CompletableFuture<List<String>> worker : workers) {
            assertThat(worker.get(60, TimeUnit.SECONDS)).isEmpty();
        }
        assertThat(describe(deadLetters(orders), replay())).hasSize(2);
    }

    @Test
    void whatIsMissingIsNamedWithWhatToDo() {
        assertThat(problemsOf(() -> provisioner.provision(settings(null), List.of(orders))))
                .containsExactlyInAnyOrder(
                        "topics: source topic " + orders + " does not exist; create it, or correct the name that its"
                                + " handler is registered with (source topics are never created here)",
                        "onceward.dead-letters.topic-pattern: dead-letter topic " + deadLetters(orders)
                                + " does not exist; create it, or have it created: set"
                                + " onceward.dead-letters.create.enabled to true, or call createTopics(...) of the"
                                + " builder",
                        "onceward.dead-letters.replay-topic-pattern: replay topic " + replay()
                                + " does not exist; create it, or have it created: set"
                                + " onceward.dead-letters.create.enabled to true, or call createTopics(...) of the"
                                + " builder");
    }

    @Test
    void aSourceTopicIsNeverCreatedAndNothingIsWithoutIt() {
        ConsumerSettings settings = settings(new TopicCreation(1, (short) 1, null));

        assertThat(problemsOf(() -> provisioner.provision(settings, List.of(orders))))
                .singleElement()
                .asString()
                .startsWith("topics: source topic " + orders + " does not exist");
        assertThatThrownBy(() -> provisioner.topicIds(List.of(replay())))
                .isInstanceOf(UnknownTopicOrPartitionException.class);
    }

    @Test
    void theDeadLetterTopicOfTheReplayTopicIsOnlyRecommended() throws Exception {
        broker.create(orders, 1, Map.of());
        broker.create(deadLetters(orders), 1, Map.of());
        broker.create(replay(), 1, Map.of());

        assertThat(provisioner.provision(settings(null), List.of(orders)))
                .singleElement()
                .asString()
                .contains(deadLetters(replay()) + " does not exist", "would hold up its partition");
    }

    @Test
    void moreReplicasThanBrokersAreRefusedWithTheSetting() throws Exception {
        broker.create(orders, 1, Map.of());
        ConsumerSettings settings = settings(new TopicCreation(1, (short) 99, null));

        assertThat(problemsOf(() -> provisioner.provision(settings, List.of(orders))))
                .hasSize(3)
                .allMatch(problem -> problem.startsWith(
                        "onceward.dead-letters.create.replication-factor: 99 does not" + " fit this cluster"));
    }

    @Test
    void F06_retentionLongerThanThatOfClaimsIsWarnedOfOrRefusedAtStart() throws Exception {
        broker.create(orders, 1, Map.of("retention.ms", "-1"));
        TopicCreation creation = new TopicCreation(1, (short) 1, Duration.ofDays(30));
        Retention warn = new Retention(Duration.ofDays(14), true, Retention.Check.WARN);
        Retention refuse = new Retention(Duration.ofDays(14), true, Retention.Check.REFUSE);

        assertThat(provisioner.provision(settings(creation, warn), List.of(orders)))
                .hasSize(4)
                .anyMatch(finding -> finding.contains("source topic " + orders + " keeps records without limit"))
                .anyMatch(finding ->
                        finding.contains("dead-letter topic " + deadLetters(orders) + " keeps records for 30d"))
                .anyMatch(finding -> finding.contains("replay topic " + replay() + " keeps records for 30d"));
        assertThat(problemsOf(() -> provisioner.provision(settings(creation, refuse), List.of(orders))))
                .hasSize(4)
                .allMatch(problem -> problem.startsWith("onceward.retention.claims: claims are kept for 14d"));
    }

    @Test
    void aCompactedDeadLetterTopicIsWarnedOf() throws Exception {
        broker.create(orders, 1, Map.of());
        broker.create(deadLetters(orders), 1, Map.of("cleanup.policy", "compact", "max.message.bytes", "1000"));

        assertThat(provisioner.provision(settings(new TopicCreation(1, (short) 1, null)), List.of(orders)))
                .anyMatch(finding -> finding.contains(deadLetters(orders) + " is compacted"))
                .anyMatch(finding -> finding.contains(deadLetters(orders) + " takes records up to 1000 bytes"));
    }

    @Test
    void aTopicMadeAgainHasAnotherId() throws Exception {
        broker.create(orders, 1, Map.of());
        Map<String, UUID> first = provisioner.topicIds(Set.of(orders));
        Uuid id = describe(orders).get(orders).topicId();
        assertThat(first).containsOnlyKeys(orders).containsValue(TopicProvisioner.uuid(id));
        assertThat(first.get(orders).getMostSignificantBits()).isEqualTo(id.getMostSignificantBits());

        broker.admin().deleteTopics(List.of(orders)).all().get(20, TimeUnit.SECONDS);
        Awaitility.await().ignoreExceptions().until(() -> {
            broker.create(orders, 1, Map.of());
            return true;
        });
        assertThat(provisioner.topicIds(Set.of(orders))).isNotEqualTo(first);
    }

    @Test
    void aClusterThatDoesNotAnswerIsNoConfigurationError() {
        Admin unreachable = Admin.create(Map.of("bootstrap.servers", "127.0.0.1:1"));
        try {
            TopicProvisioner impatient = new TopicProvisioner(unreachable, Duration.ofMillis(300));
            long start = System.nanoTime();
            assertThatThrownBy(() -> impatient.provision(settings(null), List.of(orders)))
                    .isInstanceOf(KafkaException.class)
                    .isNotInstanceOf(ConfigurationException.class);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
        } finally {
            unreachable.close(Duration.ofSeconds(1)); // without a bound it waits for calls that nobody answers
        }
    }
}
