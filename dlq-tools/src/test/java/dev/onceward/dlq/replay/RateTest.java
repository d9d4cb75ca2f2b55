package dev.onceward.dlq.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.dlq.exit.Stop;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RateTest {
    private final AtomicLong clock = new AtomicLong();
    private final Stop stop = Stop.silent();

    @Test
    void spreadsEvenly() throws SQLException {
        Rate rate = rate("100/s");

        for (int i = 0; i < 101; i++) {
            rate.await(stop, () -> {});
        }

        assertThat(Duration.ofNanos(clock.get())).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void neverMakesUpForTimeLost() throws SQLException {
        Rate rate = rate("10/s");
        rate.await(stop, () -> {});
        clock.addAndGet(Duration.ofSeconds(60).toNanos());
        long late = clock.get();

        for (int i = 0; i < 11; i++) {
            rate.await(stop, () -> {});
        }

        assertThat(Duration.ofNanos(clock.get() - late)).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void somethingCanBeDoneDuringALongWait() throws SQLException {
        Rate rate = rate("1/h");
        AtomicLong done = new AtomicLong();
        rate.await(stop, done::incrementAndGet);

        rate.await(stop, () -> {
            done.incrementAndGet();
            stop.request();
        });

        assertThat(done).hasValue(1);
        assertThat(Duration.ofNanos(clock.get())).isLessThan(Duration.ofSeconds(1));
    }

    @Test
    void aStopNeedNotWait() throws SQLException {
        Rate rate = rate("1/h");
        rate.await(stop, () -> {});
        stop.request();

        rate.await(stop, () -> {});

        assertThat(clock).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "100", "0/s", "-1/s", "1/d", "a/s", "1.5/s"})
    void refusesWhatIsNoRate(String text) {
        assertThatThrownBy(() -> Rate.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("100/s");
    }

    private Rate rate(String text) {
        return Rate.parse(text, clock::get, clock::addAndGet);
    }
}
