package dev.onceward.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run that is only just long enough to see that everything works together; ./chaos itself is what tells. */
@Tag("soak")
class ChaosIT {
    @TempDir
    private Path logs;

    @Test
    void aShortRunHoldsAndLooksAtEverything() throws Exception {
        Outcome outcome = new Chaos(4, Duration.ofSeconds(25), 200, logs, System.err::println).run();

        assertThat(outcome.aborted()).isNull();
        assertThat(outcome.held()).isTrue();
        assertThat(outcome.faultCount())
                .isEqualTo(Schedule.of(4, Duration.ofSeconds(25)).size());
        assertThat(outcome.messages()).isGreaterThan(3_000);
    }
}
