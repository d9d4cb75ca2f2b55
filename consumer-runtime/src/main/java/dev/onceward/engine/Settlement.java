package dev.onceward.engine;

import dev.onceward.catalog.DeadLetterReason;
import dev.onceward.catalog.EventNames;
import dev.onceward.config.IdReuse;
import dev.onceward.deadletter.DeadLetter;
import dev.onceward.deadletter.DeadLetterPublisher;
import dev.onceward.deadletter.DeadLetterTable;
import dev.onceward.deadletter.ErrorText;
import dev.onceward.effect.AfterEffects;
import dev.onceward.effect.GroupOutcome;
import dev.onceward.effect.MemberResult;
import dev.onceward.failure.Backoff;
import dev.onceward.failure.Classifier;
import dev.onceward.handler.Coordinates;
import dev.onceward.handler.FailureClass;
import dev.onceward.handler.UnavailableException;
import dev.onceward.metrics.RuntimeMeters;
import dev.onceward.postgres.AttemptTable;
import dev.onceward.postgres.FencedTransaction;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What happens to a message after its run: finished, tried again later, or given up in three steps. An offset is
 * completed here (and in {@link Dispatcher}, where an earlier owner gave the record up): after a committed effect, a duplicate seen by a committed transaction, or a dead
 * letter acknowledged by the broker and recorded.
 *
 * <p>Each step is written under the fence and safe to repeat. A step that the database does not take leaves the message
 * as the head of its held key with the same step, and the lane stands still.
 */
final class Settlement {
    /** So often a message may lose its connection alone before that is its own failure. */
    static final int STRIKES = 3;

    private static final Logger LOG = LoggerFactory.getLogger(Settlement.class);

    private final Lane lane;
    private final Shared shared;

    Settlement(Lane lane, Shared shared) {
        this.lane = lane;
        this.shared = shared;
    }

    // ---- after a transaction that committed ----

    void finished(Delivery delivery, MemberResult result) {
        switch (result) {
            case APPLIED, APPLIED_BEFORE -> {
                count(delivery, RuntimeMeters.Outcome.APPLIED);
                shared.meters()
                        .endToEnd(
                                topic(delivery),
                                shared.clock().millis() - delivery.raw().timestamp());
                if (delivery.attempts > 0) {
                    shared.meters().retrySucceeded(topic(delivery));
                    event(EventNames.RETRY_SUCCEEDED, delivery, "The message took effect after failed attempts");
                }
            }
            case REDELIVERED, DUPLICATE -> count(delivery, RuntimeMeters.Outcome.DUPLICATE);
            case ID_REUSED, TOO_OLD -> throw new IllegalArgumentException(result + " is refused, not finished");
        }
        complete(delivery);
    }

    /** One line for a group, not for each message: after a crash whole backlogs are delivered again. */
    void groupCommitted(List<Delivery> part, GroupOutcome.Committed committed) {
        shared.meters().group(part.size(), committed.transactionNanos());
        for (int i = 0; i < part.size(); i++) {
            if (committed.handlerNanos().get(i) > 0) {
                shared.meters()
                        .handlerTime(
                                topic(part.get(i)), committed.handlerNanos().get(i));
            }
        }
        suppressed(EventNames.REDELIVERED, MemberResult.REDELIVERED, part, committed);
        suppressed(EventNames.DUPLICATE, MemberResult.DUPLICATE, part, committed);
    }

    private static void suppressed(
            EventNames event, MemberResult kind, List<Delivery> part, GroupOutcome.Committed committed) {
        long messages = committed.results().stream().filter(kind::equals).count();
        if (messages > 0) {
            LOG.atInfo()
                    .addKeyValue(EventNames.KEY, event)
                    .addKeyValue("messages", messages)
                    .addKeyValue(
                            "first", part.get(committed.results().indexOf(kind)).coordinates())
                    .log("Messages that were processed before were not run again");
        }
    }

    /** A message that its transaction would not run: its next step is to be given up (or skipped, for a reused id). */
    boolean refuse(Delivery delivery, MemberResult result) {
        if (result == MemberResult.ID_REUSED) {
            event(EventNames.ID_REUSED, delivery, "The message id was processed before with another payload");
            if (shared.idReuse() == IdReuse.SKIP) {
                count(delivery, RuntimeMeters.Outcome.ID_REUSED_SKIPPED);
                complete(delivery);
                return false;
            }
        }
        DeadLetterReason reason =
                result == MemberResult.ID_REUSED ? DeadLetterReason.ID_REUSED : DeadLetterReason.TOO_OLD;
        String what = result == MemberResult.ID_REUSED
                ? "the id was processed before with another payload"
                : "its claim may have been pruned: whether it was processed cannot be told";
        giveUp(delivery, reason, new RefusedException(what), delivery.attempts);
        return true;
    }

    private void complete(Delivery delivery) {
        delivery.partition().window().complete(delivery.offset());
        lane.change(queue -> queue.release(delivery));
        endPermit(delivery);
        if (delivery.suspect()) {
            shared.worker().suspectFinished(delivery);
        }
    }

    private static void endPermit(Delivery delivery) {
        if (delivery.holdsPermit) {
            delivery.holdsPermit = false;
            delivery.partition().endWork();
        }
    }

    // ---- after a transaction that did not ----

    void attemptFailed(List<Delivery> part, GroupOutcome.Failed failed) {
        Delivery blamed = part.get(failed.culprit().orElse(0));
        shared.meters().attempt(topic(blamed), failed.failure());
        if (failed.failure() == FailureClass.CONTENTION) {
            shared.meters().contention();
        }
    }

    /** The run alone of a message failed and counts; but for a time limit that passed because nobody answered. */
    void charge(Delivery delivery, Throwable error, FailureClass failure) throws InterruptedException {
        if (failure == FailureClass.TIME_LIMIT && write(delivery, connection -> {}) != Written.DONE) {
            return; // an outage: it runs again after that
        }
        blame(delivery, error, failure);
        advance(delivery);
    }

    /** Decoding alone took too long: counted in its turn, when those before it have run. */
    void overTime(Delivery delivery, Throwable error) {
        shared.meters().attempt(topic(delivery), FailureClass.TIME_LIMIT);
        blame(delivery, error, FailureClass.TIME_LIMIT);
    }

    private void blame(Delivery delivery, Throwable error, FailureClass failure) {
        int attempts = delivery.attempts + 1;
        delivery.strikes = 0;
        delivery.countedBeforeRun = false;
        if (delivery.firstFailedAt == null) {
            delivery.firstFailedAt = shared.clock().instant();
        }
        if (failure == FailureClass.PERMANENT) {
            giveUp(delivery, DeadLetterReason.PERMANENT, error, attempts);
        } else if (attempts >= shared.backoff().policy().maxAttempts()) {
            giveUp(delivery, DeadLetterReason.ATTEMPTS_EXHAUSTED, error, attempts);
        } else {
            Duration delay = Classifier.retryAfter(error)
                    .orElseGet(() -> shared.backoff().next(attempts));
            ErrorText text = ErrorText.of(error);
            delivery.step = new Step.RecordFailure(attempts, delay, text.errorClass() + ": " + text.message(), failure);
        }
    }

    private void giveUp(Delivery delivery, DeadLetterReason reason, Throwable error, int attempts) {
        delivery.step = new Step.Decide(shared.letters().write(delivery, reason, error, attempts));
    }

    /** Under suspicion an attempt is written before it runs: if it kills the worker, it has counted. */
    boolean countBeforeRun(Delivery delivery) throws InterruptedException {
        if (delivery.countedBeforeRun) {
            return true;
        }
        String error = "the worker ended while this message ran";
        Written written = write(
                delivery,
                connection -> shared.attempts()
                        .record(
                                connection,
                                delivery.identity(),
                                delivery.messageId,
                                delivery.attempts + 1,
                                Duration.ZERO,
                                error));
        delivery.countedBeforeRun = written == Written.DONE;
        return delivery.countedBeforeRun;
    }

    /** The run did not count; what was counted before it is taken back. */
    void notCounted(Delivery delivery) throws InterruptedException {
        if (delivery.countedBeforeRun) {
            delivery.countedBeforeRun = false;
            try {
                shared.fenced()
                        .run(
                                delivery.partition().fence(),
                                connection -> shared.attempts()
                                        .takeBack(connection, delivery.identity(), delivery.attempts + 1));
            } catch (SQLException | RuntimeException e) {
                // The database is not there, and that is why the run did not count. One attempt of many stays counted,
                // of a message that is suspected anyway.
                LOG.atInfo()
                        .addKeyValue("record", delivery.coordinates())
                        .addKeyValue("error", e.toString())
                        .log("An attempt that does not count could not be taken back");
            }
        }
    }

    void holdForConflicts(Delivery delivery, Throwable error) {
        event(EventNames.CONTENTION, delivery, "Conflicts do not end; the key is held and the message tried again");
        long delay = shared.backoff().policy().maxDelay().toNanos() / 2;
        lane.change(queue -> queue.hold(delivery, System.nanoTime() + delay));
    }

    /** Something it needs is not there: it is tried again, later each time, and others in the meantime. */
    void holdForWantOf(Delivery delivery) {
        delivery.wants++;
        hold(delivery, shared.backoff().next(delivery.wants).toNanos());
    }

    void unknownCommit(List<Delivery> part, Throwable error) {
        shared.meters().unknownCommit();
        LOG.atWarn()
                .addKeyValue(EventNames.KEY, EventNames.UNKNOWN_COMMIT)
                .addKeyValue("first", part.get(0).coordinates())
                .addKeyValue("messages", part.size())
                .addKeyValue("error", error.toString())
                .log("The connection died during COMMIT; the claims decide whether it had happened");
    }

    void fenced(Delivery delivery) {
        shared.worker().fenced(delivery.partition());
        endPermit(delivery);
    }

    void fatal(List<Delivery> part, OptionalInt culprit, Throwable error) {
        if (culprit.isPresent()) {
            Delivery delivery = part.get(culprit.getAsInt());
            try {
                shared.fenced()
                        .run(
                                delivery.partition().fence(),
                                connection -> shared.attempts()
                                        .record(
                                                connection,
                                                delivery.identity(),
                                                delivery.messageId,
                                                delivery.attempts + 1,
                                                Duration.ZERO,
                                                ErrorText.of(error).message()));
            } catch (SQLException | RuntimeException | Error e) { // the JVM is broken already: as far as it goes
                error.addSuppressed(e);
            }
        }
        shared.worker().fail("fatal error in a handler, at " + part.get(culprit.orElse(0)), error);
    }

    /** Those without an effect lose the claims that the handler committed; then the worker stops. */
    void tampered(List<Delivery> part, GroupOutcome.Tampered tampered) throws InterruptedException {
        LOG.atError()
                .addKeyValue(EventNames.KEY, EventNames.TRANSACTION_BROKEN)
                .addKeyValue("record", part.get(tampered.culprit()).coordinates())
                .addKeyValue("unapplied", tampered.unapplied().size())
                .log("A handler ended the transaction it was given; the messages without effect lose their claims");
        for (int member : tampered.unapplied()) {
            Delivery delivery = part.get(member);
            while (!unclaimed(delivery)) {
                lane.sleep(shared.backoff().next(1).toNanos());
                lane.requireOwner();
            }
        }
        shared.worker()
                .fail(
                        "a handler ended the transaction it was given, at " + part.get(tampered.culprit()),
                        new RefusedException("handlers must not end their transaction"));
    }

    /** Whether there is nothing left to do: also where the partition has another owner, whose own claims stay. */
    private boolean unclaimed(Delivery delivery) {
        try {
            shared.fenced()
                    .run(
                            delivery.partition().fence(),
                            connection ->
                                    shared.afterEffects().unclaim(connection, List.of(Preparation.member(delivery))));
            return true;
        } catch (SQLException | RuntimeException e) {
            LOG.atError()
                    .addKeyValue("record", delivery.coordinates())
                    .addKeyValue("error", e.toString())
                    .log("A claim without an effect could not be taken back yet; tried again");
            return false;
        }
    }

    // ---- the steps of a held message ----

    /** Does the next steps of a message until it is finished or has to wait. */
    void advance(Delivery delivery) throws InterruptedException {
        while (true) {
            Step step = delivery.step;
            if (step instanceof Step.RecordFailure failure) {
                recordFailure(delivery, failure);
                return;
            } else if (step instanceof Step.Decide decide) {
                byte[] key = delivery.raw().key();
                if (write(delivery, c -> shared.deadLetters().decide(c, decide.letter(), key)) != Written.DONE) {
                    return;
                }
                delivery.step = new Step.Publish(decide.letter());
            } else if (step instanceof Step.Publish publish) {
                publish(delivery, publish.letter());
                return;
            } else if (step instanceof Step.Confirm confirm) {
                if (write(delivery, c -> shared.deadLetters().confirm(c, confirm.letter(), confirm.copy()))
                        == Written.DONE) {
                    deadLettered(delivery, confirm);
                }
                return;
            }
        }
    }

    private void recordFailure(Delivery delivery, Step.RecordFailure failure) throws InterruptedException {
        Written written = write(
                delivery,
                connection -> shared.attempts()
                        .record(
                                connection,
                                delivery.identity(),
                                delivery.messageId,
                                failure.attempts(),
                                failure.delay(),
                                failure.error()));
        if (written == Written.DONE) {
            delivery.attempts = failure.attempts();
            delivery.lastError = failure.error();
            delivery.step = new Step.Run();
            LOG.atInfo()
                    .addKeyValue(EventNames.KEY, EventNames.ATTEMPT_FAILED)
                    .addKeyValue("record", delivery.coordinates())
                    .addKeyValue("attempt", failure.attempts())
                    .addKeyValue("class", failure.failure())
                    .addKeyValue("delay_ms", failure.delay().toMillis())
                    .addKeyValue("error", failure.error())
                    .log("An attempt failed; the message is tried again");
            hold(delivery, failure.delay().toNanos());
        }
    }

    private void publish(Delivery delivery, DeadLetter letter) {
        // Held across the network wait, so that a revoke waits for the acknowledgement; no lock or connection is.
        if (!delivery.holdsPermit) {
            if (!delivery.partition().beginWork()) {
                hold(delivery, 0); // being revoked: dropped soon, the next owner publishes it
                return;
            }
            delivery.holdsPermit = true;
        }
        lane.change(queue -> queue.park(delivery));
        var answered = shared.publisher()
                .publish(letter, delivery.raw())
                .whenComplete((at, failure) -> lane.published(
                        delivery,
                        at == null ? null : new Coordinates(at.topic(), at.partition(), at.offset()),
                        failure));
        LOG.trace("{} is on its way: {}", delivery, answered);
    }

    /**
     * The answer of the broker, in any thread, under the lane's lock.
     *
     * @return when the message is due for its next step
     */
    long afterPublication(Delivery delivery, @Nullable Coordinates copy, @Nullable Throwable failure) {
        DeadLetter letter = ((Step.Publish) delivery.step).letter();
        if (copy != null) {
            delivery.step = new Step.Confirm(letter, copy);
            return System.nanoTime();
        }
        delivery.publishFailures++;
        endPermit(delivery);
        shared.meters().deadLetterUnpublished(letter.origin().coordinates().topic());
        LOG.atWarn()
                .addKeyValue(EventNames.KEY, EventNames.DEAD_LETTER_UNPUBLISHED)
                .addKeyValue("record", letter.record().coordinates())
                .addKeyValue("error", String.valueOf(failure))
                .log("The dead letter could not be published; its key is held and it is tried again");
        return System.nanoTime()
                + shared.backoff().next(delivery.publishFailures).toNanos();
    }

    private void deadLettered(Delivery delivery, Step.Confirm confirm) {
        DeadLetter letter = confirm.letter();
        shared.meters().deadLetter(letter.origin().coordinates().topic(), letter.reason());
        count(delivery, RuntimeMeters.Outcome.DEAD_LETTERED);
        LOG.atWarn()
                .addKeyValue(EventNames.KEY, EventNames.DEAD_LETTER)
                .addKeyValue("record", letter.record().coordinates())
                .addKeyValue("reason", letter.reason())
                .addKeyValue("attempts", letter.attempts())
                .addKeyValue("copy", confirm.copy())
                .addKeyValue("error", letter.errorClass() + ": " + letter.errorMessage())
                .log("The message was given up and stands in the dead-letter topic");
        complete(delivery);
    }

    private void hold(Delivery delivery, long delayNanos) {
        lane.change(queue -> queue.hold(delivery, System.nanoTime() + delayNanos));
    }

    /** One fenced write; a stale worker drops the message, an absent database leaves it held with the same step. */
    private Written write(Delivery delivery, FencedTransaction.Write write) throws InterruptedException {
        try {
            if (shared.fenced().run(delivery.partition().fence(), write)) {
                return Written.DONE;
            }
            fenced(delivery);
            return Written.STALE;
        } catch (SQLException | RuntimeException e) {
            // With a delay also where the database seems to be there: it may refuse just this, again and again.
            hold(delivery, shared.backoff().next(1).toNanos());
            if (shared.classifier().ofRuntime(e) != FailureClass.CONTENTION) {
                shared.gate().close(Gate.Cause.DATABASE, e);
            }
            return Written.LATER;
        }
    }

    static boolean isUnavailable(Throwable error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnavailableException) {
                return true;
            }
        }
        return false;
    }

    private void count(Delivery delivery, RuntimeMeters.Outcome outcome) {
        shared.meters().finished(topic(delivery), outcome, 1);
    }

    private static String topic(Delivery delivery) {
        return delivery.origin().coordinates().topic();
    }

    private static void event(EventNames event, Delivery delivery, String what) {
        LOG.atInfo()
                .addKeyValue(EventNames.KEY, event)
                .addKeyValue("record", delivery.coordinates())
                .addKeyValue("id", delivery.messageId)
                .log(what);
    }

    private enum Written {
        DONE,
        STALE,
        LATER
    }

    /** What all lanes of a worker share. */
    record Shared(
            Worker worker,
            Gate gate,
            FencedTransaction fenced,
            AttemptTable attempts,
            DeadLetterTable deadLetters,
            AfterEffects afterEffects,
            DeadLetterPublisher publisher,
            Letters letters,
            Backoff backoff,
            Classifier classifier,
            IdReuse idReuse,
            RuntimeMeters meters,
            Clock clock) {}

    private static final class RefusedException extends Exception {
        private static final long serialVersionUID = 1L;

        RefusedException(String message) {
            super(message);
        }
    }
}
