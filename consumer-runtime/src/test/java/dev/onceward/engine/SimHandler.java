package dev.onceward.engine;

import dev.onceward.handler.Coordinates;
import dev.onceward.handler.Effect;
import dev.onceward.handler.Message;
import dev.onceward.handler.MessageHandler;
import dev.onceward.handler.PermanentException;
import dev.onceward.handler.UnavailableException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** The team's code: does what the record says. */
final class SimHandler implements MessageHandler<Object, Object> {
    private static final long TOO_LONG = Duration.ofSeconds(7).toNanos();

    private final Simulation simulation;
    private final Verdicts verdicts;
    private final Map<Coordinates, Integer> calls = new HashMap<>();

    SimHandler(Simulation simulation, Verdicts verdicts) {
        this.simulation = simulation;
        this.verdicts = verdicts;
    }

    @Override
    public void handle(Message<Object, Object> message, Effect effect) throws Exception {
        SimRecord record = verdicts.record(message.coordinates());
        int call = calls.merge(message.coordinates(), 1, Integer::sum);
        simulation.tell(() -> "handles " + message.coordinates() + ", call " + call);
        simulation.point("handler");
        boolean again = call <= record.times();
        switch (record.behaviour()) {
            case OK -> {}
            case TRANSIENT -> throwIf(again, new IllegalStateException("not this time"));
            case PERMANENT -> throw new PermanentException("never");
            case POISON -> throw new IllegalStateException("poison");
            case HANG -> {
                if (again) {
                    simulation.await("hang", () -> false, simulation.now() + TOO_LONG, true);
                }
            }
            case DEAF -> {
                if (again) {
                    simulation.pass("deaf", TOO_LONG);
                }
            }
            case UNAVAILABLE -> throwIf(again, new UnavailableException("a dependency is down"));
            case FATAL -> {
                if (again) {
                    throw new InternalError("the JVM is broken");
                }
            }
        }
    }

    private static void throwIf(boolean wanted, Exception failure) throws Exception {
        if (wanted) {
            throw failure;
        }
    }
}
