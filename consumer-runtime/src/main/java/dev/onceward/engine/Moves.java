package dev.onceward.engine;

import dev.onceward.handler.FailureClass;
import dev.onceward.metrics.RuntimeMeters;
import dev.onceward.postgres.Fence;
import java.sql.SQLException;

/**
 * The moves that every outcome of a message is made of: it is completed, held, or dropped as a stale worker's; and the one
 * way to write something about it, under the fence of its partition.
 *
 * <p>An offset is completed here (and in {@link Dispatcher}, where an earlier owner gave the record up): after a committed
 * effect, a duplicate seen by a committed transaction, or a dead letter acknowledged by the broker and recorded.
 */
final class Moves {
    private final Lane lane;
    private final LaneParts shared;

    Moves(Lane lane, LaneParts shared) {
        this.lane = lane;
        this.shared = shared;
    }

    /** The message is finished: its offset is, and those that waited for it may run. */
    void complete(Delivery delivery, RuntimeMeters.Outcome outcome) {
        shared.meters().finished(delivery.originTopic(), outcome, 1);
        delivery.partition().window().complete(delivery.offset());
        lane.change(queue -> queue.release(delivery));
        delivery.endPermit();
        if (delivery.suspect()) {
            shared.worker().suspectFinished(delivery);
        }
    }

    /** The message holds its key, and is due for its next step after the delay. */
    void hold(Delivery delivery, long delayNanos) {
        lane.change(queue -> queue.hold(delivery, shared.machine().nanoTime() + delayNanos));
    }

    /**
     * The message leaves the lane for the publisher, which brings it back by {@link Lane#published}; its key is held, and
     * so is the permission to work on its partition, so that a revoke waits for the acknowledgement. In one step with the
     * queue: a partition dropped between the two would leave a key that nobody ever releases.
     *
     * @return false if its partition is being given up: it is held, to be dropped with the rest
     */
    boolean park(Delivery delivery) {
        lane.change(queue -> {
            delivery.holdsPermit = delivery.holdsPermit || delivery.partition().beginWork();
            if (delivery.holdsPermit) {
                queue.park(delivery);
            } else {
                queue.hold(delivery, shared.machine().nanoTime());
            }
        });
        return delivery.holdsPermit;
    }

    /** Another worker owns the partition: nothing of the message is this one's to decide. */
    void fenced(Delivery delivery) {
        shared.worker().refused(delivery.partition());
        delivery.endPermit();
    }

    /** One fenced write; a stale worker drops the message, an absent database leaves it held with the same step. */
    Written write(Delivery delivery, Write write) throws InterruptedException {
        try {
            if (write.under(delivery.partition().fence())) {
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

    /** One of {@link FencedRecords}. */
    @FunctionalInterface
    interface Write {
        boolean under(Fence fence) throws SQLException;
    }

    /** What became of a fenced write. */
    enum Written {
        /** It is committed. */
        DONE,
        /** The partition is another worker's: the message was dropped. */
        STALE,
        /** The database did not take it: the message is held, and its step comes again. */
        LATER
    }
}
