package dev.onceward.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whole workers, several at once, on a model of Kafka and of the database, under schedules that nobody would think of. Time
 * and threads are simulated, so that a seed always gives the same run.
 */
@ExtendWith(SilentLog.class)
@Isolated("it turns logging off")
class SimulationTest {
    private static final int FIXED = 200;
    private static final int SHRINKING_RUNS = 1_500;

    @Test
    void everyGuaranteeHoldsInEverySchedule() {
        Optional<Long> given = Optional.ofNullable(Long.getLong("onceward.simulation.seed"));
        if (given.isPresent()) {
            holds(given.get());
            return;
        }
        LongStream.range(0, FIXED).forEach(SimulationTest::holds);
        Random seeds = new Random();
        Duration limit = Duration.ofSeconds(Long.getLong("onceward.simulation.seconds", 20));
        long begin = System.nanoTime();
        long runs = 0;
        while (System.nanoTime() - begin < limit.toNanos()) {
            holds(seeds.nextLong());
            runs++;
        }
        System.out.println(runs + " schedules from fresh seeds, " + runs * 60 / limit.toSeconds() + " in a minute");
    }

    private static void holds(long seed) {
        SimRun run = SimRun.of(seed, Bug.NONE);
        if (run.failed()) {
            throw new AssertionError(SimReport.of(seed, run, Bug.NONE, SHRINKING_RUNS));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 105, 663})
    void aSeedAlwaysGivesTheSameRun(long seed) {
        SimRun first = SimRun.of(seed, Bug.NONE);
        SimRun second = SimRun.of(seed, Bug.NONE);
        assertThat(second.hash()).isEqualTo(first.hash());
        assertThat(second.steps()).isEqualTo(first.steps());
        assertThat(SimRun.again(first.taken(), Bug.NONE, true).hash())
                .as("also from its decisions alone")
                .isEqualTo(first.hash());
    }
}
