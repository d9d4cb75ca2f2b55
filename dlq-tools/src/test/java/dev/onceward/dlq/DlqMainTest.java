package dev.onceward.dlq;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class DlqMainTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void tellsItsVersion() {
        assertThat(run("--version")).isZero();
        assertThat(out).asString().startsWith("dlq ");
    }

    @Test
    void tellsItsUsage() {
        assertThat(run("--help")).isZero();
        assertThat(out).asString().contains("Usage: dlq", "--version");
    }

    @Test
    void isWrongUsageWithoutASubcommand() {
        assertThat(run()).isEqualTo(2);
        assertThat(run("replay")).isEqualTo(2);
        assertThat(err).asString().contains("Nothing to do", "Unmatched argument", "replay");
        assertThat(out).asString().isEmpty();
    }

    private int run(String... arguments) {
        return DlqMain.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
    }
}
