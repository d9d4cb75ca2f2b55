package dev.onceward.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ScenarioTest {

    @Test
    void acceptsTheDefaultsAndTheLargeRun() {
        assertThat(Scenarios.defaults(1).problems()).isEmpty();
        assertThat(Scenarios.of(200_000, 3, 20, 5, 3).problems()).isEmpty();
        assertThat(Scenarios.of(2_000, 3, 1, 0, 0).problems()).isEmpty();
    }

    @Test
    void namesEveryOptionThatIsOutOfRange() {
        assertThat(Scenarios.of(999, 0, -1, 101, -1).problems())
                .hasSize(5)
                .anySatisfy(problem -> assertThat(problem).contains("--messages", "999"))
                .anySatisfy(problem -> assertThat(problem).contains("--workers", "1 to 16"))
                .anySatisfy(problem -> assertThat(problem).contains("--kills"))
                .anySatisfy(problem -> assertThat(problem).contains("--pauses"))
                .anySatisfy(problem -> assertThat(problem).contains("--db-restarts"));
    }

    @Test
    void frozenWorkerNeedsAnotherOne() {
        assertThat(Scenarios.of(20_000, 1, 0, 1, 0).problems())
                .singleElement()
                .asString()
                .contains("--workers");
        assertThat(Scenarios.of(20_000, 1, 1, 0, 1).problems()).isEmpty();
    }

    @Test
    void faultsNeedMessagesToStrikeUnder() {
        assertThat(Scenarios.of(2_000, 3, 4, 1, 1).problems())
                .singleElement()
                .asString()
                .contains("2400 for 6 faults");
    }

    @Test
    void handlerTakesTimeOnlyWhereFaultsNeedIt() {
        assertThat(Scenarios.of(20_000, 3, 0, 0, 0).handlerTime()).isZero();
        // 2 kills, a pause and a restart take about 26 s, which are to be 70% of the run of 12 lanes.
        assertThat(Scenarios.defaults(1).handlerTime()).isBetween(Duration.ofMillis(15), Duration.ofMillis(30));
        assertThat(Scenarios.of(1_000, 16, 2, 0, 0).handlerTime()).isEqualTo(Duration.ofMillis(100));
    }
}
