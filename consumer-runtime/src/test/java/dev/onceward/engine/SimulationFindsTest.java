package dev.onceward.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A simulation that cannot fail proves nothing: what is broken on purpose is found. */
@ExtendWith(SilentLog.class)
@Isolated("it turns logging off")
class SimulationFindsTest {
    private static final int MOST_SEEDS = 1_500;

    @ParameterizedTest
    @EnumSource(value = Bug.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void whatIsBroken(Bug bug) {
        SimRun found = find(bug);
        assertThat(found.failure()).contains(bug.seenAs());
    }

    private static SimRun find(Bug bug) {
        return LongStream.range(0, MOST_SEEDS)
                .mapToObj(seed -> SimRun.of(seed, bug))
                .filter(SimRun::failed)
                .findFirst()
                .orElseThrow(() -> new AssertionError(bug + " is not found with " + MOST_SEEDS + " seeds"));
    }

    @Test
    void aFailureIsShrunkToWhatMatters() {
        SimRun found = find(Bug.UNKNOWN_COMMIT_COUNTS);
        SimRun smallest =
                new Shrinker(found, taken -> SimRun.again(taken, Bug.UNKNOWN_COMMIT_COUNTS, false), 400).smallest();
        assertThat(Shrinker.kind(smallest)).isEqualTo(Shrinker.kind(found));
        assertThat(happenings(smallest)).isLessThan(happenings(found) / 2);
        List<String> trace =
                SimRun.again(smallest.taken(), Bug.UNKNOWN_COMMIT_COUNTS, true).trace();
        assertThat(trace).last().asString().contains(smallest.failure());
    }

    private static long happenings(SimRun run) {
        return run.taken().values().stream()
                .flatMapToInt(Arrays::stream)
                .filter(choice -> choice != 0)
                .count();
    }
}
