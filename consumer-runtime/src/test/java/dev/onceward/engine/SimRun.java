package dev.onceward.engine;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A run that has ended.
 *
 * @param failure what did not hold; {@code null}: all did
 * @param hash of every step of every thread
 * @param taken every decision
 */
record SimRun(
        Scenario scenario,
        @Nullable String failure,
        long hash,
        long steps,
        Map<Choices.Of, int[]> taken,
        List<String> trace) {

    static SimRun of(long seed, Bug bug) {
        return run(new Choices(seed), bug, false);
    }

    static SimRun again(Map<Choices.Of, int[]> taken, Bug bug, boolean tracing) {
        return run(new Choices(taken), bug, tracing);
    }

    private static SimRun run(Choices choices, Bug bug, boolean tracing) {
        Simulation simulation = new Simulation(choices, tracing);
        Scenario scenario = Scenario.of(choices);
        String failure = simulation.run(new World(simulation, scenario, bug));
        return new SimRun(
                scenario, failure, simulation.hash(), simulation.steps(), choices.taken(), simulation.trace());
    }

    boolean failed() {
        return failure != null;
    }
}
