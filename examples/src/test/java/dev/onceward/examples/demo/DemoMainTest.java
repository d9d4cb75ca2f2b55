package dev.onceward.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class DemoMainTest {

    private final StringWriter errors = new StringWriter();

    @Test
    void wrongOptionsAreNamed() {
        assertThat(execute("--kills", "-1")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(errors.toString()).contains("--kills must be 0 to 100, not -1");
    }

    @Test
    void unknownBackendsAreNamed() {
        assertThat(execute("--backends", "cloud")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(errors.toString()).contains("--backends must be embedded, containers or external, not cloud");
    }

    private int execute(String... arguments) {
        return DemoMain.commandLine().setErr(new PrintWriter(errors, true)).execute(arguments);
    }
}
