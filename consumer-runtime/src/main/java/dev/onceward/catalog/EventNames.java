package dev.onceward.catalog;

import static java.util.stream.Collectors.joining;

import java.util.Arrays;
import java.util.Locale;

/**
 * The facts that Onceward logs, public API. Every line at WARN or ERROR, and every line at INFO that tells one of these
 * facts, carries its name under the key {@value #KEY}, and coordinates, never payloads. Other lines at INFO tell of
 * something tried again by itself, those at DEBUG are for the maintainers: do not build on either.
 */
public enum EventNames {
    /** The runtime runs. */
    WORKER_STARTED("the runtime runs"),
    /** Database or cluster are not there at start. */
    START_WAITS("the database or the cluster is not there at start; tried again until it is"),
    /** The runtime was closed. */
    WORKER_STOPPED("the runtime was closed and has left the group"),
    /** The worker gave up. */
    WORKER_FAILED("the worker can not go on safely, committed nothing more and left the group"),
    /** A task of the worker's own threw an exception. */
    BACKGROUND_TASK_FAILED("a task of the worker's own threw an exception; a repeated one is repeated all the same"),

    /** Polling does not work. */
    POLLING_FAILED("polling failed; tried again until it works"),
    /** Polling works again. */
    POLLING_RESUMED("polling works again after it failed"),
    /** A rebalance was not dealt with. */
    REBALANCE_FAILED("a rebalance callback failed; the partitions concerned are fetched again"),
    /** Kafka assigned a partition. */
    PARTITION_ASSIGNED("Kafka assigned a partition to this worker"),
    /** Kafka revoked a partition. */
    PARTITION_REVOKED("Kafka took a partition back; what ran was drained, committed and released"),
    /** A partition was lost without notice. */
    PARTITION_LOST("a partition was lost without notice; everything of it was dropped, nothing committed"),
    /** Running groups did not end in time. */
    DRAIN_EXPIRED("groups still ran when the time for draining ended; their messages will be delivered again"),
    /** A consumer started in a partition (or in a topic made again) never seen before. */
    START_POSITION("a partition never seen before starts at the configured position"),
    /** Where to begin is not known. */
    POSITION_UNKNOWN("where to begin in some partitions could not be found out; tried again"),
    /** The committed offset was gone or beyond the end, the stored watermark took its place. */
    OFFSET_RESTORED(
            "Kafka had no committed offset that can be used; the watermark stored in PostgreSQL took its place"),
    /** A topic was deleted and made again. */
    TOPIC_MADE_AGAIN("a topic was deleted and made again under a running worker: its partitions begin anew"),
    /** Records that were not processed were deleted by retention, or passed over by an offset beyond the end. */
    RECORDS_LOST("records were gone, or passed over by an offset beyond the end, before they were processed"),
    /** An offset commit failed. */
    OFFSET_COMMIT_FAILED("an offset commit failed; it is tried again, and redelivered messages are duplicates"),

    /** This worker became the owner of a partition. */
    TAKEOVER("this worker became the owner of a partition under a new generation"),
    /** A takeover failed. */
    TAKEOVER_FAILED("a takeover failed; tried again"),
    /** A takeover ended the transactions of the old owner. */
    HOLDER_ENDED("a takeover ended a database session of the old owner that did not end by itself"),
    /** A takeover could not end the transactions of the old owner. */
    HOLDER_NOT_ENDED("a database session of the old owner could not be ended; the partition waits for it"),
    /** Workers of one consumer use several roles. */
    HOLDER_UNREACHABLE("a worker of the same consumer uses a database role whose sessions this one may not end"),
    /** Between the worker and the database is a pooler, and the driver is not told so. */
    POOLER_FOUND(
            "sessions change between transactions, and the driver prepares statements in them: see prepareThreshold"),
    /** A worker that lost its partition was refused. */
    FENCED("a partition of this worker has a newer generation: nothing more is written there"),
    /** Two workers take one partition from each other. */
    TWO_OWNERS("a partition that Kafka still assigns here is taken over again and again: two groups, one consumer?"),
    /** No heartbeat succeeded for one lease. */
    LEASE_EXPIRED("no heartbeat succeeded for one lease: no new transaction starts until one does"),
    /** A heartbeat succeeded again. */
    LEASE_RENEWED("a heartbeat succeeded again, transactions start again"),
    /** Workers die here without progress. */
    SUSPICION_BEGIN("workers ended here again and again without progress: unfinished records run one at a time"),
    /** The suspicious records are finished. */
    SUSPICION_END("the suspicious records are finished: groups again"),

    /** The answer to a COMMIT was lost. */
    UNKNOWN_COMMIT("the connection died during COMMIT; the claims decide whether it had happened"),
    /** A copy of a processed message was suppressed. */
    DUPLICATE("a copy of a message that had been processed was suppressed"),
    /** A record came again after it had been decided. */
    REDELIVERED("a record that was finished or given up before was delivered again and not run"),
    /** An id came back with other content. */
    ID_REUSED("a message id came back with another payload"),
    /** A stored fact belongs to another record. */
    STORED_FACT_IGNORED("attempts or a dead letter stored for these coordinates belong to another record: ignored"),

    /** An attempt failed. */
    ATTEMPT_FAILED("an attempt failed and counts; the message is tried again"),
    /** A message succeeded after failed attempts. */
    RETRY_SUCCEEDED("a message took effect after failed attempts"),
    /** Conflicts did not end. */
    CONTENTION("a transaction met conflicts again and again; the key is held"),
    /** Something exceeded its time. */
    TIME_OVER(
            "decoding, a handler or a transaction took longer than it may and was ended; what counts as an attempt has an event of its own"),
    /** A handler ignored its limit. */
    HANDLER_STUCK("a handler ignored its limit and its interrupt; its lane got a new thread"),
    /** A handler got round the guard of its transaction. */
    TRANSACTION_BROKEN("a handler ended the transaction it was given; nothing of the group was completed"),
    /** Its leftovers are still there. */
    CLAIM_NOT_TAKEN_BACK("the claim of a message without effect could not be taken back yet; tried again"),
    /** The team's classifier threw an exception. */
    CLASSIFIER_FAILED("the failure classifier threw an exception; the built-in rules decided"),
    /** The database or the broker is not there. */
    OUTAGE_BEGIN("database, broker or a dependency is not there: consumption stands still, nothing is counted"),
    /** It is there again. */
    OUTAGE_END("the outage is over, consumption goes on"),

    /** A message was given up. */
    DEAD_LETTER("a message was given up and stands in the dead-letter topic"),
    /** A dead letter could not be published. */
    DEAD_LETTER_UNPUBLISHED("a dead letter could not be published; its key is held and it is tried again"),
    /** A dead letter got no answer. */
    DEAD_LETTER_UNANSWERED("publishing a dead letter broke off without an answer; it is tried again after a limit"),
    /** A producer broke. */
    PRODUCER_REPLACED("the producer of dead letters became unusable and was replaced"),
    /** A dead letter's record is gone. */
    PAYLOAD_LOST("a message was given up, but its record left Kafka before it was published"),

    /** A topic was created. */
    TOPIC_CREATED("a missing dead-letter or replay topic was created"),
    /** A topic's settings do not fit. */
    TOPIC_UNSUITABLE("a topic exists, but its settings do not fit its purpose"),
    /** Claims are kept shorter than records. */
    RETENTION_SHORT("records can be read or replayed for longer than claims are kept"),
    /** Old claims were deleted. */
    PRUNED("claims older than their retention were deleted, and attempts of records that were finished another way");

    /** The key of the event in a log line. */
    public static final String KEY = "event";

    private final String event;
    private final String description;

    EventNames(String description) {
        this.event = name().toLowerCase(Locale.ROOT);
        this.description = description;
    }

    /** The name as it stands in the log, for example {@code takeover}. */
    public String event() {
        return event;
    }

    /** What happened, and what it means. */
    public String description() {
        return description;
    }

    /** The catalogue as a Markdown table. */
    public static String markdown() {
        return Arrays.stream(values())
                .map(event -> "| `" + event.event + "` | " + event.description + " |\n")
                .collect(joining("", "| event | meaning |\n|---|---|\n", ""));
    }

    /** The name as it stands in the log. */
    @Override
    public String toString() {
        return event;
    }
}
