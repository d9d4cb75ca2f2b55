package dev.onceward.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;

class NothingGrowsTest {
    private static final int HALF_AN_HOUR = 900;

    @Test
    void whatGoesUpAndDownDoesNotGrow() {
        NothingGrows growth = told(HALF_AN_HOUR, second -> 40 + second % 7);
        assertThat(growth.finding().held()).isTrue();
        assertThat(growth.finding().checked()).isEqualTo(HALF_AN_HOUR);
    }

    @Test
    void aThreadLostEveryTwoMinutesIsSeen() {
        NothingGrows growth = told(HALF_AN_HOUR, sample -> 40 + sample % 4 + sample / 60);
        assertThat(growth.finding().first())
                .containsExactly("w1: usually 54 threads towards the end, at most 50 in the first half");
    }

    @Test
    void aShortLifeTellsNothing() {
        assertThat(told(200, sample -> sample).finding().checked()).isZero();
    }

    @Test
    void whatAWorkerPrintsIsUnderstood() {
        assertThat(Vitals.parse(Vitals.now(7).line())).hasValueSatisfying(vitals -> {
            assertThat(vitals.threads()).isPositive();
            assertThat(vitals.series()).isEqualTo(7);
        });
        assertThat(Vitals.parse("any other line")).isEmpty();
    }

    private static NothingGrows told(int samples, LongUnaryOperator threads) {
        NothingGrows growth = new NothingGrows();
        for (int sample = 0; sample < samples; sample++) {
            growth.tell("w1", new Vitals(threads.applyAsLong(sample), 50, 100));
        }
        return growth;
    }
}
