package dev.onceward.catalog;

import static java.util.stream.Collectors.joining;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Every meter of the runtime, public API: names as Micrometer writes them (a registry may turn {@code .} into {@code _}
 * and append units). The tag keys of a meter never change; keys, ids, offsets and worker ids are never tags.
 */
public enum MeterNames {
    /** Finished messages. */
    MESSAGES(
            Type.COUNTER,
            "messages",
            "messages",
            "messages finished, by outcome: APPLIED, DUPLICATE (suppressed), DEAD_LETTERED, ID_REUSED_SKIPPED",
            Tag.TOPIC,
            Tag.OUTCOME),
    /** Failed attempts. */
    ATTEMPTS_FAILED(
            Type.COUNTER,
            "attempts.failed",
            "attempts",
            "failed attempts, counted or not, by class of failure: beside onceward.messages the retry amplification",
            Tag.TOPIC,
            Tag.REASON),
    /** Messages that took effect after failed attempts. */
    RETRIES_SUCCEEDED(
            Type.COUNTER,
            "retries.succeeded",
            "messages",
            "messages that took effect after at least one failed attempt",
            Tag.TOPIC),
    /** Dead letters. */
    DEAD_LETTERS(
            Type.COUNTER,
            "dead.letters",
            "messages",
            "messages given up and acknowledged by the dead-letter topic, by reason",
            Tag.TOPIC,
            Tag.REASON),
    /** Failures to publish a dead letter. */
    DEAD_LETTERS_UNPUBLISHED(
            Type.COUNTER,
            "dead.letters.unpublished",
            "attempts",
            "failed attempts to publish a dead letter: its key is held until one succeeds",
            Tag.TOPIC),
    /** Handler time. */
    HANDLER(Type.TIMER, "handler", "seconds", "time of the handler, without the transaction around it", Tag.TOPIC),
    /** End-to-end latency. */
    END_TO_END(
            Type.TIMER, "end.to.end", "seconds", "from the record's timestamp to the commit of its effect", Tag.TOPIC),
    /** Transaction time. */
    TRANSACTION(Type.TIMER, "transaction", "seconds", "one group's transaction, from its opening to its commit"),
    /** Group size. */
    GROUP_SIZE(Type.SUMMARY, "group.size", "messages", "messages committed together in one transaction"),

    /** Age of the oldest unfinished message. */
    OLDEST_MESSAGE_AGE(
            Type.GAUGE,
            "oldest.message.age",
            "seconds",
            "now minus the timestamp of the oldest message not finished; 0 when nothing waits; grows while stalled",
            Tag.TOPIC,
            Tag.PARTITION),
    /** Messages behind the end. */
    LAG(
            Type.GAUGE,
            "lag",
            "messages",
            "offsets from the watermark to the end of the partition",
            Tag.TOPIC,
            Tag.PARTITION),
    /** In flight of a partition. */
    PARTITION_IN_FLIGHT(
            Type.GAUGE,
            "partition.in.flight",
            "messages",
            "messages of the partition fetched and not finished",
            Tag.TOPIC,
            Tag.PARTITION),
    /** Records that will not be processed. */
    RECORDS_LOST(
            Type.COUNTER,
            "records.lost",
            "records",
            "records that were gone, or passed over by an offset beyond the end, before they were processed",
            Tag.TOPIC),

    /** In flight of the worker. */
    IN_FLIGHT(Type.GAUGE, "in.flight", "messages", "messages fetched and not finished"),
    /** Bytes in flight. */
    IN_FLIGHT_BYTES(
            Type.GAUGE,
            "in.flight.bytes",
            "bytes",
            "bytes of messages fetched and not finished: key, value and headers, 512 more for each message and 128 for each"
                    + " header"),
    /** Paused partitions. */
    PARTITIONS_PAUSED(Type.GAUGE, "partitions.paused", "partitions", "partitions not fetched because of a bound"),
    /** Held keys. */
    KEYS_HELD(Type.GAUGE, "keys.held", "keys", "ordering keys that wait for a retry"),
    /** Busy lanes. */
    LANES_BUSY(Type.GAUGE, "lanes.busy", "lanes", "lanes that are in a transaction now"),
    /** Age of the last heartbeat. */
    HEARTBEAT_AGE(Type.GAUGE, "heartbeat.age", "seconds", "since the last heartbeat that the database accepted"),
    /** Outage. */
    OUTAGE(Type.GAUGE, "outage", "", "1 while consumption stands still because something is not there, else 0"),
    /** State of the worker. */
    WORKER_STATE(
            Type.GAUGE,
            "worker.state",
            "",
            "state of the worker: 0 NEW, 1 STARTING, 2 RUNNING, 3 STOPPING, 4 STOPPED, 5 FAILED"),

    /** Takeovers. */
    TAKEOVERS(
            Type.COUNTER,
            "takeovers",
            "partitions",
            "partitions taken over, by outcome: CLEAN (released by the owner before) or UNCLEAN",
            Tag.OUTCOME),
    /** Refused transactions. */
    FENCED(Type.COUNTER, "fenced", "partitions", "partitions whose newer generation refused this worker's writes"),
    /** Commits with an unknown outcome. */
    UNKNOWN_COMMITS(Type.COUNTER, "unknown.commits", "transactions", "commits whose answer was lost"),
    /** Conflicts. */
    CONTENTION(Type.COUNTER, "contention", "transactions", "transactions run again after a conflict"),
    /** Hung handlers. */
    HANDLERS_STUCK(Type.COUNTER, "handlers.stuck", "handlers", "handlers that ignored their limit and their interrupt"),
    /** Timestamps in the future. */
    CLOCK_SKEW(Type.COUNTER, "clock.skew", "messages", "ages that came out negative and were taken as 0"),
    /** Pruned claims. */
    CLAIMS_PRUNED(Type.COUNTER, "claims.pruned", "rows", "claims deleted after their retention"),
    /** Size of a table. */
    TABLE_SIZE(Type.GAUGE, "table.size", "bytes", "size of a table of Onceward with its indexes", Tag.TABLE);

    /** Kind of a meter. */
    public enum Type {
        /** Only grows. */
        COUNTER,
        /** Read at each scrape. */
        GAUGE,
        /** Count, sum and maximum of durations. */
        TIMER,
        /** Count, sum and maximum of amounts. */
        SUMMARY
    }

    /** Key of a tag. Every meter has {@link #CONSUMER}. */
    public enum Tag {
        /** Logical consumer name. */
        CONSUMER,
        /** Topic of the record; for a replay the topic where it first failed. */
        TOPIC,
        /** Partition number. */
        PARTITION,
        /** How it ended. */
        OUTCOME,
        /** Why. */
        REASON,
        /** Name of a table. */
        TABLE;

        private final String key = name().toLowerCase(Locale.ROOT);

        /** The key as it stands in the meter, for example {@code topic}. */
        public String key() {
            return key;
        }
    }

    private final Type type;
    private final String meter;
    private final String unit;
    private final String description;

    @SuppressWarnings("ImmutableEnumChecker") // comes from Stream.toList(), unmodifiable: the type does not say so
    private final List<Tag> tags;

    MeterNames(Type type, String name, String unit, String description, Tag... tags) {
        this.type = type;
        this.meter = "onceward." + name;
        this.unit = unit;
        this.description = description;
        this.tags = Stream.concat(Stream.of(Tag.CONSUMER), Arrays.stream(tags)).toList();
    }

    /** The name as Micrometer has it, for example {@code onceward.oldest.message.age}. */
    public String meter() {
        return meter;
    }

    /** Kind of the meter. */
    public Type type() {
        return type;
    }

    /** What is counted or measured; empty for a plain number. */
    public String unit() {
        return unit;
    }

    /** What the value says. */
    public String description() {
        return description;
    }

    /** The keys of its tags, always the same, {@link Tag#CONSUMER} first. */
    public List<Tag> tags() {
        return tags;
    }

    /** The catalogue as a Markdown table. */
    public static String markdown() {
        return Arrays.stream(values())
                .map(MeterNames::row)
                .collect(joining("", "| meter | type | unit | tags | meaning |\n|---|---|---|---|---|\n", ""));
    }

    private String row() {
        String keys = tags.stream().map(Tag::key).collect(joining(", "));
        String kind = type.name().toLowerCase(Locale.ROOT);
        return "| `" + meter + "` | " + kind + " | " + unit + " | " + keys + " | " + description + " |\n";
    }

    /** The name as Micrometer has it. */
    @Override
    public String toString() {
        return meter;
    }
}
