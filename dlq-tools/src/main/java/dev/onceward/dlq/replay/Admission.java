package dev.onceward.dlq.replay;

import dev.onceward.dlq.index.Letter;
import dev.onceward.dlq.topic.LetterReader;
import dev.onceward.dlq.topic.Payload;
import java.sql.SQLException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Decides of one letter after the other whether it is sent, and as which record. What is not sent by this run is reported,
 * and left out by the feed if the run begins again; what cannot be sent holds the later letters of its key back.
 */
final class Admission {
    private final LetterFeed feed;
    private final LetterReader reader;
    private final Eligibility eligibility;
    private final ReplayRecords records;
    private final ReplayMarks marks;
    private final PayloadSource payloads;
    private final @Nullable String assertedBy;
    private final NotSent notSent;
    private final SecondLook look;
    private final HeldKeys held = new HeldKeys();
    private long done;

    Admission(
            LetterFeed feed,
            LetterReader reader,
            ReplayTarget target,
            ReplayMarks marks,
            PayloadSource payloads,
            @Nullable String assertedBy,
            NotSent notSent,
            SecondLook look) {
        this.feed = feed;
        this.reader = reader;
        this.eligibility = new Eligibility(target, assertedBy != null);
        this.records = new ReplayRecords(target);
        this.marks = marks;
        this.payloads = payloads;
        this.assertedBy = assertedBy;
        this.notSent = notSent;
        this.look = look;
    }

    /** The record to send; {@code null}: none, and that is reported. */
    @Nullable
    ProducerRecord<byte[], byte[]> record(Letter letter) throws SQLException {
        if (!payloads.isFor(letter)) {
            feed.leftOut(letter);
            return null;
        }
        String holder = held.holder(letter);
        if (holder != null) {
            refuse(letter, "held back, because " + holder + " of the same key comes first and was not sent");
            return null;
        }
        if (hasChanged(letter)) {
            return null;
        }
        String refusal = payloads.refusal(letter, eligibility);
        if (refusal != null) {
            held.hold(letter);
            refuse(letter, refusal);
            return null;
        }
        Payload payload = reader.read(letter);
        if (payload instanceof Payload.Missing missing) {
            fail(letter, missing.why());
            return null;
        }
        ConsumerRecord<byte[], byte[]> copy = ((Payload.Found) payload).copy();
        return records.of(letter, copy, payloads.payload(copy.value()));
    }

    /** What must be in the database before the record is sent; returns whether it may be sent now. */
    boolean prepare(Letter letter) throws SQLException {
        if (hasChanged(letter)) {
            return false;
        }
        if (assertedBy != null && eligibility.isTooOld(letter) && !marks.assertUnprocessed(letter, assertedBy)) {
            refuse(letter, "it has changed since it was read; look at it with dlq show");
            return false;
        }
        String changed = payloads.beforeSend(letter);
        if (changed != null) {
            refuse(letter, changed);
            return false;
        }
        return true;
    }

    /** How many were not sent because nothing was left to do: somebody else's replay was quicker, or they took effect. */
    long done() {
        return done;
    }

    /** Neither now nor later will Kafka take it. */
    void notTaken(Letter letter, ReplaySender.Refusal refusal) throws SQLException {
        if (refusal.byProducer()) {
            payloads.notSent(letter);
        }
        fail(
                letter,
                (refusal.byProducer() ? "Kafka's producer does not take it: " : "Kafka does not take it: ")
                        + refusal.error().getMessage());
    }

    private boolean hasChanged(Letter letter) throws SQLException {
        SecondLook.Changed changed = look.at(letter);
        if (changed == null) {
            return false;
        }
        if (changed.isDone()) {
            done++;
            feed.leftOut(letter);
            return true;
        }
        if (changed.isOpen()) {
            held.hold(letter);
        }
        refuse(letter, changed.why());
        return true;
    }

    private void fail(Letter letter, String why) {
        held.hold(letter);
        notSent.failed(letter, why);
        feed.leftOut(letter);
    }

    private void refuse(Letter letter, String why) {
        notSent.refused(letter, why);
        feed.leftOut(letter);
    }
}
