package dev.onceward.config;

import dev.onceward.catalog.SettingKeys;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The settings by key: the link between the catalogue and {@link ConsumerSettings}. Types as in {@link SettingText}. */
final class SettingValues {
    private final Map<SettingKeys, Object> values = new EnumMap<>(SettingKeys.class);

    /** The defaults; there is none for the consumer's name. */
    SettingValues() {
        for (SettingKeys setting : SettingKeys.values()) {
            setting.defaultText().ifPresent(text -> put(setting, SettingText.parse(setting, text)));
        }
    }

    void put(SettingKeys setting, Object value) {
        values.put(setting, value);
    }

    boolean has(SettingKeys setting) {
        return values.containsKey(setting);
    }

    boolean isTrue(SettingKeys setting) {
        return bool(setting);
    }

    /** Makes the settings. The consumer's name must have been put. Every value must be in its range. */
    ConsumerSettings settings(Map<String, String> kafka) {
        String consumer = text(SettingKeys.CONSUMER);
        return new ConsumerSettings(
                consumer,
                has(SettingKeys.GROUP_ID) ? text(SettingKeys.GROUP_ID) : consumer,
                text(SettingKeys.SCHEMA),
                constant(Ordering.class, SettingKeys.ORDERING),
                (StartPosition) get(SettingKeys.START_POSITION),
                constant(IdReuse.class, SettingKeys.ID_REUSE),
                new RetryPolicy(
                        integer(SettingKeys.RETRY_MAX_ATTEMPTS),
                        duration(SettingKeys.RETRY_BASE_DELAY),
                        duration(SettingKeys.RETRY_MAX_DELAY)),
                new ConsumerSettings.Concurrency(
                        integer(SettingKeys.CONCURRENCY_LANES),
                        integer(SettingKeys.CONCURRENCY_MAX_GROUP_SIZE),
                        duration(SettingKeys.CONCURRENCY_GROUP_BUDGET)),
                new ConsumerSettings.Limits(
                        duration(SettingKeys.LIMITS_HANDLER),
                        duration(SettingKeys.LIMITS_LOCK),
                        duration(SettingKeys.LIMITS_TAKEOVER_GRACE),
                        duration(SettingKeys.LIMITS_DRAIN),
                        duration(SettingKeys.LIMITS_SHUTDOWN),
                        duration(SettingKeys.LIMITS_COMMIT_INTERVAL),
                        integer(SettingKeys.LIMITS_MAX_STUCK_HANDLERS)),
                new ConsumerSettings.Backpressure(
                        integer(SettingKeys.BACKPRESSURE_PARTITION_MESSAGES),
                        number(SettingKeys.BACKPRESSURE_PARTITION_BYTES),
                        integer(SettingKeys.BACKPRESSURE_WORKER_MESSAGES),
                        number(SettingKeys.BACKPRESSURE_WORKER_BYTES),
                        number(SettingKeys.BACKPRESSURE_MAX_AHEAD)),
                new ConsumerSettings.Lease(duration(SettingKeys.LEASE_INTERVAL), duration(SettingKeys.LEASE_DURATION)),
                new ConsumerSettings.Retention(
                        duration(SettingKeys.RETENTION_CLAIMS),
                        bool(SettingKeys.RETENTION_PRUNING),
                        constant(ConsumerSettings.Retention.Check.class, SettingKeys.RETENTION_CHECK)),
                new ConsumerSettings.DeadLetterTopics(
                        text(SettingKeys.DEAD_LETTERS_TOPIC_PATTERN),
                        text(SettingKeys.DEAD_LETTERS_REPLAY_TOPIC_PATTERN),
                        bool(SettingKeys.DEAD_LETTERS_CREATE_ENABLED) ? creation() : null),
                bool(SettingKeys.ALLOW_ASYNCHRONOUS_COMMIT),
                has(SettingKeys.DATABASE_URL) ? database() : null,
                kafka);
    }

    /** The value of a setting; {@code null} where there is none. */
    static @Nullable Object of(ConsumerSettings settings, SettingKeys setting) {
        ConsumerSettings.TopicCreation creation = settings.deadLetters().create();
        ConsumerSettings.DatabaseSettings database = settings.database();
        return switch (setting) {
            case CONSUMER -> settings.consumer();
            case GROUP_ID -> settings.groupId();
            case SCHEMA -> settings.schema();
            case ORDERING -> SettingText.word(settings.ordering());
            case START_POSITION -> settings.startPosition();
            case ID_REUSE -> SettingText.word(settings.idReuse());
            case ALLOW_ASYNCHRONOUS_COMMIT -> settings.allowAsynchronousCommit();
            case RETRY_MAX_ATTEMPTS -> (long) settings.retry().maxAttempts();
            case RETRY_BASE_DELAY -> settings.retry().baseDelay();
            case RETRY_MAX_DELAY -> settings.retry().maxDelay();
            case CONCURRENCY_LANES -> (long) settings.concurrency().lanes();
            case CONCURRENCY_MAX_GROUP_SIZE -> (long) settings.concurrency().maxGroupSize();
            case CONCURRENCY_GROUP_BUDGET -> settings.concurrency().groupBudget();
            case LIMITS_HANDLER -> settings.limits().handler();
            case LIMITS_LOCK -> settings.limits().lock();
            case LIMITS_TAKEOVER_GRACE -> settings.limits().takeoverGrace();
            case LIMITS_DRAIN -> settings.limits().drain();
            case LIMITS_SHUTDOWN -> settings.limits().shutdown();
            case LIMITS_COMMIT_INTERVAL -> settings.limits().commitInterval();
            case LIMITS_MAX_STUCK_HANDLERS -> (long) settings.limits().maxStuckHandlers();
            case BACKPRESSURE_PARTITION_MESSAGES ->
                (long) settings.backpressure().partitionMessages();
            case BACKPRESSURE_PARTITION_BYTES -> settings.backpressure().partitionBytes();
            case BACKPRESSURE_WORKER_MESSAGES -> (long) settings.backpressure().workerMessages();
            case BACKPRESSURE_WORKER_BYTES -> settings.backpressure().workerBytes();
            case BACKPRESSURE_MAX_AHEAD -> settings.backpressure().maxAhead();
            case LEASE_INTERVAL -> settings.lease().interval();
            case LEASE_DURATION -> settings.lease().duration();
            case RETENTION_CLAIMS -> settings.retention().claims();
            case RETENTION_PRUNING -> settings.retention().pruning();
            case RETENTION_CHECK -> SettingText.word(settings.retention().check());
            case DEAD_LETTERS_TOPIC_PATTERN -> settings.deadLetters().topicPattern();
            case DEAD_LETTERS_REPLAY_TOPIC_PATTERN -> settings.deadLetters().replayTopicPattern();
            case DEAD_LETTERS_CREATE_ENABLED -> creation != null;
            case DEAD_LETTERS_CREATE_PARTITIONS -> creation == null ? 0L : (long) creation.partitions();
            case DEAD_LETTERS_CREATE_REPLICATION_FACTOR -> creation == null ? -1L : (long) creation.replicationFactor();
            case DEAD_LETTERS_CREATE_RETENTION -> creation == null ? null : creation.retention();
            case DATABASE_URL -> database == null ? null : database.url();
            case DATABASE_USER -> database == null ? null : database.user();
            case DATABASE_PASSWORD -> database == null ? null : database.password();
        };
    }

    private ConsumerSettings.TopicCreation creation() {
        return new ConsumerSettings.TopicCreation(
                integer(SettingKeys.DEAD_LETTERS_CREATE_PARTITIONS),
                (short) integer(SettingKeys.DEAD_LETTERS_CREATE_REPLICATION_FACTOR),
                has(SettingKeys.DEAD_LETTERS_CREATE_RETENTION)
                        ? duration(SettingKeys.DEAD_LETTERS_CREATE_RETENTION)
                        : null);
    }

    private ConsumerSettings.DatabaseSettings database() {
        return new ConsumerSettings.DatabaseSettings(
                text(SettingKeys.DATABASE_URL),
                has(SettingKeys.DATABASE_USER) ? text(SettingKeys.DATABASE_USER) : null,
                has(SettingKeys.DATABASE_PASSWORD) ? text(SettingKeys.DATABASE_PASSWORD) : null);
    }

    private Object get(SettingKeys setting) {
        Object value = values.get(setting);
        if (value == null) {
            throw new IllegalStateException(setting + " has no value");
        }
        return value;
    }

    private String text(SettingKeys setting) {
        return (String) get(setting);
    }

    private boolean bool(SettingKeys setting) {
        return (Boolean) get(setting);
    }

    private Duration duration(SettingKeys setting) {
        return (Duration) get(setting);
    }

    private long number(SettingKeys setting) {
        return (Long) get(setting);
    }

    private int integer(SettingKeys setting) {
        return Math.toIntExact(number(setting));
    }

    private <E extends Enum<E>> E constant(Class<E> type, SettingKeys setting) {
        return Enum.valueOf(type, text(setting).toUpperCase(Locale.ROOT).replace('-', '_'));
    }
}
