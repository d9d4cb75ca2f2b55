package dev.onceward.engine;

import java.util.List;

/** What to read about a seed that failed. */
final class SimReport {
    private static final int LAST = 150;

    private SimReport() {}

    /** Shrinks a failed run, and tells how the smallest one goes. */
    static String of(long seed, SimRun failed, Bug bug, int mostRuns) {
        SimRun smallest = new Shrinker(failed, taken -> SimRun.again(taken, bug, false), mostRuns).smallest();
        SimRun traced = SimRun.again(smallest.taken(), bug, true);
        List<String> trace = traced.trace();
        return """
                seed %d: %s
                again: -Dtest=SimulationTest -Donceward.simulation.seed=%d
                shrunk to: %s
                %s
                %s
                """.formatted(
                        seed,
                        failed.failure(),
                        seed,
                        traced.failure(),
                        traced.scenario(),
                        String.join("\n", trace.subList(Math.max(0, trace.size() - LAST), trace.size())));
    }
}
