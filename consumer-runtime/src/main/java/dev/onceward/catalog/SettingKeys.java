package dev.onceward.catalog;

import static java.util.stream.Collectors.joining;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Every setting that can be given by properties or environment, public API. Errors name settings by these keys, also
 * where they were set in code. Beside them, {@value #KAFKA_PREFIX} passes properties through to the Kafka clients.
 */
public enum SettingKeys {
    /** Logical name of the consumer. */
    CONSUMER(
            "consumer",
            Type.TEXT,
            null,
            "1 to 100 characters of A-Z, a-z, 0-9, '.', '_', '-'",
            "Required. Logical name of the consumer: the namespace of deduplication"),
    /** Kafka group id. */
    GROUP_ID(
            "group-id",
            Type.TEXT,
            null,
            "1 to 255 characters",
            "Kafka group id; by default the name of the consumer. Stored: another one is refused later"),
    /** PostgreSQL schema. */
    SCHEMA(
            "schema",
            Type.TEXT,
            "public",
            "a lower-case letter or '_', then lower-case letters, digits, '_'; at most 63",
            "PostgreSQL schema of Onceward's tables"),
    /** Which messages take effect in offset order. */
    ORDERING(
            "ordering",
            Type.CHOICE,
            "key",
            "key | partition | unordered",
            "Which messages of a partition take effect in offset order: those with the same key, all, none"),
    /** Where to begin. */
    START_POSITION(
            "start-position",
            Type.START_POSITION,
            "earliest",
            "earliest | latest | an instant such as 2025-01-31T12:00:00Z",
            "Where to begin in a topic that this consumer has never seen"),
    /** What to do with a reused id. */
    ID_REUSE(
            "id-reuse",
            Type.CHOICE,
            "dead-letter",
            "dead-letter | skip",
            "What to do with a message whose id was processed before with another payload"),
    /** Whether synchronous_commit may be off. */
    ALLOW_ASYNCHRONOUS_COMMIT(
            "allow-asynchronous-commit",
            Type.BOOLEAN,
            "false",
            "true | false",
            "Accept synchronous_commit off or local: an acknowledged effect can be lost when the database fails over"),

    /** Attempts of a message. */
    RETRY_MAX_ATTEMPTS(
            "retry.max-attempts", Type.INTEGER, "5", "1 to 1000", "Counted attempts before a message is dead-lettered"),
    /** First delay. */
    RETRY_BASE_DELAY(
            "retry.base-delay",
            Type.DURATION,
            "200ms",
            "1ms to 1h",
            "Upper bound of the first delay, doubled after each attempt; the delay is random below the bound"),
    /** Longest delay. */
    RETRY_MAX_DELAY(
            "retry.max-delay",
            Type.DURATION,
            "30s",
            "1ms to 1d",
            "Upper bound of every delay; at least retry.base-delay"),

    /** Lane threads. */
    CONCURRENCY_LANES(
            "concurrency.lanes",
            Type.INTEGER,
            "8",
            "1 to 256",
            "Lane threads, each with one database connection at a time"),
    /** Messages in one transaction. */
    CONCURRENCY_MAX_GROUP_SIZE(
            "concurrency.max-group-size", Type.INTEGER, "100", "1 to 10000", "Most messages in one transaction"),
    /** Handler time in one transaction. */
    CONCURRENCY_GROUP_BUDGET(
            "concurrency.group-budget",
            Type.DURATION,
            "5s",
            "10ms to 10m",
            "Time that the handlers of one group should take together; groups are sized by measured handler time"),

    /** Time of one attempt. */
    LIMITS_HANDLER(
            "limits.handler", Type.DURATION, "30s", "10ms to 1h", "One attempt of a handler, or decoding one record"),
    /** Wait for a lock. */
    LIMITS_LOCK(
            "limits.lock",
            Type.DURATION,
            "10s",
            "10ms to 1h",
            "Waiting for a row lock or advisory lock; at most limits.handler"),
    /** Patience of a takeover. */
    LIMITS_TAKEOVER_GRACE(
            "limits.takeover-grace",
            Type.DURATION,
            "5s",
            "10ms to 10m",
            "How long a takeover waits for the old owner's transactions before it ends them"),
    /** Drain at a revoke. */
    LIMITS_DRAIN(
            "limits.drain",
            Type.DURATION,
            "10s",
            "10ms to 10m",
            "How long a revoke waits for running groups; at most half of Kafka's max.poll.interval.ms"),
    /** Bound of close(). */
    LIMITS_SHUTDOWN(
            "limits.shutdown", Type.DURATION, "30s", "10ms to 1h", "The whole of close(); at least limits.drain"),
    /** Offset commits. */
    LIMITS_COMMIT_INTERVAL("limits.commit-interval", Type.DURATION, "1s", "10ms to 5m", "Between offset commits"),
    /** Handlers that hang. */
    LIMITS_MAX_STUCK_HANDLERS(
            "limits.max-stuck-handlers",
            Type.INTEGER,
            "3",
            "0 to 100",
            "Handlers that ignore their limit before the worker gives up"),

    /** Messages of a partition in flight. */
    BACKPRESSURE_PARTITION_MESSAGES(
            "backpressure.partition-messages",
            Type.INTEGER,
            "2000",
            "1 to 1000000",
            "Most messages of a partition in flight"),
    /** Bytes of a partition in flight. */
    BACKPRESSURE_PARTITION_BYTES(
            "backpressure.partition-bytes",
            Type.SIZE,
            "8MiB",
            "1KiB to 1GiB",
            "Most bytes of a partition in flight: key, value and headers, 512 more for each record"
                    + " and 128 for each header"),
    /** Messages of the worker in flight. */
    BACKPRESSURE_WORKER_MESSAGES(
            "backpressure.worker-messages",
            Type.INTEGER,
            "20000",
            "1 to 10000000",
            "Most messages of the worker in flight; at least backpressure.partition-messages"),
    /** Bytes of the worker in flight. */
    BACKPRESSURE_WORKER_BYTES(
            "backpressure.worker-bytes",
            Type.SIZE,
            "24MiB",
            "1KiB to 64GiB",
            "Most bytes of the worker in flight, counted as those of a partition; at least backpressure.partition-bytes"),
    /** Distance from the watermark. */
    BACKPRESSURE_MAX_AHEAD(
            "backpressure.max-ahead",
            Type.INTEGER,
            "100000",
            "1 to 1000000000",
            "How many offsets a partition may run ahead of its watermark; at least backpressure.partition-messages"),

    /** Heartbeats. */
    LEASE_INTERVAL("lease.interval", Type.DURATION, "2s", "10ms to 1m", "Between heartbeats in the database"),
    /** How long a heartbeat holds. */
    LEASE_DURATION(
            "lease.duration",
            Type.DURATION,
            "10s",
            "30ms to 10m",
            "With no heartbeat for so long no new transaction starts; at least 3 times lease.interval"),

    /** Age of claims. */
    RETENTION_CLAIMS(
            "retention.claims",
            Type.DURATION,
            "14d",
            "1m to 36500d",
            "Age at which a claim may be pruned; must be longer than what is readable or replayable"),
    /** Whether to prune. */
    RETENTION_PRUNING("retention.pruning", Type.BOOLEAN, "true", "true | false", "Whether this worker prunes claims"),
    /** Check of topics' retention. */
    RETENTION_CHECK(
            "retention.check",
            Type.CHOICE,
            "warn",
            "warn | refuse",
            "What to do at start if source, replay or dead-letter topics keep records longer than claims"),

    /** Names of dead-letter topics. */
    DEAD_LETTERS_TOPIC_PATTERN(
            "dead-letters.topic-pattern",
            Type.TEXT,
            "dlq.{consumer}.{topic}",
            "gives legal topic names; with {topic} where there are several topics",
            "Name of a dead-letter topic; {consumer} and {topic} are replaced"),
    /** Name of the replay topic. */
    DEAD_LETTERS_REPLAY_TOPIC_PATTERN(
            "dead-letters.replay-topic-pattern",
            Type.TEXT,
            "replay.{consumer}",
            "gives a legal topic name",
            "Name of the consumer's replay topic; {consumer} is replaced. No other consumer may use it"),
    /** Whether to create topics. */
    DEAD_LETTERS_CREATE_ENABLED(
            "dead-letters.create.enabled",
            Type.BOOLEAN,
            "false",
            "true | false",
            "Create missing dead-letter and replay topics; otherwise they are only checked"),
    /** Partitions of topics to create. */
    DEAD_LETTERS_CREATE_PARTITIONS(
            "dead-letters.create.partitions",
            Type.INTEGER,
            "0",
            "0 to 100000",
            "Partitions of a topic to create; 0: as many as the source topic"),
    /** Replicas of topics to create. */
    DEAD_LETTERS_CREATE_REPLICATION_FACTOR(
            "dead-letters.create.replication-factor",
            Type.INTEGER,
            "-1",
            "-1 to 32767",
            "Replicas of a topic to create; -1: the broker's default; 0 is not possible"),
    /** Retention of topics to create. */
    DEAD_LETTERS_CREATE_RETENTION(
            "dead-letters.create.retention",
            Type.DURATION,
            null,
            "1m to 36500d",
            "How long a topic to create keeps records; by default as the broker says"),

    /** JDBC URL. */
    DATABASE_URL(
            "database.url",
            Type.TEXT,
            null,
            "jdbc:postgresql://…",
            "Makes a connection pool; not needed where the service gives its own DataSource"),
    /** Database user. */
    DATABASE_USER("database.user", Type.TEXT, null, "not empty", "User of the pool; needs database.url"),
    /** Database password. */
    DATABASE_PASSWORD("database.password", Type.SECRET, null, "any", "Password of the pool; needs database.url");

    /** What every key begins with. */
    public static final String PREFIX = "onceward.";

    /**
     * What the keys of properties for Kafka's clients begin with; then follows {@code consumer.}, {@code producer.} or
     * {@code admin.} where one client only is meant, then Kafka's own name.
     */
    public static final String KAFKA_PREFIX = "onceward.kafka.";

    /** How a value is written. */
    public enum Type {
        /** As it is. */
        TEXT,
        /** As it is; never printed. */
        SECRET,
        /** {@code true} or {@code false}. */
        BOOLEAN,
        /** A decimal number without fraction. */
        INTEGER,
        /** {@code 200ms}, {@code 30s}, {@code 5m}, {@code 2h}, {@code 14d}, or ISO 8601: {@code PT30S}. */
        DURATION,
        /** {@code 512KiB}, {@code 8MiB}, {@code 1GiB}, or a number of bytes. */
        SIZE,
        /** One of several words. */
        CHOICE,
        /** {@code earliest}, {@code latest}, or an ISO 8601 instant. */
        START_POSITION;

        /** Whether {@link #allowed()} is a range. */
        public boolean hasRange() {
            return this == INTEGER || this == DURATION || this == SIZE;
        }
    }

    private final String key;
    private final Type type;
    private final @Nullable String defaultText;
    private final String allowed;
    private final String meaning;

    SettingKeys(String name, Type type, @Nullable String defaultText, String allowed, String meaning) {
        this.key = "onceward." + name;
        this.type = type;
        this.defaultText = defaultText;
        this.allowed = allowed;
        this.meaning = meaning;
    }

    /** The key as it stands in properties and errors: {@code onceward.retry.max-attempts}. */
    public String key() {
        return key;
    }

    /** The environment variable that says the same: {@code ONCEWARD_RETRY_MAX_ATTEMPTS}. */
    public String environmentVariable() {
        return key.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
    }

    /** How a value is written. */
    public Type type() {
        return type;
    }

    /** The value where nothing is said; empty where there is none, or none that is the same for all. */
    public Optional<String> defaultText() {
        return Optional.ofNullable(defaultText);
    }

    /** What can be set: {@code min to max} for types with a range, {@code this | that} for choices, else in words. */
    public String allowed() {
        return allowed;
    }

    /**
     * The lowest value of a range.
     *
     * @throws IllegalStateException the type has no range
     */
    public String min() {
        return range().get(0);
    }

    /**
     * The highest value of a range.
     *
     * @throws IllegalStateException the type has no range
     */
    public String max() {
        return range().get(1);
    }

    /** What it means, in one sentence. */
    public String meaning() {
        return meaning;
    }

    /** The setting of this key, if there is one. */
    public static Optional<SettingKeys> find(String key) {
        return Arrays.stream(values())
                .filter(setting -> setting.key.equals(key))
                .findFirst();
    }

    /** The catalogue as a Markdown table. */
    public static String markdown() {
        return Arrays.stream(values())
                .map(setting -> "| `" + setting.key + "` | "
                        + setting.type.name().toLowerCase(Locale.ROOT).replace('_', ' ') + " | "
                        + setting.defaultText().map(text -> "`" + text + "`").orElse("") + " | "
                        + setting.allowed.replace("|", "\\|") + " | " + setting.meaning + " |\n")
                .collect(joining("", "| key | type | default | allowed | meaning |\n|---|---|---|---|---|\n", ""));
    }

    /** The key. */
    @Override
    public String toString() {
        return key;
    }

    private List<String> range() {
        if (!type.hasRange()) {
            throw new IllegalStateException(key + " has no range");
        }
        return List.of(allowed.split(" to ", 2));
    }
}
