package dev.onceward.config;

import dev.onceward.catalog.SettingKeys;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;

/**
 * Reads settings from properties and environment variables; all of them are listed in {@link SettingKeys}. Properties
 * that do not begin with {@code onceward.} and variables that do not begin with {@code ONCEWARD_} are left alone. An
 * unknown name that does is an error, since a misspelt setting would silently not hold.
 *
 * <p>{@code onceward.kafka.consumer.max.poll.records=100} passes {@code max.poll.records} through to the Kafka
 * consumer; {@code onceward.kafka.bootstrap.servers} reaches every client. In a variable, underscores stand for the
 * dots: {@code ONCEWARD_KAFKA_BOOTSTRAP_SERVERS}.
 *
 * <p>Variables that a container platform makes for a service named {@code onceward…}
 * ({@code ONCEWARD_SERVICE_HOST}, {@code ONCEWARD_PORT_8080_TCP}) are left alone too, and so are those of tests and the
 * demo ({@code ONCEWARD_TEST_…}, {@code ONCEWARD_DEMO_…}, {@code ONCEWARD_KAFKA_IMAGE}, {@code ONCEWARD_POSTGRES_IMAGE}).
 */
public final class SettingsReader {
    private final Problems problems = new Problems();
    private final SettingValues values = new SettingValues();
    private final GivenSettings given;

    private SettingsReader(GivenSettings given) {
        this.given = given;
    }

    /**
     * Reads and checks.
     *
     * @throws ConfigurationException names every problem at once
     */
    public static ConsumerSettings read(Properties properties) {
        Map<String, String> map = new TreeMap<>();
        for (String name : properties.stringPropertyNames()) {
            map.put(name, properties.getProperty(name));
        }
        return read(map, Map.of());
    }

    /**
     * Reads and checks. Where both say something about the same setting, the environment wins.
     *
     * @param properties by key, such as {@code onceward.retry.max-attempts}
     * @param environment by variable, such as {@code ONCEWARD_RETRY_MAX_ATTEMPTS}; {@link System#getenv()}
     * @throws ConfigurationException names every problem at once
     */
    public static ConsumerSettings read(Map<String, String> properties, Map<String, String> environment) {
        return new SettingsReader(GivenSettings.of(properties, environment)).settings();
    }

    private ConsumerSettings settings() {
        given.unknown().forEach(problems::add);
        given.settings().forEach(this::take);
        if (!values.has(SettingKeys.CONSUMER)) {
            if (problems.sound(SettingKeys.CONSUMER)) {
                problems.add(SettingKeys.CONSUMER, "is missing; allowed: " + SettingKeys.CONSUMER.allowed());
            }
            values.put(SettingKeys.CONSUMER, "unnamed");
        }
        checkEffect();
        // A setting with a problem has kept its default: all others are checked as well.
        ConsumerSettings settings = values.settings(given.kafka());
        SettingsValidator.check(settings, Set.of(), problems);
        problems.throwIfAny();
        return settings;
    }

    private void take(SettingKeys setting, GivenSettings.Given value) {
        try {
            Object parsed = SettingText.parse(setting, value.text());
            Optional<String> problem = ValueRules.problem(setting, parsed);
            if (problem.isEmpty()) {
                values.put(setting, parsed);
            } else {
                problems.add(setting, problem.get() + value.where());
            }
        } catch (IllegalArgumentException e) {
            problems.add(setting, "'" + value.text() + "' " + e.getMessage() + value.where());
        }
    }

    /** A setting that does nothing is a mistake that nobody would notice. */
    private void checkEffect() {
        if (!given.settings().containsKey(SettingKeys.DATABASE_URL)) {
            withoutEffect(SettingKeys.DATABASE_URL.key(), SettingKeys.DATABASE_USER, SettingKeys.DATABASE_PASSWORD);
        }
        SettingKeys enabled = SettingKeys.DEAD_LETTERS_CREATE_ENABLED;
        if (problems.sound(enabled) && !values.isTrue(enabled)) {
            withoutEffect(
                    enabled + "=true",
                    SettingKeys.DEAD_LETTERS_CREATE_PARTITIONS,
                    SettingKeys.DEAD_LETTERS_CREATE_REPLICATION_FACTOR,
                    SettingKeys.DEAD_LETTERS_CREATE_RETENTION);
        }
    }

    private void withoutEffect(String needed, SettingKeys... settings) {
        for (SettingKeys setting : settings) {
            if (given.settings().containsKey(setting)) {
                problems.add(setting, "has no effect without " + needed + "; add that, or leave this out");
            }
        }
    }
}
