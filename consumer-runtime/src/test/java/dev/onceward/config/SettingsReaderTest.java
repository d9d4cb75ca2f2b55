package dev.onceward.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.onceward.catalog.SettingKeys;
import java.io.IOException;
import java.io.StringReader;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsReaderTest {
    private static final Map<String, String> LEAST =
            Map.of("onceward.consumer", "billing", "onceward.kafka.bootstrap.servers", "localhost:1");

    @Test
    void theLeastGivesTheDefaults() {
        assertThat(SettingsReader.read(LEAST, Map.of())).isEqualTo(TestSettings.defaults());
    }

    @Test
    void readsAPropertiesFile() throws IOException {
        Properties properties = new Properties();
        properties.load(new StringReader("""
                onceward.consumer = billing
                onceward.group-id = billing-eu
                onceward.schema = messages
                onceward.ordering = partition
                onceward.start-position = 2025-01-31T12:00:00Z
                onceward.id-reuse = SKIP
                onceward.allow-asynchronous-commit = true
                onceward.retry.max-attempts = 7
                onceward.retry.base-delay = PT0.1S
                onceward.retry.max-delay = 1m
                onceward.concurrency.lanes = 16
                onceward.limits.handler = 60s\s\s
                onceward.backpressure.partition-bytes = 16MiB
                onceward.retention.claims = 30d
                onceward.retention.pruning = false
                onceward.retention.check = refuse
                onceward.dead-letters.create.enabled = true
                onceward.dead-letters.create.partitions = 6
                onceward.dead-letters.create.replication-factor = 3
                onceward.dead-letters.create.retention = 29d
                onceward.database.url = jdbc:postgresql://localhost/app
                onceward.database.user = app
                onceward.database.password = \\ with blanks\\u0020
                onceward.kafka.bootstrap.servers = localhost:1
                onceward.kafka.consumer.max.poll.records = 100
                logging.level = debug
                """));
        ConsumerSettings settings = SettingsReader.read(properties);
        assertThat(settings.consumer()).isEqualTo("billing");
        assertThat(settings.groupId()).isEqualTo("billing-eu");
        assertThat(settings.schema()).isEqualTo("messages");
        assertThat(settings.ordering()).isEqualTo(Ordering.PARTITION);
        assertThat(settings.startPosition()).isEqualTo(StartPosition.at(Instant.parse("2025-01-31T12:00:00Z")));
        assertThat(settings.idReuse()).isEqualTo(IdReuse.SKIP);
        assertThat(settings.allowAsynchronousCommit()).isTrue();
        assertThat(settings.retry()).isEqualTo(new RetryPolicy(7, Duration.ofMillis(100), Duration.ofMinutes(1)));
        assertThat(settings.concurrency().lanes()).isEqualTo(16);
        assertThat(settings.limits().handler()).isEqualTo(Duration.ofSeconds(60));
        assertThat(settings.backpressure().partitionBytes()).isEqualTo(16 << 20);
        assertThat(settings.retention())
                .isEqualTo(new ConsumerSettings.Retention(
                        Duration.ofDays(30), false, ConsumerSettings.Retention.Check.REFUSE));
        assertThat(settings.deadLetters().create())
                .isEqualTo(new ConsumerSettings.TopicCreation(6, (short) 3, Duration.ofDays(29)));
        assertThat(settings.database())
                .isEqualTo(new ConsumerSettings.DatabaseSettings(
                        "jdbc:postgresql://localhost/app", "app", " with blanks "));
        assertThat(settings.kafka())
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of("bootstrap.servers", "localhost:1", "consumer.max.poll.records", "100"));
    }

    @Test
    void propertiesMayHaveDefaults() {
        Properties defaults = new Properties();
        defaults.putAll(LEAST);
        Properties properties = new Properties(defaults);
        properties.setProperty("onceward.concurrency.lanes", "2");
        assertThat(SettingsReader.read(properties).concurrency().lanes()).isEqualTo(2);
    }

    @Test
    void theEnvironmentSaysTheSame() {
        ConsumerSettings settings = SettingsReader.read(
                Map.of(),
                Map.of(
                        "ONCEWARD_CONSUMER", "billing",
                        "ONCEWARD_RETRY_MAX_ATTEMPTS", "9",
                        "ONCEWARD_DEAD_LETTERS_TOPIC_PATTERN", "x.{topic}",
                        "ONCEWARD_DATABASE_URL", "jdbc:postgresql:x",
                        "ONCEWARD_DATABASE_PASSWORD", "p",
                        "ONCEWARD_KAFKA_BOOTSTRAP_SERVERS", "localhost:1",
                        "ONCEWARD_KAFKA_CONSUMER_MAX_POLL_RECORDS", "7",
                        "PATH", "/bin"));
        assertThat(settings.retry().maxAttempts()).isEqualTo(9);
        assertThat(settings.deadLetters().topicPattern()).isEqualTo("x.{topic}");
        assertThat(settings.database().password()).isEqualTo("p");
        assertThat(settings.kafka())
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of("bootstrap.servers", "localhost:1", "consumer.max.poll.records", "7"));
    }

    @Test
    void aKafkaPropertyMayHaveAPortInItsName() {
        assertThat(SettingsReader.read(LEAST, Map.of("ONCEWARD_KAFKA_CLIENT_DNS_LOOKUP", "use_all_dns_ips"))
                        .kafka())
                .containsEntry("client.dns.lookup", "use_all_dns_ips");
    }

    @Test
    void theEnvironmentWins() {
        ConsumerSettings settings = SettingsReader.read(
                with("onceward.concurrency.lanes", "2"),
                Map.of("ONCEWARD_CONCURRENCY_LANES", "3", "ONCEWARD_KAFKA_BOOTSTRAP_SERVERS", "localhost:2"));
        assertThat(settings.concurrency().lanes()).isEqualTo(3);
        assertThat(settings.kafka()).containsEntry("bootstrap.servers", "localhost:2");
    }

    @Test
    void aSettingFromTheEnvironmentIsFoundAgain() {
        assertThat(problems(LEAST, Map.of("ONCEWARD_CONCURRENCY_LANES", "many", "ONCEWARD_RETRY_MAX_ATTEMPTS", "0")))
                .containsExactlyInAnyOrder(
                        "onceward.concurrency.lanes: 'many' is not a whole number"
                                + " (environment variable ONCEWARD_CONCURRENCY_LANES)",
                        "onceward.retry.max-attempts: 0 is out of range; allowed: 1 to 1000"
                                + " (environment variable ONCEWARD_RETRY_MAX_ATTEMPTS)");
    }

    @Test
    void everySettingCanBeGivenBothWays() {
        for (SettingKeys setting : SettingKeys.values()) {
            String text = setting.defaultText().orElse("");
            String bad =
                    setting.type() == SettingKeys.Type.TEXT || setting.type() == SettingKeys.Type.SECRET ? text : "?";
            assertThat(GivenSettings.of(Map.of(setting.key(), bad), Map.of()).settings())
                    .containsOnlyKeys(setting);
            assertThat(GivenSettings.of(Map.of(), Map.of(setting.environmentVariable(), bad))
                            .settings())
                    .containsOnlyKeys(setting);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "onceward.retry.max-atempts, onceward.retry.max-attempts",
        "onceward.retry.maxAttempts, onceward.retry.max-attempts",
        "onceward.retry.max_attempts, onceward.retry.max-attempts",
        "onceward.Retry.Max-Attempts, onceward.retry.max-attempts",
        "onceward.lanes, onceward.concurrency.lanes",
        "onceward.max-group-size, onceward.concurrency.max-group-size",
        "onceward.groupid, onceward.group-id",
        "onceward.deadletters.topic-pattern, onceward.dead-letters.topic-pattern",
        "onceward.dead-letters.create, onceward.dead-letters.create.enabled",
        "onceward.kakfa.acks, onceward.kafka.acks",
        "onceward.Kafka.bootstrap.servers, onceward.kafka.bootstrap.servers",
        "onceward.kafka, onceward.kafka.*",
        "onceward.kafka., onceward.kafka.",
        "onceward., onceward.schema",
    })
    void anUnknownKeyIsAnErrorThatNamesTheNearest(String unknown, String nearest) {
        assertThat(problems(with(unknown, "5"), Map.of()))
                .singleElement()
                .asString()
                .startsWith(unknown + ": is no setting; the nearest is onceward")
                .contains(unknown.equals("onceward.") ? "onceward" : nearest);
    }

    @ParameterizedTest
    @CsvSource({
        "ONCEWARD_RETRY_MAXATTEMPTS, ONCEWARD_RETRY_MAX_ATTEMPTS",
        "ONCEWARD_LANES, ONCEWARD_CONCURRENCY_LANES",
        "ONCEWARD_KAKFA_BOOTSTRAP_SERVERS, ONCEWARD_KAFKA_BOOTSTRAP_SERVERS",
        "ONCEWARD_KAFKA, ONCEWARD_KAFKA_*",
    })
    void anUnknownVariableIsAnErrorThatNamesTheNearest(String unknown, String nearest) {
        assertThat(problems(LEAST, Map.of(unknown, "5")))
                .containsExactly(unknown + ": is no setting; the nearest is " + nearest);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ONCEWARD_SERVICE_HOST",
                "ONCEWARD_SERVICE_PORT",
                "ONCEWARD_SERVICE_PORT_HTTP",
                "ONCEWARD_PORT",
                "ONCEWARD_PORT_8080_TCP",
                "ONCEWARD_PORT_8080_TCP_ADDR",
                "ONCEWARD_DB_SERVICE_HOST",
                "ONCEWARD_DB_PORT_5432_TCP_PROTO",
                "ONCEWARD_KAFKA_IMAGE",
                "ONCEWARD_POSTGRES_IMAGE",
                "ONCEWARD_TEST_X",
                "ONCEWARD_DEMO_PASSWORD",
            })
    void variablesOfContainerPlatformsAndTestsAreLeftAlone(String name) {
        assertThat(SettingsReader.read(LEAST, Map.of(name, "10.0.0.1"))).isEqualTo(TestSettings.defaults());
    }

    @ParameterizedTest
    @CsvSource({
        "onceward.concurrency.lanes, 8.0, is not a whole number",
        "onceward.concurrency.lanes, +8, is not a whole number",
        "onceward.concurrency.lanes, '', is not a whole number",
        "onceward.concurrency.lanes, 99999999999999999999, is not a whole number",
        "onceward.concurrency.lanes, 4294967304, 4294967304 is out of range; allowed: 1 to 256",
        "onceward.dead-letters.create.replication-factor, 65539, 65539 is out of range",
        "onceward.limits.handler, 30, is not a duration; write 200ms",
        "onceward.limits.handler, PT-1S, PT-1S is out of range; allowed: 10ms to 1h",
        "onceward.backpressure.worker-bytes, 24MB, is not a size; write 512KiB",
        "onceward.retention.pruning, yes, is neither true nor false",
        "onceward.retention.pruning, TRUE, is neither true nor false",
        "onceward.ordering, none, is not possible; choose one of key | partition | unordered",
        "onceward.id-reuse, dead_letter, is not possible; choose one of dead-letter | skip",
        "onceward.start-position, yesterday, is no start position",
        "onceward.start-position, 2025-01-31, is no start position",
        "onceward.consumer, 'a b', 'is not possible; allowed: 1 to 100 characters'",
        "onceward.schema, Public, chema name",
    })
    void aBadValueIsAnErrorThatSaysWhatIsAllowed(String key, String value, String what) {
        Map<String, String> properties = with(key, value);
        if (key.startsWith("onceward.dead-letters.create")) {
            properties.put("onceward.dead-letters.create.enabled", "true");
        }
        assertThat(problems(properties, Map.of()))
                .singleElement()
                .asString()
                .startsWith(key + ": ")
                .contains(what);
    }

    @Test
    void everyProblemIsSaidAtOnce() {
        assertThat(problems(
                        Map.of(
                                "onceward.ordering", "none",
                                "onceward.limits.handler", "soon",
                                "onceward.limits.lock", "40s",
                                "onceward.lease.interval", "5s",
                                "onceward.nothing", "",
                                "onceward.kafka.acks", "0"),
                        Map.of("ONCEWARD_WHAT", "")))
                .extracting(line -> line.substring(0, line.indexOf(": ")))
                .as("limits.lock is not compared with what could not be read")
                .containsExactlyInAnyOrder(
                        "onceward.consumer",
                        "onceward.ordering",
                        "onceward.limits.handler",
                        "onceward.lease.duration",
                        "onceward.nothing",
                        "ONCEWARD_WHAT",
                        "onceward.kafka.acks",
                        "onceward.kafka.bootstrap.servers");
    }

    @Test
    void aSettingWithoutEffectIsAnError() {
        assertThat(problems(with("onceward.database.user", "app"), Map.of()))
                .containsExactly(
                        "onceward.database.user: has no effect without onceward.database.url; add that, or leave"
                                + " this out");
        assertThat(problems(with("onceward.dead-letters.create.partitions", "3"), Map.of()))
                .singleElement()
                .asString()
                .contains("has no effect without onceward.dead-letters.create.enabled=true");
        assertThat(problems(
                        Map.of(
                                "onceward.consumer", "billing",
                                "onceward.kafka.bootstrap.servers", "localhost:1",
                                "onceward.dead-letters.create.enabled", "maybe",
                                "onceward.dead-letters.create.partitions", "3"),
                        Map.of()))
                .as("nobody knows whether it has an effect")
                .hasSize(1);
    }

    @Test
    void thePasswordIsInNoError() {
        assertThat(problems(with("onceward.database.password", "secret"), Map.of("ONCEWARD_LANES", "x")))
                .hasSize(2)
                .allSatisfy(line -> assertThat(line).doesNotContain("secret"));
    }

    private static Map<String, String> with(String key, String value) {
        Map<String, String> properties = new HashMap<>(LEAST);
        properties.put(key, value);
        return properties;
    }

    private static List<String> problems(Map<String, String> properties, Map<String, String> environment) {
        ConfigurationException refused =
                catchThrowableOfType(ConfigurationException.class, () -> SettingsReader.read(properties, environment));
        assertThat(refused).as("refused").isNotNull();
        return refused.problems();
    }
}
