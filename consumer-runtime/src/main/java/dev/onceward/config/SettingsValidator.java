package dev.onceward.config;

import dev.onceward.catalog.SettingKeys;
import java.time.Duration;
import java.util.Set;

/** Checks settings as a whole. Nothing is repaired: what cannot work is refused, every problem at once. */
public final class SettingsValidator {
    private final ConsumerSettings settings;
    private final Problems problems;

    private SettingsValidator(ConsumerSettings settings, Problems problems) {
        this.settings = settings;
        this.problems = problems;
    }

    /**
     * Checks everything that can be checked without a server.
     *
     * @param topics the topics that have a handler; empty while they are not known yet
     * @throws ConfigurationException names every problem, each with its key, what is wrong and what is allowed
     */
    public static void check(ConsumerSettings settings, Set<String> topics) {
        Problems problems = new Problems();
        check(settings, topics, problems);
        problems.throwIfAny();
    }

    /** Adds to problems found before: what was wrong there is not compared with anything. */
    static void check(ConsumerSettings settings, Set<String> topics, Problems problems) {
        SettingsValidator validator = new SettingsValidator(settings, problems);
        validator.checkValues();
        validator.checkTogether();
        new TopicNameRules(settings, problems).check(topics);
        new DatabaseRules(settings, problems).check();
        new KafkaRules(settings, problems).check();
    }

    private void checkValues() {
        for (SettingKeys setting : SettingKeys.values()) {
            if (problems.sound(setting)) {
                ValueRules.problem(setting, SettingValues.of(settings, setting))
                        .ifPresent(what -> problems.add(setting, what));
            }
        }
    }

    private void checkTogether() {
        atLeast(SettingKeys.RETRY_MAX_DELAY, SettingKeys.RETRY_BASE_DELAY, "delays would be cut off below their base");
        atLeast(SettingKeys.LIMITS_HANDLER, SettingKeys.LIMITS_LOCK, "the handler's limit would pass first");
        atLeast(SettingKeys.LIMITS_SHUTDOWN, SettingKeys.LIMITS_DRAIN, "close() drains too");
        atLeast(
                SettingKeys.BACKPRESSURE_WORKER_MESSAGES,
                SettingKeys.BACKPRESSURE_PARTITION_MESSAGES,
                "the worker holds the messages of all its partitions");
        atLeast(
                SettingKeys.BACKPRESSURE_WORKER_BYTES,
                SettingKeys.BACKPRESSURE_PARTITION_BYTES,
                "the worker holds the bytes of all its partitions");
        atLeast(
                SettingKeys.BACKPRESSURE_MAX_AHEAD,
                SettingKeys.BACKPRESSURE_PARTITION_MESSAGES,
                "the messages in flight would never be so many");
        leaseOutlivesHeartbeats();
        createdTopicsOutliveNoClaim();
    }

    /** Both are of the same type. Blames the one that is too low, and names the other. */
    private void atLeast(SettingKeys high, SettingKeys low, String why) {
        if (!problems.sound(high, low)) {
            return;
        }
        Object highValue = present(high);
        Object lowValue = present(low);
        int order = highValue instanceof Duration duration
                ? duration.compareTo((Duration) lowValue)
                : Long.compare((Long) highValue, (Long) lowValue);
        if (order < 0) {
            problems.add(
                    high,
                    SettingText.format(high, highValue) + " is less than " + low + " ("
                            + SettingText.format(low, lowValue) + "): " + why + "; raise it, or lower the other");
        }
    }

    private void leaseOutlivesHeartbeats() {
        if (!problems.sound(SettingKeys.LEASE_DURATION, SettingKeys.LEASE_INTERVAL)) {
            return;
        }
        Duration least = settings.lease().interval().multipliedBy(3);
        if (settings.lease().duration().compareTo(least) < 0) {
            problems.add(
                    SettingKeys.LEASE_DURATION,
                    Durations.format(settings.lease().duration()) + " is less than 3 times "
                            + SettingKeys.LEASE_INTERVAL + " ("
                            + Durations.format(settings.lease().interval())
                            + "): one late heartbeat would stop the worker; use at least " + Durations.format(least));
        }
    }

    private void createdTopicsOutliveNoClaim() {
        ConsumerSettings.TopicCreation creation = settings.deadLetters().create();
        if (creation == null
                || creation.retention() == null
                || settings.retention().check() != ConsumerSettings.Retention.Check.REFUSE
                || !problems.sound(SettingKeys.DEAD_LETTERS_CREATE_RETENTION, SettingKeys.RETENTION_CLAIMS)) {
            return;
        }
        if (creation.retention().compareTo(settings.retention().claims()) >= 0) {
            problems.add(
                    SettingKeys.DEAD_LETTERS_CREATE_RETENTION,
                    Durations.format(creation.retention()) + " is not less than " + SettingKeys.RETENTION_CLAIMS + " ("
                            + Durations.format(settings.retention().claims())
                            + "): a message could be replayed after its claim was pruned; lower it, or raise the other");
        }
    }

    private Object present(SettingKeys setting) {
        Object value = SettingValues.of(settings, setting);
        if (value == null) {
            throw new IllegalStateException(setting + " was found sound but has no value");
        }
        return value;
    }
}
