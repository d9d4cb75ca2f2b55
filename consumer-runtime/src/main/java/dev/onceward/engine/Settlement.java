package dev.onceward.engine;

import dev.onceward.catalog.DeadLetterReason;
import dev.onceward.catalog.EventNames;
import dev.onceward.config.IdReuse;
import dev.onceward.deadletter.ErrorText;
import dev.onceward.effect.GroupOutcome;
import dev.onceward.effect.MemberResult;
import dev.onceward.failure.Classifier;
import dev.onceward.failure.Throwables;
import dev.onceward.handler.Coordinates;
import dev.onceward.handler.FailureClass;
import dev.onceward.metrics.RuntimeMeters;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What happens to messages after their run: finished, counted as failed and tried again later, held, refused. What is
 * given up goes on with {@link GivingUp}; after what breaks the worker, {@link BrokenWorker}.
 *
 * <p>What is written is written under the fence and safe to repeat. A step that the database does not take leaves the
 * message as the head of its held key with the same step, and the lane stands still.
 */
final class Settlement {
    private static final Logger LOG = LoggerFactory.getLogger(Settlement.class);

    private final LaneParts shared;
    private final Moves moves;
    private final GivingUp givingUp;

    Settlement(LaneParts shared, Moves moves, GivingUp givingUp) {
        this.shared = shared;
        this.moves = moves;
        this.givingUp = givingUp;
    }

    // ---- after a transaction that committed ----

    void finished(Delivery delivery, MemberResult result) {
        switch (result) {
            case APPLIED, APPLIED_BEFORE -> {
                shared.meters()
                        .endToEnd(
                                delivery.originTopic(),
                                shared.clock().millis() - delivery.raw().timestamp());
                if (delivery.attempts > 0) {
                    shared.meters().retrySucceeded(delivery.originTopic());
                    event(EventNames.RETRY_SUCCEEDED, delivery, "The message took effect after failed attempts");
                }
                moves.complete(delivery, RuntimeMeters.Outcome.APPLIED);
            }
            case REDELIVERED, DUPLICATE -> moves.complete(delivery, RuntimeMeters.Outcome.DUPLICATE);
            case ID_REUSED, TOO_OLD -> throw new IllegalArgumentException(result + " is refused, not finished");
        }
    }

    /** One line for a group, not for each message: after a crash whole backlogs are delivered again. */
    void groupCommitted(List<Delivery> part, GroupOutcome.Committed committed) {
        shared.meters().group(part.size(), committed.transactionNanos());
        for (int i = 0; i < part.size(); i++) {
            if (committed.handlerNanos().get(i) > 0) {
                shared.meters()
                        .handlerTime(
                                part.get(i).originTopic(),
                                committed.handlerNanos().get(i));
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
                moves.complete(delivery, RuntimeMeters.Outcome.ID_REUSED_SKIPPED);
                return false;
            }
        }
        DeadLetterReason reason =
                result == MemberResult.ID_REUSED ? DeadLetterReason.ID_REUSED : DeadLetterReason.TOO_OLD;
        String what = result == MemberResult.ID_REUSED
                ? "the id was processed before with another payload"
                : "its claim may have been pruned: whether it was processed cannot be told";
        givingUp.begin(delivery, reason, new RefusedException(what), delivery.attempts);
        return true;
    }

    // ---- after a transaction that did not ----

    void attemptFailed(List<Delivery> part, GroupOutcome.Failed failed) {
        Delivery blamed = part.get(failed.culprit().orElse(0));
        shared.meters().attempt(blamed.originTopic(), failed.failure());
        if (failed.failure() == FailureClass.CONTENTION) {
            shared.meters().contention();
        }
    }

    /** The run alone of a message failed and counts; but for a time limit that passed because nobody answered. */
    void charge(Delivery delivery, Throwable error, FailureClass failure) throws InterruptedException {
        if (failure == FailureClass.TIME_LIMIT
                && moves.write(delivery, shared.records()::isOwn) != Moves.Written.DONE) {
            return; // an outage: it runs again after that
        }
        blame(delivery, error, failure);
        advance(delivery);
    }

    /** Decoding took too long or was interrupted: counted in its turn, when those before it have run. */
    void notDecoded(Delivery delivery, Throwable error, FailureClass failure) {
        shared.meters().attempt(delivery.originTopic(), failure);
        blame(delivery, error, failure);
    }

    private void blame(Delivery delivery, Throwable error, FailureClass failure) {
        int attempts = delivery.attempts + 1;
        delivery.strikes = 0;
        delivery.countedBeforeRun = false;
        if (delivery.firstFailedAt == null) {
            delivery.firstFailedAt = shared.clock().instant();
        }
        if (failure == FailureClass.PERMANENT) {
            givingUp.begin(delivery, DeadLetterReason.PERMANENT, error, attempts);
        } else if (attempts >= shared.backoff().policy().maxAttempts()) {
            givingUp.begin(delivery, DeadLetterReason.ATTEMPTS_EXHAUSTED, error, attempts);
        } else {
            Duration delay = Classifier.retryAfter(error)
                    .orElseGet(() -> shared.backoff().next(attempts));
            ErrorText text = ErrorText.of(error);
            delivery.step = new Step.RecordFailure(attempts, delay, text.errorClass() + ": " + text.message(), failure);
        }
    }

    /** Under suspicion an attempt is written before it runs: if it kills the worker, it has counted. */
    boolean countBeforeRun(Delivery delivery) throws InterruptedException {
        if (delivery.countedBeforeRun) {
            return true;
        }
        String error = "the worker ended while this message ran";
        Moves.Written written = moves.write(
                delivery,
                fence -> shared.records()
                        .countAttempts(
                                fence,
                                delivery.identity(),
                                delivery.messageId,
                                delivery.attempts + 1,
                                Duration.ZERO,
                                error));
        delivery.countedBeforeRun = written == Moves.Written.DONE;
        return delivery.countedBeforeRun;
    }

    /** The run did not count; what was counted before it is taken back. */
    void notCounted(Delivery delivery) throws InterruptedException {
        if (delivery.countedBeforeRun) {
            delivery.countedBeforeRun = false;
            try {
                shared.records()
                        .takeBackAttempt(delivery.partition().fence(), delivery.identity(), delivery.attempts + 1);
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

    /** Conflicts with others that do not end: never blamed on it, but its key waits so that others go on. */
    void holdForConflicts(Delivery delivery) {
        event(EventNames.CONTENTION, delivery, "Conflicts do not end; the key is held and the message tried again");
        moves.hold(delivery, shared.backoff().policy().maxDelay().toNanos() / 2);
    }

    /** Something it needs is not there: it is tried again, later each time, and others in the meantime. */
    void holdForWantOf(Delivery delivery) {
        delivery.wants++;
        moves.hold(delivery, shared.backoff().next(delivery.wants).toNanos());
    }

    void unknownCommit(List<Delivery> part, Throwable error) {
        shared.meters().unknownCommit();
        LOG.atWarn()
                .addKeyValue(EventNames.KEY, EventNames.UNKNOWN_COMMIT)
                .addKeyValue("first", part.get(0).coordinates())
                .addKeyValue("messages", part.size())
                .addKeyValue("error", Throwables.text(error))
                .log("The connection died during COMMIT; the claims decide whether it had happened");
    }

    /** See {@link Moves#fenced}. */
    void fenced(Delivery delivery) {
        moves.fenced(delivery);
    }

    /** See {@link GivingUp#afterPublication}. */
    long afterPublication(Delivery delivery, @Nullable Coordinates copy, @Nullable Throwable failure) {
        return givingUp.afterPublication(delivery, copy, failure);
    }

    // ---- the steps of a held message ----

    /** Does the next steps of a message until it is finished or has to wait. */
    void advance(Delivery delivery) throws InterruptedException {
        Step step = delivery.step;
        if (step instanceof Step.RecordFailure failure) {
            recordFailure(delivery, failure);
        } else if (step instanceof Step.Decide decide) {
            givingUp.decide(delivery, decide);
        } else if (step instanceof Step.Publish publish) {
            givingUp.publish(delivery, publish.letter());
        } else if (step instanceof Step.Confirm confirm) {
            givingUp.confirm(delivery, confirm);
        }
    }

    private void recordFailure(Delivery delivery, Step.RecordFailure failure) throws InterruptedException {
        Moves.Written written = moves.write(
                delivery,
                fence -> shared.records()
                        .countAttempts(
                                fence,
                                delivery.identity(),
                                delivery.messageId,
                                failure.attempts(),
                                failure.delay(),
                                failure.error()));
        if (written == Moves.Written.DONE) {
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
            moves.hold(delivery, failure.delay().toNanos());
        }
    }

    private static void event(EventNames event, Delivery delivery, String what) {
        LOG.atInfo()
                .addKeyValue(EventNames.KEY, event)
                .addKeyValue("record", delivery.coordinates())
                .addKeyValue("id", delivery.messageId)
                .log(what);
    }

    private static final class RefusedException extends Exception {
        private static final long serialVersionUID = 1L;

        RefusedException(String message) {
            super(message);
        }
    }
}
