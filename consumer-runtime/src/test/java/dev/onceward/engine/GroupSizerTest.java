package dev.onceward.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class GroupSizerTest {

    private final GroupSizer sizer = new GroupSizer(100, Duration.ofSeconds(1));

    @Test
    void beginsWithOneMessage() {
        assertThat(sizer.size()).isEqualTo(1);
    }

    @Test
    void fillsTheBudgetByWhatWasMeasured() {
        sizer.measured(1, millis(50));
        assertThat(sizer.size()).isEqualTo(20);
        sizer.measured(20, millis(20 * 100));
        assertThat(sizer.size()).isEqualTo(16); // 50 ms + a fifth of the difference
    }

    @Test
    void neverGoesOverTheLargestSizeOrUnderOne() {
        sizer.measured(1, millis(1));
        assertThat(sizer.size()).isEqualTo(100);
        sizer.overBudget(1, millis(5_000));
        assertThat(sizer.size()).isEqualTo(1);
    }

    @Test
    void groupOfDuplicatesSaysNothing() {
        sizer.measured(1, millis(50));
        sizer.measured(0, millis(1));
        assertThat(sizer.size()).isEqualTo(20);
    }

    @Test
    void groupsOfDuplicatesAloneGrowUntilSomethingRuns() {
        sizer.measured(0, millis(1));
        sizer.measured(0, millis(1));
        assertThat(sizer.size()).isEqualTo(4);
        for (int i = 0; i < 10; i++) {
            sizer.measured(0, millis(1));
        }
        assertThat(sizer.size()).isEqualTo(100);
        sizer.measured(1, millis(500));
        assertThat(sizer.size()).isEqualTo(2);
    }

    @Test
    void groupOverBudgetIsJudgedByThoseThatRan() {
        sizer.measured(1, millis(10));
        sizer.overBudget(10, millis(1_000));
        assertThat(sizer.size()).isEqualTo(10);
    }

    private static long millis(long millis) {
        return Duration.ofMillis(millis).toNanos();
    }
}
