package dev.onceward.engine;

import dev.onceward.catalog.DeadLetterReason;
import dev.onceward.catalog.EventNames;
import dev.onceward.crash.CrashPoint;
import dev.onceward.deadletter.DeadLetter;
import dev.onceward.handler.Coordinates;
import dev.onceward.metrics.RuntimeMeters;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a message is given up: {@link Step.Decide} (recorded as PENDING: final), {@link Step.Publish} (to the dead-letter
 * topic), {@link Step.Confirm} (recorded as DEAD, with the copy that the broker acknowledged); then its offset is
 * complete.
 *
 * <p>Each step is safe to repeat, and what is written is written under the fence. A step that the database or the broker
 * does not take leaves the message as the head of its held key with the same step.
 */
final class GivingUp {
    private static final Logger LOG = LoggerFactory.getLogger(GivingUp.class);

    private final Lane lane;
    private final LaneParts shared;
    private final Moves moves;

    GivingUp(Lane lane, LaneParts shared, Moves moves) {
        this.lane = lane;
        this.shared = shared;
        this.moves = moves;
    }

    /** From now on the next step of the message is the first of these. */
    void begin(Delivery delivery, DeadLetterReason reason, Throwable error, int attempts) {
        delivery.step = new Step.Decide(shared.letters().write(delivery, reason, error, attempts));
    }

    void decide(Delivery delivery, Step.Decide step) throws InterruptedException {
        CrashPoint.BEFORE_DECISION.reached();
        byte[] key = delivery.raw().key();
        DeadLetter[] recorded = {step.letter()};
        Moves.Written written = moves.write(delivery, fence -> {
            Optional<DeadLetter> letter = shared.records().decide(fence, step.letter(), key);
            letter.ifPresent(asRecorded -> recorded[0] = asRecorded);
            return letter.isPresent();
        });
        if (written == Moves.Written.DONE) {
            CrashPoint.AFTER_DECISION.reached();
            delivery.step = new Step.Publish(recorded[0]);
            publish(delivery, recorded[0]);
        }
    }

    void confirm(Delivery delivery, Step.Confirm step) throws InterruptedException {
        CrashPoint.BEFORE_CONFIRMATION.reached();
        if (moves.write(delivery, fence -> shared.records().confirm(fence, step.letter(), step.copy()))
                == Moves.Written.DONE) {
            CrashPoint.AFTER_CONFIRMATION.reached();
            deadLettered(delivery, step);
        }
    }

    void publish(Delivery delivery, DeadLetter letter) {
        if (!moves.park(delivery)) {
            return; // being revoked: the next owner publishes it
        }
        var answered = shared.publisher()
                .publish(letter, delivery.raw())
                .whenComplete((at, failure) -> lane.published(
                        delivery,
                        at == null ? null : new Coordinates(at.topic(), at.partition(), at.offset()),
                        failure));
        CrashPoint.BEFORE_ACKNOWLEDGEMENT.reached();
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
            CrashPoint.AFTER_ACKNOWLEDGEMENT.reached();
            delivery.step = new Step.Confirm(letter, copy);
            return shared.machine().nanoTime();
        }
        delivery.publishFailures++;
        delivery.endPermit();
        shared.meters().deadLetterUnpublished(letter.origin().coordinates().topic());
        LOG.atWarn()
                .addKeyValue(EventNames.KEY, EventNames.DEAD_LETTER_UNPUBLISHED)
                .addKeyValue("record", letter.record().coordinates())
                .addKeyValue("error", String.valueOf(failure))
                .log("The dead letter could not be published; its key is held and it is tried again");
        return shared.machine().nanoTime()
                + shared.backoff().next(delivery.publishFailures).toNanos();
    }

    private void deadLettered(Delivery delivery, Step.Confirm confirm) {
        DeadLetter letter = confirm.letter();
        shared.meters().deadLetter(letter.origin().coordinates().topic(), letter.reason());
        LOG.atWarn()
                .addKeyValue(EventNames.KEY, EventNames.DEAD_LETTER)
                .addKeyValue("record", letter.record().coordinates())
                .addKeyValue("reason", letter.reason())
                .addKeyValue("attempts", letter.attempts())
                .addKeyValue("copy", confirm.copy())
                .addKeyValue("error", letter.errorClass() + ": " + letter.errorMessage())
                .log("The message was given up and stands in the dead-letter topic");
        moves.complete(delivery, RuntimeMeters.Outcome.DEAD_LETTERED);
    }
}
