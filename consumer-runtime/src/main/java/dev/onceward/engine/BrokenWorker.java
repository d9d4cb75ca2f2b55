package dev.onceward.engine;

import dev.onceward.catalog.EventNames;
import dev.onceward.deadletter.ErrorText;
import dev.onceward.effect.GroupOutcome;
import dev.onceward.failure.Throwables;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** After what a worker cannot go on safely: puts in order what the next one would trip over, then ends this one. */
final class BrokenWorker {
    private static final Logger LOG = LoggerFactory.getLogger(BrokenWorker.class);

    private final Lane lane;
    private final LaneParts shared;

    BrokenWorker(Lane lane, LaneParts shared) {
        this.lane = lane;
        this.shared = shared;
    }

    /** The JVM is broken: the attempt of the culprit is counted, if that still can be done. */
    void fatal(List<Delivery> part, OptionalInt culprit, Throwable error) {
        if (culprit.isPresent()) {
            Delivery delivery = part.get(culprit.getAsInt());
            try {
                shared.records()
                        .countAttempts(
                                delivery.partition().fence(),
                                delivery.identity(),
                                delivery.messageId,
                                delivery.attempts + 1,
                                Duration.ZERO,
                                ErrorText.of(error).message());
            } catch (SQLException | RuntimeException | Error e) { // the JVM is broken already: as far as it goes
                Throwables.suppress(error, e);
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
                        new IllegalStateException("handlers must not end their transaction"));
    }

    /** Whether there is nothing left to do: also where the partition has another owner, whose own claims stay. */
    private boolean unclaimed(Delivery delivery) {
        try {
            shared.records().unclaim(delivery.partition().fence(), Preparation.member(delivery));
            return true;
        } catch (SQLException | RuntimeException e) {
            LOG.atError()
                    .addKeyValue(EventNames.KEY, EventNames.CLAIM_NOT_TAKEN_BACK)
                    .addKeyValue("record", delivery.coordinates())
                    .addKeyValue("error", e.toString())
                    .log("A claim without an effect could not be taken back yet; tried again");
            return false;
        }
    }
}
