package dev.onceward.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.onceward.config.RetryPolicy;
import java.time.Duration;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BackoffTest {

    /** Gives the largest number it may. */
    private static final RandomGenerator HIGHEST = new RandomGenerator() {
        @Override
        public long nextLong() {
            throw new UnsupportedOperationException();
        }

        @Override
        public long nextLong(long bound) {
            return bound - 1;
        }
    };

    @ParameterizedTest
    @CsvSource({"1, 200", "2, 400", "3, 800", "4, 1600", "8, 25600", "9, 30000", "10, 30000", "64, 30000", "1000, 30000"
    })
    void doublesTheBoundUpToTheCap(int failedAttempts, long millis) {
        assertThat(new Backoff(RetryPolicy.DEFAULT, HIGHEST).next(failedAttempts))
                .isEqualTo(Duration.ofMillis(millis));
    }

    @Test
    void staysInsideTheBoundsForEveryPolicyAndAttempt() {
        SplittableRandom random = new SplittableRandom(42);
        for (int i = 0; i < 200; i++) {
            Duration base =
                    Duration.ofMillis(random.nextLong(1, Duration.ofHours(1).toMillis() + 1));
            Duration cap = Duration.ofMillis(
                    random.nextLong(base.toMillis(), Duration.ofDays(1).toMillis() + 1));
            Backoff backoff = new Backoff(new RetryPolicy(1_000, base, cap), random);
            for (int failed = 1; failed <= 1_000; failed++) {
                assertThat(backoff.next(failed)).isBetween(Duration.ZERO, cap);
                if (failed == 1) {
                    assertThat(backoff.next(failed)).isLessThanOrEqualTo(base);
                }
            }
        }
    }

    @Test
    void reachesTheCapAlsoForTheSmallestBaseAndTheLargestCap() {
        RetryPolicy policy = new RetryPolicy(1_000, Duration.ofMillis(1), Duration.ofDays(1));
        Backoff backoff = new Backoff(policy, HIGHEST);

        Duration before = Duration.ZERO;
        for (int failed = 1; failed <= 1_000; failed++) {
            assertThat(backoff.next(failed)).isGreaterThanOrEqualTo(before);
            before = backoff.next(failed);
        }
        assertThat(before).isEqualTo(Duration.ofDays(1));
    }

    @Test
    void spreadsOverTheWholeRange() {
        Backoff backoff = new Backoff(RetryPolicy.DEFAULT, new SplittableRandom(7));
        int[] quarters = new int[4];
        for (int i = 0; i < 4_000; i++) {
            quarters[(int) Math.min(3, backoff.next(1).toNanos() / 50_000_000)]++;
        }

        assertThat(Arrays.stream(quarters).boxed())
                .allSatisfy(count -> assertThat(count).isBetween(850, 1_150));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
    void refusesToDelayWithoutAFailure(int failedAttempts) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Backoff(RetryPolicy.DEFAULT, HIGHEST).next(failedAttempts));
    }
}
