package dev.onceward.engine;

import dev.onceward.effect.GroupLimits;
import dev.onceward.effect.TransactionWatch;
import dev.onceward.handler.FailureClass;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Decoding on a lane's thread, under the handler's time limit, since it may ask a schema registry. Whoever passes it has
 * failed alone.
 */
final class Decoding {
    private final Lane lane;
    private final TransactionWatch watch;
    private final GroupLimits limits;
    private final Preparation preparation;
    private final Settlement settlement;
    private final Machine machine;
    private @Nullable Delivery current;

    Decoding(
            Lane lane,
            TransactionWatch watch,
            GroupLimits limits,
            Preparation preparation,
            Settlement settlement,
            Machine machine) {
        this.lane = lane;
        this.watch = watch;
        this.limits = limits;
        this.preparation = preparation;
        this.settlement = settlement;
        this.machine = machine;
    }

    /** What is being decoded; {@code null}: nothing. */
    @Nullable
    Delivery current() {
        return current;
    }

    /** See {@link Preparation#exhausted}; asks no code of the team. */
    boolean exhausted(Delivery delivery) {
        return preparation.exhausted(delivery);
    }

    void identify(Delivery delivery) {
        begin(delivery);
        preparation.identify(delivery);
        end(); // what hangs here hangs in decoding, too
    }

    Preparation.Result decode(Delivery delivery) {
        if (preparation.exhausted(delivery)) {
            return new Preparation.Result.GivenUp();
        }
        Preparation.Result result;
        begin(delivery);
        try {
            result = preparation.prepare(delivery);
        } catch (VirtualMachineError e) { // memory that a deserialiser could not have, say
            result = new Preparation.Result.Fatal(e);
        }
        boolean over = end();
        if (result instanceof Preparation.Result.Fatal) {
            return result;
        }
        if (over) { // whatever it ended in: the interrupt may have led to anything
            settlement.notDecoded(delivery, new DecodingTimeoutException(limits.handler()), FailureClass.TIME_LIMIT);
            return new Preparation.Result.GivenUp();
        }
        if (result instanceof Preparation.Result.Interrupted interrupted) {
            settlement.notDecoded(delivery, interrupted.error(), FailureClass.TRANSIENT);
            return new Preparation.Result.GivenUp();
        }
        return result;
    }

    private void begin(Delivery delivery) {
        current = delivery;
        watch.decoding(limits.handlerDeadline(machine.nanoTime()));
    }

    /** Tells whether its time was over. */
    private boolean end() {
        boolean over = watch.end().isPresent();
        lane.requireOwner(watch);
        current = null;
        return over;
    }

    private static final class DecodingTimeoutException extends Exception {
        private static final long serialVersionUID = 1L;

        DecodingTimeoutException(Duration limit) {
            super("decoding took longer than the limit of a handler, " + limit + " (limits.handler)");
        }
    }
}
