package dev.onceward.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class PartitionAgeTest {
    private final TestClock clock = new TestClock();
    private final OffsetWindow window = new OffsetWindow(0);
    private final AtomicInteger skewed = new AtomicInteger();
    private final PartitionAge age = new PartitionAge(clock, () -> window, skewed::incrementAndGet);

    @Test
    void anUnknownAgeIsNeverZeroAndGrows() {
        assertThat(age.oldestAgeSeconds()).isPositive();
        clock.millis += 5_000;
        assertThat(age.oldestAgeSeconds()).isEqualTo(5);
    }

    @Test
    void nothingWaitsOnceTheBrokerHasSaidSo() {
        age.unfetched(OptionalLong.of(0));
        clock.millis += 5_000;
        assertThat(age.oldestAgeSeconds()).isZero();
        assertThat(age.lag()).isZero();
    }

    @Test
    void whatIsNotFetchedIsAsOldAsTheLastTimeThatNothingWaited() {
        age.unfetched(OptionalLong.of(0));
        clock.millis += 5_000;
        age.unfetched(OptionalLong.of(7));
        assertThat(age.oldestAgeSeconds()).isEqualTo(5);
        assertThat(age.lag()).isEqualTo(7);
        age.unfetched(OptionalLong.empty());
        clock.millis += 1_000;
        assertThat(age.oldestAgeSeconds()).isEqualTo(6);
        assertThat(age.lag()).isNaN();
    }

    /** Silence is noticed late: until then what the broker said last was taken for what is so. */
    @Test
    void aBrokerThatDoesNotAnswerMakesTheAgeThatOfItsLastAnswer() {
        age.unfetched(OptionalLong.of(0));
        clock.millis += 11_000;
        age.unfetched(OptionalLong.of(0));
        age.unanswered(Duration.ofSeconds(11));
        assertThat(age.oldestAgeSeconds()).isEqualTo(11);
        assertThat(age.lag()).isNaN();
        clock.millis += 1_000;
        age.unanswered(Duration.ofSeconds(12));
        assertThat(age.oldestAgeSeconds()).isEqualTo(12);
        age.unfetched(OptionalLong.of(0));
        assertThat(age.oldestAgeSeconds()).isZero();
    }

    @Test
    void whatWaitedBeforeTheBrokerFellSilentIsOlderThanTheSilence() {
        age.unfetched(OptionalLong.of(0));
        clock.millis += 30_000;
        age.unfetched(OptionalLong.of(7));
        age.unanswered(Duration.ofSeconds(11));
        assertThat(age.oldestAgeSeconds()).isEqualTo(30);
    }

    @Test
    void theOldestThatIsNotFinishedCounts() {
        age.unfetched(OptionalLong.of(0));
        window.register(0, clock.millis - 1_000, 1);
        window.register(1, clock.millis - 9_000, 1);
        assertThat(age.oldestAgeSeconds()).isEqualTo(1);
        window.complete(0);
        assertThat(age.oldestAgeSeconds()).isEqualTo(9);
        assertThat(age.lag()).isEqualTo(1);
        window.complete(1);
        assertThat(age.oldestAgeSeconds()).isZero();
        assertThat(skewed).hasValue(0);
    }

    @Test
    void aMessageOfTheFutureIsNoAgeAndCounted() {
        window.register(0, clock.millis + 1_000, 1);
        assertThat(age.oldestAgeSeconds()).isZero();
        assertThat(skewed).hasValue(1);
    }

    private static final class TestClock extends Clock {
        long millis = 1_700_000_000_000L;

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return Instant.ofEpochMilli(millis);
        }
    }
}
