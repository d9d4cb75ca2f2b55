package dev.onceward.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScheduleTest {
    private static final Duration TEN_MINUTES = Duration.ofMinutes(10);

    @Test
    void theSameSeedGivesTheSameSchedule() {
        assertThat(Schedule.of(7, TEN_MINUTES)).isEqualTo(Schedule.of(7, TEN_MINUTES));
        assertThat(Schedule.of(7, TEN_MINUTES)).isNotEqualTo(Schedule.of(8, TEN_MINUTES));
        PlannedFault fault = Schedule.of(7, TEN_MINUTES).get(0);
        assertThat(fault.random().nextLong()).isEqualTo(fault.random().nextLong());
    }

    @Test
    void aShorterRunIsTheBeginningOfALongerOne() {
        List<PlannedFault> half = Schedule.of(7, TEN_MINUTES.dividedBy(2));

        assertThat(Schedule.of(7, TEN_MINUTES)).startsWith(half.toArray(PlannedFault[]::new));
    }

    @Test
    void noKindIsMissingFromTenMinutesAndNoneComesMuchMoreOftenThanAnother() {
        List<PlannedFault> faults = Schedule.of(7, TEN_MINUTES);

        for (FaultKind kind : FaultKind.values()) {
            assertThat(faults.stream().filter(fault -> fault.kind() == kind)).hasSizeBetween(3, 7);
        }
        assertThat(faults).allSatisfy(fault -> assertThat(fault.at()).isLessThan(TEN_MINUTES));
    }

    @Test
    void theSharesOfBehavioursAddUp() {
        assertThat(Behaviour.of(0)).isEqualTo(Behaviour.GOOD);
        assertThat(Behaviour.of(9_999)).isEqualTo(Behaviour.COMMITS);
        for (Behaviour behaviour : Behaviour.values()) {
            assertThat(Behaviour.parse(behaviour.text())).isEqualTo(behaviour);
        }
    }
}
