package dev.onceward.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.catalog.SettingKeys;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsValidatorTest {

    @Test
    void theDefaultsWork() {
        assertThat(TestSettings.defaults().validated(Set.of("payments", "orders")))
                .isEqualTo(TestSettings.defaults());
        assertThatNoException().isThrownBy(() -> SettingsValidator.check(TestSettings.defaults(), Set.of()));
    }

    @Test
    void theDefaultsOfTheRecordsAreThoseOfTheCatalogue() {
        ConsumerSettings defaults = ConsumerSettings.of("billing");
        for (SettingKeys setting : SettingKeys.values()) {
            Object expected = setting.defaultText()
                    .map(text -> SettingText.parse(setting, text))
                    .orElse(null);
            if (setting == SettingKeys.CONSUMER || setting == SettingKeys.GROUP_ID) {
                expected = "billing";
            }
            assertThat(SettingValues.of(defaults, setting)).as(setting.key()).isEqualTo(expected);
        }
    }

    @Test
    void everySettingReachesTheRecordsAndComesBack() {
        for (SettingKeys setting : SettingKeys.values()) {
            String text = another(setting);
            TestSettings settings = TestSettings.with(SettingKeys.DEAD_LETTERS_CREATE_ENABLED, "true")
                    .and(SettingKeys.DATABASE_URL, "jdbc:postgresql:x")
                    .and(setting, text);
            assertThat(SettingValues.of(settings.build(), setting))
                    .as(setting.key())
                    .isEqualTo(SettingText.parse(setting, text));
        }
    }

    /** A value other than the default. */
    private static String another(SettingKeys setting) {
        return switch (setting.type()) {
            case TEXT, SECRET -> "jdbc:postgresql:other";
            case BOOLEAN -> setting == SettingKeys.RETENTION_PRUNING ? "false" : "true";
            case INTEGER -> "77";
            case DURATION -> "77s";
            case SIZE -> "77KiB";
            case CHOICE -> setting.allowed().substring(setting.allowed().lastIndexOf(' ') + 1);
            case START_POSITION -> "2025-01-31T12:00:00Z";
        };
    }

    @ParameterizedTest
    @MethodSource("ranges")
    void bothEndsOfARangeAreAllowed(SettingKeys setting) {
        for (String end : new String[] {setting.min(), setting.max()}) {
            assertThat(problemsWith(setting, SettingText.parse(setting, end)))
                    .as(end)
                    .noneMatch(line -> line.contains("range"));
        }
    }

    @ParameterizedTest
    @MethodSource("ranges")
    void beyondARangeNothingIsAllowed(SettingKeys setting) {
        Object min = SettingText.parse(setting, setting.min());
        Object max = SettingText.parse(setting, setting.max());
        for (Object beyond : new Object[] {
            min instanceof Duration duration ? duration.minusNanos(1) : (Object) ((Long) min - 1),
            max instanceof Duration duration ? duration.plusNanos(1) : (Object) ((Long) max + 1)
        }) {
            assertThat(problemsWith(setting, beyond))
                    .as("%s", beyond)
                    .anyMatch(line -> line.startsWith(setting.key() + ": ")
                            && line.endsWith(" is out of range; allowed: " + setting.allowed()));
        }
    }

    static Stream<SettingKeys> ranges() {
        return Arrays.stream(SettingKeys.values())
                .filter(setting -> setting.type().hasRange());
    }

    private static List<String> problemsWith(SettingKeys setting, Object value) {
        SettingValues values = new SettingValues();
        values.put(SettingKeys.CONSUMER, "billing");
        values.put(SettingKeys.DEAD_LETTERS_CREATE_ENABLED, true);
        values.put(setting, value);
        return TestSettings.problems(values.settings(Map.of("bootstrap.servers", "localhost:1")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a b", "a/b", "é", "a\n"})
    void theConsumersNameIsPlain(String name) {
        TestSettings.with(SettingKeys.CONSUMER, name)
                .and(SettingKeys.GROUP_ID, "g")
                .assertRefused("onceward.consumer", "allowed: 1 to 100 characters");
    }

    @Test
    void namesHaveALimit() {
        assertThat(TestSettings.with(SettingKeys.CONSUMER, "c".repeat(100)).problems())
                .isEmpty();
        assertThat(TestSettings.with(SettingKeys.GROUP_ID, "g".repeat(255)).problems())
                .isEmpty();
        TestSettings.with(SettingKeys.CONSUMER, "c".repeat(101)).assertRefused("onceward.consumer");
        TestSettings.with(SettingKeys.GROUP_ID, "g".repeat(256)).assertRefused("onceward.group-id");
        TestSettings.with(SettingKeys.GROUP_ID, " ").assertRefused("onceward.group-id", "is blank");
        TestSettings.with(SettingKeys.GROUP_ID, "a\0").assertRefused("onceward.group-id");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Public", "a-b", "1a", "pg_x", "a\"; drop table x"})
    void theSchemaIsAPlainName(String name) {
        TestSettings.with(SettingKeys.SCHEMA, name).assertRefused("onceward.schema", "chema name");
    }

    @ParameterizedTest
    @CsvSource({
        "RETRY_MAX_DELAY, 199ms, RETRY_BASE_DELAY, 200ms",
        "LIMITS_HANDLER, 9s, LIMITS_LOCK, 10s",
        "LIMITS_SHUTDOWN, 9999ms, LIMITS_DRAIN, 10s",
        "BACKPRESSURE_WORKER_MESSAGES, 1999, BACKPRESSURE_PARTITION_MESSAGES, 2000",
        "BACKPRESSURE_WORKER_BYTES, 8191KiB, BACKPRESSURE_PARTITION_BYTES, 8MiB",
        "BACKPRESSURE_MAX_AHEAD, 1999, BACKPRESSURE_PARTITION_MESSAGES, 2000",
    })
    void whatMustBeAtLeastAnother(SettingKeys high, String text, SettingKeys low, String other) {
        TestSettings.with(high, text)
                .assertRefused(high.key(), text + " is less than " + low.key() + " (" + other + ")");
        assertThat(TestSettings.with(high, other).and(low, other).problems()).isEmpty();
    }

    @Test
    void aLeaseOutlivesHeartbeatsThatAreLate() {
        TestSettings.with(SettingKeys.LEASE_INTERVAL, "4s")
                .assertRefused("onceward.lease.duration", "10s is less than 3 times", "(4s)", "use at least 12s");
        assertThat(TestSettings.with(SettingKeys.LEASE_INTERVAL, "4s")
                        .and(SettingKeys.LEASE_DURATION, "12s")
                        .problems())
                .isEmpty();
    }

    @Test
    void whatIsWrongByItselfIsNotComparedWithOthers() {
        TestSettings.with(SettingKeys.LIMITS_HANDLER, "0s")
                .assertRefused("onceward.limits.handler", "0s is out of range");
        TestSettings.with(SettingKeys.LEASE_INTERVAL, "2h").assertRefused("onceward.lease.interval");
        TestSettings.with(SettingKeys.RETRY_BASE_DELAY, "2d").assertRefused("onceward.retry.base-delay");
    }

    @Test
    void createdTopicsDoNotOutliveClaimsWhereThatIsRefused() {
        TestSettings settings = TestSettings.with(SettingKeys.DEAD_LETTERS_CREATE_ENABLED, "true")
                .and(SettingKeys.DEAD_LETTERS_CREATE_RETENTION, "14d");
        assertThat(settings.problems()).as("only warned of at start").isEmpty();
        settings.and(SettingKeys.RETENTION_CHECK, "refuse")
                .assertRefused("onceward.dead-letters.create.retention", "onceward.retention.claims (14d)");
        assertThat(settings.and(SettingKeys.RETENTION_CLAIMS, "15d").problems()).isEmpty();
    }

    @Test
    void createdTopicsHaveReplicas() {
        TestSettings.with(SettingKeys.DEAD_LETTERS_CREATE_ENABLED, "true")
                .and(SettingKeys.DEAD_LETTERS_CREATE_REPLICATION_FACTOR, "0")
                .assertRefused("onceward.dead-letters.create.replication-factor", "0 replicas hold nothing");
    }

    @Test
    void everyProblemIsSaidAtOnce() {
        ConsumerSettings settings = TestSettings.with(SettingKeys.CONSUMER, "a b")
                .and(SettingKeys.RETRY_MAX_ATTEMPTS, "0")
                .and(SettingKeys.LIMITS_LOCK, "31s")
                .and(SettingKeys.DATABASE_URL, "mysql://x")
                .andKafka("acks", "1", "isolation.level", "read_uncommitted")
                .build();
        assertThat(TestSettings.problems(settings, "x y"))
                .extracting(line -> line.substring(0, line.indexOf(": ")))
                .containsExactlyInAnyOrder(
                        "onceward.consumer",
                        "onceward.retry.max-attempts",
                        "onceward.limits.handler",
                        "onceward.database.url",
                        "onceward.kafka.acks",
                        "onceward.kafka.isolation.level",
                        "topic 'x y'");
        assertThatThrownBy(() -> settings.validated(Set.of("x y")))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageStartingWith("7 settings cannot work:\n  - onceward.consumer: ");
    }

    @Test
    void aMissingValueIsAProblemAndNotACrash() {
        ConsumerSettings s = TestSettings.defaults();
        ConsumerSettings settings = new ConsumerSettings(
                s.consumer(),
                s.groupId(),
                s.schema(),
                s.ordering(),
                s.startPosition(),
                s.idReuse(),
                new RetryPolicy(5, null, null),
                s.concurrency(),
                s.limits(),
                s.backpressure(),
                s.lease(),
                s.retention(),
                s.deadLetters(),
                s.allowAsynchronousCommit(),
                s.database(),
                s.kafka());
        assertThat(TestSettings.problems(settings))
                .containsExactly(
                        "onceward.retry.base-delay: is missing; allowed: 1ms to 1h",
                        "onceward.retry.max-delay: is missing; allowed: 1ms to 1d");
    }

    @Test
    void secretsAreNotPrinted() {
        ConsumerSettings settings = TestSettings.with(SettingKeys.DATABASE_URL, "jdbc:postgresql:x?password=secret-1")
                .and(SettingKeys.DATABASE_PASSWORD, "secret-2")
                .andKafka("sasl.jaas.config", "secret-3")
                .build();
        assertThat(settings.toString()).contains("sasl.jaas.config", "billing").doesNotContain("secret");
    }

    @Test
    void kafkaPropertiesAreCopied() {
        Map<String, String> kafka = new HashMap<>(Map.of("bootstrap.servers", "a:1"));
        SettingValues values = new SettingValues();
        values.put(SettingKeys.CONSUMER, "billing");
        ConsumerSettings settings = values.settings(kafka);
        kafka.put("acks", "0");
        assertThat(settings.kafka()).doesNotContainKey("acks");
    }
}
