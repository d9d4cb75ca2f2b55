package dev.onceward.engine;

import dev.onceward.engine.Choices.Of;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Function;

/**
 * Makes a failing run smaller: undoes decisions, many at once and then fewer, as long as it still fails. Threads first, then
 * single requests, then what the run is about: that is the order in which they make a failure hard to read.
 */
final class Shrinker {
    private final Function<Map<Of, int[]>, SimRun> runner;
    private int runsLeft;
    private SimRun smallest;

    Shrinker(SimRun failed, Function<Map<Of, int[]>, SimRun> runner, int mostRuns) {
        this.smallest = failed;
        this.runner = runner;
        this.runsLeft = mostRuns;
    }

    /** A run that fails in the same way, and in which less happens. */
    SimRun smallest() {
        long before;
        do {
            before = happenings();
            undo(Of.SCENARIO);
            undo(Of.THREAD);
            undo(Of.FAULT);
        } while (happenings() < before && runsLeft > 0);
        return smallest;
    }

    private long happenings() {
        return smallest.taken().values().stream()
                .flatMapToInt(Arrays::stream)
                .filter(choice -> choice != 0)
                .count();
    }

    private void undo(Of of) {
        int length = smallest.taken().get(of).length;
        for (int size = Math.max(1, length / 2); size >= 1 && runsLeft > 0; size /= 2) {
            for (int from = 0; from < smallest.taken().get(of).length && runsLeft > 0; from += size) {
                int[] fewer = smallest.taken().get(of).clone();
                int to = Math.min(fewer.length, from + size);
                if (Arrays.stream(fewer, from, to).anyMatch(choice -> choice != 0)) {
                    Arrays.fill(fewer, from, to, 0);
                    attempt(of, fewer);
                }
            }
        }
    }

    private void attempt(Of of, int[] fewer) {
        Map<Of, int[]> taken = new EnumMap<>(smallest.taken());
        taken.put(of, fewer);
        runsLeft--;
        SimRun run = runner.apply(taken);
        if (run.failed() && kind(run).equals(kind(smallest))) {
            long before = happenings();
            SimRun previous = smallest;
            smallest = run;
            if (happenings() > before) {
                smallest = previous;
            }
        }
    }

    /** What failed, whichever record it met. */
    static String kind(SimRun run) {
        return String.valueOf(run.failure())
                .replaceAll("\\d+", "#")
                .replaceAll("\\[.*?]", "")
                .replaceAll("\\S*#\\S*", "#");
    }
}
