package dev.onceward.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.engine.Conflicts.Verdict;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ConflictsTest {
    private final Conflicts conflicts = new Conflicts(new Random(1));
    private final OwnedPartition partition = Deliveries.partition(0);
    private final Delivery a = Deliveries.of(partition, 0, "a");
    private final Delivery b = Deliveries.of(partition, 1, "b");

    @Test
    void aGroupIsTriedAgainAndThenHalved() {
        assertThat(Stream.generate(() -> conflicts.after(List.of(a, b))).limit(6))
                .containsExactly(
                        Verdict.AGAIN, Verdict.AGAIN, Verdict.HALVES, Verdict.AGAIN, Verdict.AGAIN, Verdict.HALVES);
    }

    @Test
    void aMessageAloneHoldsItsKeyInTheEnd() {
        assertThat(Stream.generate(() -> conflicts.after(List.of(a))).limit(8))
                .containsExactly(
                        Verdict.AGAIN,
                        Verdict.AGAIN,
                        Verdict.AGAIN,
                        Verdict.AGAIN,
                        Verdict.AGAIN,
                        Verdict.AGAIN,
                        Verdict.AGAIN,
                        Verdict.HOLD);
        assertThat(conflicts.after(List.of(a)))
                .as("counted anew after the wait")
                .isEqualTo(Verdict.AGAIN);
    }

    @Test
    void theDelayIsJitteredBelowABoundThatDoublesUpToASecond() {
        Conflicts longest = new Conflicts(new Longest());
        long before = 0;
        for (int i = 0; i < 7; i++) {
            longest.after(List.of(a));
            long delay = longest.delayNanos(List.of(a));
            assertThat(delay)
                    .isEqualTo(before == 0 ? Duration.ofMillis(20).toNanos() : Math.min(2 * before, 1_000_000_000));
            before = delay;
        }
        assertThat(before).isEqualTo(1_000_000_000);
        for (int i = 0; i < 1_000; i++) {
            assertThat(conflicts.delayNanos(List.of(a, b))).isBetween(0L, before);
        }
    }

    /** Always the largest number of a range. */
    private static final class Longest implements RandomGenerator {
        @Override
        public long nextLong() {
            return Long.MAX_VALUE;
        }

        @Override
        public long nextLong(long bound) {
            return bound - 1;
        }
    }
}
