package dev.onceward.dlq;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DlqMainTest {
    @Test
    void tellsItsVersion() {
        Runs.Run run = Runs.dlq("--version");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).startsWith("dlq ");
    }

    @Test
    void tellsItsUsageAndItsExitCodes() {
        Runs.Run run = Runs.dlq("--help");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("SYNOPSIS\n  dlq", "COMMANDS", "--version", "EXIT STATUS", "3  cannot connect");
    }

    @Test
    void isWrongUsageWithoutACommand() {
        Runs.Run run = Runs.dlq();

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains("a command is missing", "dlq --help");
    }

    @Test
    void isWrongUsageWithACommandThatDoesNotExist() {
        Runs.Run run = Runs.dlq("comletion");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains("comletion", "completion");
    }
}
