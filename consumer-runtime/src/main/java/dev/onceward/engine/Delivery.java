package dev.onceward.engine;

import dev.onceward.handler.Coordinates;
import dev.onceward.handler.Message;
import dev.onceward.message.Origin;
import dev.onceward.message.PayloadHash;
import dev.onceward.message.RecordIdentity;
import java.time.Instant;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * A record on its way through a lane. Handed from the poll thread to one lane, which changes it from then on; the answer
 * of a publication does so under the lane's lock.
 */
final class Delivery {
    private final ConsumerRecord<byte[], byte[]> raw;
    private final OwnedPartition partition;
    private final OrderingKey orderingKey;
    private final boolean suspect;

    // ---- where it stands in its lane ----

    /** What to do next. */
    Step step = new Step.Run();
    /** When it came into its lane, as a number that only grows: its age among all that wait there. */
    long arrival;
    /** Whether it comes with a delay that an earlier owner of its partition imposed. */
    boolean waits;
    /** Not run before this {@link System#nanoTime}; only where {@link #waits}. */
    long dueNanos;
    /** Whether its partition's permission to work is held across a publication. */
    boolean holdsPermit;

    // ---- which message it is: known step by step, see Preparation ----

    private @Nullable RecordIdentity identity;

    /** The record that first failed, where this one is a replay. */
    @Nullable
    Origin origin;
    /** Where it goes. */
    @Nullable
    Route route;
    /** Its id, once that is known. */
    @Nullable
    String messageId;
    /** Decoded; {@code null} until it was tried. */
    @Nullable
    Message<?, ?> message;

    // ---- how often it failed: the first three are stored and survive its worker ----

    /** Counted failed attempts so far. */
    int attempts;
    /** When the first of them failed. */
    @Nullable
    Instant firstFailedAt;
    /** What the last of them said. */
    String lastError = "";
    /** Whether a worker that dies now has this run counted: written before it began. */
    boolean countedBeforeRun;
    /** How often its transaction lost the connection although the database was there. */
    int strikes;
    /** How often something that it needs was not there, though its transaction was. */
    int wants;
    /** Conflicts with other transactions in a row. */
    int conflicts;
    /** Failures to publish it since it was given up. */
    int publishFailures;

    Delivery(ConsumerRecord<byte[], byte[]> raw, OwnedPartition partition, OrderingKey orderingKey, boolean suspect) {
        this.raw = raw;
        this.partition = partition;
        this.orderingKey = orderingKey;
        this.suspect = suspect;
    }

    ConsumerRecord<byte[], byte[]> raw() {
        return raw;
    }

    OwnedPartition partition() {
        return partition;
    }

    OrderingKey orderingKey() {
        return orderingKey;
    }

    /** Whether it may be what killed workers: runs alone, its attempt written first. */
    boolean suspect() {
        return suspect;
    }

    long offset() {
        return raw.offset();
    }

    Coordinates coordinates() {
        return identity().coordinates();
    }

    /** Hashes the payload on first use: on the lane's thread, not on the poll thread. */
    RecordIdentity identity() {
        RecordIdentity known = identity;
        if (known == null) {
            known = identityOf(raw, partition);
            identity = known;
        }
        return known;
    }

    /** The record that first failed: this one, unless it is a replay. */
    Origin origin() {
        return origin != null ? origin : new Origin(coordinates(), raw.timestamp(), 0);
    }

    /** The topic it is counted under: that of the record that first failed. */
    String originTopic() {
        return origin().coordinates().topic();
    }

    /** Lets go of its partition's permission to work, if a publication held it. */
    void endPermit() {
        if (holdsPermit) {
            holdsPermit = false;
            partition.endWork();
        }
    }

    static RecordIdentity identityOf(ConsumerRecord<byte[], byte[]> raw, OwnedPartition partition) {
        return new RecordIdentity(
                new Coordinates(raw.topic(), raw.partition(), raw.offset()),
                partition.topicId(),
                raw.timestamp(),
                PayloadHash.of(raw.value()));
    }

    @Override
    public String toString() {
        return raw.topic() + "-" + raw.partition() + "@" + raw.offset();
    }
}
