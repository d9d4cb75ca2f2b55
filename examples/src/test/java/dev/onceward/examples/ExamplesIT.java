package dev.onceward.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.testsupport.ProcessControl;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each example runs to its end and shows what it is to show. */
class ExamplesIT {

    private final List<String> lines = Collections.synchronizedList(new ArrayList<>());

    @ParameterizedTest
    @CsvSource({
        "QuickstartMain,   70.00, 25.50",
        "RetryMain,       123.00,  4.00",
        "DeadLetterMain,   10.00,  0.00",
        "BatchHandlerMain, 667.00, 333.00",
    })
    void showsTheBalances(String example, String alice, String bob) throws Exception {
        try (ProcessControl process = ProcessControl.java(Class.forName("dev.onceward.examples." + example))
                .jvmOptions("-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
                .onOutput(lines::add)
                .onErrors(lines::add)
                .start()) {
            assertThat(process.awaitExit(Duration.ofMinutes(2)))
                    .describedAs("%s", lines)
                    .isZero();
        }
        assertThat(lines).contains("  id=alice, balance=" + alice, "  id=bob, balance=" + bob);
    }
}
