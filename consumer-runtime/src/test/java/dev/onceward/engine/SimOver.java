package dev.onceward.engine;

/** Ends the threads of a simulation that is over, wherever they are. */
final class SimOver extends Error {
    private static final long serialVersionUID = 1L;

    SimOver() {
        super("the simulation is over", null, false, false);
    }
}
