package dev.onceward.config;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Every setting of a runtime but its handlers; immutable, validated as a whole.
 *
 * @param consumer logical consumer name, 1 to 100 characters of {@code [A-Za-z0-9._-]}
 * @param groupId Kafka group id; default: the consumer name
 * @param schema PostgreSQL schema of Onceward's tables; default {@code public}
 * @param ordering which messages take effect in offset order; default {@link Ordering#KEY}
 * @param startPosition where to begin in a partition never seen before; default {@link StartPosition#earliest}
 * @param idReuse what to do with an id that comes back with another payload; default {@link IdReuse#DEAD_LETTER}
 * @param retry bounds of retries
 * @param concurrency threads and groups
 * @param limits bounds of time
 * @param backpressure bounds of messages and bytes in flight
 * @param lease heartbeats
 * @param retention how long claims are kept
 * @param deadLetters names and creation of dead-letter and replay topics
 * @param allowAsynchronousCommit accept {@code synchronous_commit} off or local (an acknowledged effect can be lost when
 *     the database fails over); default false
 * @param database a pool to make here; {@code null} where the team gives its own DataSource
 * @param kafka properties passed through to the Kafka clients; {@code consumer.}, {@code producer.} and {@code admin.}
 *     prefixes reach one client only
 */
public record ConsumerSettings(
        String consumer,
        String groupId,
        String schema,
        Ordering ordering,
        StartPosition startPosition,
        IdReuse idReuse,
        RetryPolicy retry,
        Concurrency concurrency,
        Limits limits,
        Backpressure backpressure,
        Lease lease,
        Retention retention,
        DeadLetterTopics deadLetters,
        boolean allowAsynchronousCommit,
        @Nullable DatabaseSettings database,
        Map<String, String> kafka) {

    /**
     * Takes a copy of the Kafka properties. Nothing else is checked here: see {@link #validated}.
     *
     * @throws NullPointerException something but the database is {@code null}
     */
    public ConsumerSettings {
        requireNonNull(consumer, "consumer");
        requireNonNull(groupId, "groupId");
        requireNonNull(schema, "schema");
        requireNonNull(ordering, "ordering");
        requireNonNull(startPosition, "startPosition");
        requireNonNull(idReuse, "idReuse");
        requireNonNull(retry, "retry");
        requireNonNull(concurrency, "concurrency");
        requireNonNull(limits, "limits");
        requireNonNull(backpressure, "backpressure");
        requireNonNull(lease, "lease");
        requireNonNull(retention, "retention");
        requireNonNull(deadLetters, "deadLetters");
        kafka = Map.copyOf(kafka);
    }

    /** The defaults, for a consumer of this name. */
    public static ConsumerSettings of(String consumer) {
        return new ConsumerSettings(
                consumer,
                consumer,
                "public",
                Ordering.KEY,
                StartPosition.earliest(),
                IdReuse.DEAD_LETTER,
                RetryPolicy.DEFAULT,
                Concurrency.DEFAULT,
                Limits.DEFAULT,
                Backpressure.DEFAULT,
                Lease.DEFAULT,
                Retention.DEFAULT,
                DeadLetterTopics.DEFAULT,
                false,
                null,
                Map.of());
    }

    /**
     * These settings, if they can work for a consumer of these topics.
     *
     * @param topics the topics that have a handler
     * @throws ConfigurationException names every problem at once
     */
    public ConsumerSettings validated(Set<String> topics) {
        SettingsValidator.check(this, topics);
        return this;
    }

    /** Every setting but the values of the Kafka properties, some of which are passwords. */
    @Override
    public String toString() {
        return "ConsumerSettings[consumer=" + consumer + ", groupId=" + groupId + ", schema=" + schema + ", ordering="
                + ordering + ", startPosition=" + startPosition + ", idReuse=" + idReuse + ", " + retry + ", "
                + concurrency + ", " + limits + ", " + backpressure + ", " + lease + ", " + retention + ", "
                + deadLetters + ", allowAsynchronousCommit=" + allowAsynchronousCommit + ", " + database + ", kafka="
                + new TreeSet<>(kafka.keySet()) + "]";
    }

    /**
     * Threads and groups.
     *
     * @param lanes lane threads, each with one database connection at a time, 1 to 256; default 8
     * @param maxGroupSize most messages in one transaction, 1 to 10,000; default 100
     * @param groupBudget time that the handlers of one group should take together, 10 ms to 10 min; groups are sized by
     *     measured handler time; default 5 s
     */
    public record Concurrency(int lanes, int maxGroupSize, Duration groupBudget) {
        /** 8 lanes, groups of 100, 5 s of handler time for each. */
        public static final Concurrency DEFAULT = new Concurrency(8, 100, Duration.ofSeconds(5));
    }

    /**
     * Bounds of time.
     *
     * @param handler one attempt of a handler, or decoding one record, 10 ms to 1 h; default 30 s
     * @param lock waiting for a row or advisory lock, 10 ms to handler; default 10 s
     * @param takeoverGrace how long a takeover waits for the old owner's transactions before it ends them, 10 ms to 10 min;
     *     default 5 s
     * @param drain how long a revoke waits for running groups, 10 ms to 10 min, at most half of Kafka's
     *     {@code max.poll.interval.ms}; default 10 s
     * @param shutdown the whole of close(), drain to 1 h; default 30 s
     * @param commitInterval between offset commits, 10 ms to 5 min; default 1 s
     * @param maxStuckHandlers handlers that ignore their limit before the worker gives up, 0 to 100; default 3
     */
    public record Limits(
            Duration handler,
            Duration lock,
            Duration takeoverGrace,
            Duration drain,
            Duration shutdown,
            Duration commitInterval,
            int maxStuckHandlers) {
        /** What stands above as default. */
        public static final Limits DEFAULT = new Limits(
                Duration.ofSeconds(30),
                Duration.ofSeconds(10),
                Duration.ofSeconds(5),
                Duration.ofSeconds(10),
                Duration.ofSeconds(30),
                Duration.ofSeconds(1),
                3);

        /**
         * How long a database connection may be silent before it is taken for half-open: longer than anything that may take
         * its time. Not a setting of its own.
         */
        public Duration longestSilence(Concurrency concurrency) {
            return handler.multipliedBy(2)
                    .plus(concurrency.groupBudget())
                    .plus(lock)
                    .plusSeconds(20);
        }
    }

    /**
     * Bounds of what is in flight: fetched and not finished. The last poll of a partition may go over by what it
     * returns. Bytes are those that the records take in memory: key, value, names and values of headers, and what their
     * objects cost beside them: 512 for each record, 128 for each header.
     *
     * @param partitionMessages most messages of a partition, 1 to 1,000,000; default 2,000
     * @param partitionBytes most bytes of a partition, 1 KiB to 1 GiB; default 8 MiB
     * @param workerMessages most messages of the worker, partitionMessages to 10,000,000; default 20,000
     * @param workerBytes most bytes of the worker, partitionBytes to 64 GiB; default 24 MiB
     * @param maxAhead how many offsets a partition may run ahead of its watermark, partitionMessages to
     *     1,000,000,000; default 100,000
     */
    public record Backpressure(
            int partitionMessages, long partitionBytes, int workerMessages, long workerBytes, long maxAhead) {
        /** What stands above as default. */
        public static final Backpressure DEFAULT = new Backpressure(2_000, 8 << 20, 20_000, 24 << 20, 100_000);
    }

    /**
     * Heartbeats in the database.
     *
     * @param interval between heartbeats, 10 ms to 1 min; default 2 s
     * @param duration with no heartbeat for so long no new transaction starts, and others see the worker as stale; at
     *     least 3 intervals, at most 10 min; default 10 s
     */
    public record Lease(Duration interval, Duration duration) {
        /** A heartbeat every 2 s, a lease of 10 s. */
        public static final Lease DEFAULT = new Lease(Duration.ofSeconds(2), Duration.ofSeconds(10));
    }

    /**
     * How long claims are kept.
     *
     * @param claims age at which a claim may be pruned, and what is left of the attempts of records that were finished
     *     another way; must be longer than what is readable or replayable,
     *     1 min to 36,500 d; default 14 d
     * @param pruning whether this worker prunes; default true
     * @param check what to do at start if source, replay or dead-letter topics keep records longer than claims;
     *     default {@link Check#WARN}
     */
    public record Retention(Duration claims, boolean pruning, Check check) {
        /** Claims kept for 14 d, pruned here, a retention that is too short warned of. */
        public static final Retention DEFAULT = new Retention(Duration.ofDays(14), true, Check.WARN);

        /** What a retention that is too short leads to. */
        public enum Check {
            /** A warning in the log, for each such topic. */
            WARN,
            /** The runtime does not start. */
            REFUSE
        }
    }

    /**
     * Dead-letter and replay topics.
     *
     * @param topicPattern name of a dead-letter topic, {@code {consumer}} and {@code {topic}} are replaced; default
     *     {@code dlq.{consumer}.{topic}}
     * @param replayTopicPattern name of the consumer's replay topic, which no other consumer may use; default
     *     {@code replay.{consumer}}
     * @param create how to create missing topics; {@code null}: only check that they exist (default)
     */
    public record DeadLetterTopics(
            String topicPattern,
            String replayTopicPattern,
            @Nullable TopicCreation create) {
        /** The names above, nothing created. */
        public static final DeadLetterTopics DEFAULT =
                new DeadLetterTopics("dlq.{consumer}.{topic}", "replay.{consumer}", null);

        /** The dead-letter topic of a source topic. */
        public String deadLetterTopic(String consumer, String topic) {
            return topicPattern.replace("{consumer}", consumer).replace("{topic}", topic);
        }

        /** The replay topic of a consumer. */
        public String replayTopic(String consumer) {
            return replayTopicPattern.replace("{consumer}", consumer);
        }
    }

    /**
     * How to create a missing topic.
     *
     * @param partitions 1 to 100,000; 0: as many as the source topic
     * @param replicationFactor 1 to 32,767; -1: the broker's default
     * @param retention how long records are kept, 1 min to 36,500 d; {@code null}: the broker's default
     */
    public record TopicCreation(
            int partitions,
            short replicationFactor,
            @Nullable Duration retention) {}

    /**
     * A pool to make here.
     *
     * @param url JDBC URL, {@code jdbc:postgresql://…}
     * @param user may be {@code null} where the URL or the driver's defaults say it
     * @param password never printed
     */
    public record DatabaseSettings(
            String url, @Nullable String user, @Nullable String password) {
        @Override
        public String toString() {
            return "DatabaseSettings[user=" + user + "]";
        }
    }
}
