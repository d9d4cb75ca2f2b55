package dev.onceward.catalog;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toUnmodifiableMap;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Every header that Onceward writes, public API. Values are UTF-8 text, one value per name: numbers in decimal, Kafka
 * timestamps in epoch milliseconds, instants in ISO 8601 ({@code 2025-01-31T12:00:00.123Z}).
 *
 * <p>The prefixes {@value #DLQ_PREFIX} and {@value #REPLAY_PREFIX} belong to Onceward: headers of an application must
 * not use them.
 */
public enum HeaderNames {
    /** Topic of the record that first failed. */
    ERRORS_TOPIC(Kind.KAFKA, "topic", "topic of the record that first failed"),
    /** Partition of the record that first failed. */
    ERRORS_PARTITION(Kind.KAFKA, "partition", "partition of the record that first failed"),
    /** Offset of the record that first failed. */
    ERRORS_OFFSET(Kind.KAFKA, "offset", "offset of the record that first failed"),
    /** Consumer group that gave up. */
    ERRORS_GROUP(Kind.KAFKA, "group", "consumer group that gave up"),
    /** Counted attempts. */
    ERRORS_DELIVERY_COUNT(Kind.KAFKA, "delivery.count", "counted attempts before it was given up"),
    /** What went wrong. */
    ERRORS_MESSAGE(Kind.KAFKA, "message", "message of the root cause, at most 2 KiB, control characters escaped"),

    /** Message id. */
    DLQ_MESSAGE_ID(Kind.DLQ, "message-id", "message id; absent where the record has none that can be used"),
    /** Why it was given up. */
    DLQ_REASON(Kind.DLQ, "reason", "why it was given up: a DeadLetterReason"),
    /** Class of the root cause. */
    DLQ_EXCEPTION(Kind.DLQ, "exception", "class of the root cause"),
    /** Stack trace. */
    DLQ_STACKTRACE(
            Kind.DLQ, "stacktrace", "stack trace, at most 8 KiB; absent where the record would become too large"),
    /** Instant of the first failure. */
    DLQ_FIRST_FAILED_AT(Kind.DLQ, "first-failed-at", "instant of the first failed attempt"),
    /** Instant of the last failure. */
    DLQ_FAILED_AT(Kind.DLQ, "failed-at", "instant at which it was given up"),
    /** Kafka timestamp of the record that first failed. */
    DLQ_ORIGINAL_TIMESTAMP(
            Kind.DLQ, "original-timestamp", "timestamp of the record that first failed, epoch milliseconds"),
    /** Worker that gave up. */
    DLQ_WORKER(Kind.DLQ, "worker", "id of the worker that gave up"),
    /** Generation under which it gave up. */
    DLQ_GENERATION(Kind.DLQ, "generation", "generation of the partition under which it was given up"),
    /** Number of replays before this failure. */
    DLQ_REPLAYS(Kind.DLQ, "replays", "how often it had been replayed before this failure"),

    /** Topic of the record that first failed. */
    REPLAY_ORIGINAL_TOPIC(Kind.REPLAY, "original-topic", "topic of the record that first failed: decides the handler"),
    /** Partition of the record that first failed. */
    REPLAY_ORIGINAL_PARTITION(Kind.REPLAY, "original-partition", "partition of the record that first failed"),
    /** Offset of the record that first failed. */
    REPLAY_ORIGINAL_OFFSET(Kind.REPLAY, "original-offset", "offset of the record that first failed"),
    /** Kafka timestamp of the record that first failed. */
    REPLAY_ORIGINAL_TIMESTAMP(
            Kind.REPLAY, "original-timestamp", "timestamp of the record that first failed, epoch milliseconds"),
    /** Message id of the dead letter. */
    REPLAY_MESSAGE_ID(Kind.REPLAY, "message-id", "message id of the dead letter; absent where it had none"),
    /** Number of this replay. */
    REPLAY_COUNT(Kind.REPLAY, "count", "which replay this is, from 1");

    /** Prefix of diagnostics on a dead letter that Kafka itself has no name for. */
    public static final String DLQ_PREFIX = "onceward.dlq.";

    /** Prefix of what a replayed record says about its origin. */
    public static final String REPLAY_PREFIX = "onceward.replay.";

    /** Who named a header, and on which records it stands. */
    public enum Kind {
        /** On dead letters, under the name that Kafka's own share groups use for the same fact. */
        KAFKA("__dlq.errors."),
        /** On dead letters, Onceward's own. */
        DLQ(DLQ_PREFIX),
        /** On replayed records. */
        REPLAY(REPLAY_PREFIX);

        private final String prefix;

        Kind(String prefix) {
            this.prefix = prefix;
        }
    }

    private static final Map<String, HeaderNames> BY_KEY =
            Arrays.stream(values()).collect(toUnmodifiableMap(HeaderNames::key, Function.identity()));

    private final Kind kind;
    private final String key;
    private final String description;

    HeaderNames(Kind kind, String name, String description) {
        this.kind = kind;
        this.key = kind.prefix + name;
        this.description = description;
    }

    /** The name as it stands in the record. */
    public String key() {
        return key;
    }

    /** Who named it, and on which records it stands. */
    public Kind kind() {
        return kind;
    }

    /** Meaning and format of the value. */
    public String description() {
        return description;
    }

    /** The header of this name, if it is one of Onceward's. */
    public static Optional<HeaderNames> find(String key) {
        return Optional.ofNullable(BY_KEY.get(key));
    }

    /**
     * Whether a header tells of an earlier failure or replay and so must not be taken along to the next one: one of
     * these names, or a name of another version of Onceward.
     */
    public static boolean isOurs(String key) {
        return BY_KEY.containsKey(key) || key.startsWith(DLQ_PREFIX) || key.startsWith(REPLAY_PREFIX);
    }

    /** The catalogue as a Markdown table. */
    public static String markdown() {
        return Arrays.stream(values())
                .map(header -> "| `" + header.key + "` | " + header.description + " |\n")
                .collect(joining("", "| header | value |\n|---|---|\n", ""));
    }

    /** The name as it stands in the record. */
    @Override
    public String toString() {
        return key;
    }
}
