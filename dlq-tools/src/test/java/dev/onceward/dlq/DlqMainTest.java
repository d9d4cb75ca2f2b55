package dev.onceward.dlq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.dlq.output.Console;
import dev.onceward.dlq.output.Secrets;
import dev.onceward.dlq.output.Terminal;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    @ParameterizedTest
    @ValueSource(
            strings = {"--password hunter2secret", "--password=hunter2secret", "-phunter2secret", "-W hunter2secret"})
    void F42_aPasswordOnTheCommandLineIsNotRepeated(String option) {
        List<String> arguments = new ArrayList<>(List.of("list"));
        arguments.addAll(List.of(option.split(" ", 2)));

        Runs.Run run = Runs.dlq(arguments.toArray(String[]::new));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("there is no option -", "PGPASSWORD").doesNotContain("hunter2");
    }

    @Test
    void F42_tellsWhatWasCalledIfAskedToWithoutThePassword() {
        String[] failing = {"stats", "--db-url", "postgresql://127.0.0.1:1/x"};

        assertThat(Runs.dlq(failing).err()).hasLineCount(1);
        assertThat(Runs.dlq(
                                Map.of("PGPASSWORD", "hunter2secret"),
                                Terminal.NONE,
                                "",
                                Stream.of(failing, new String[] {"--verbose"})
                                        .flatMap(Stream::of)
                                        .toArray(String[]::new))
                        .err())
                .contains("CannotConnectException", "Caused by: org.postgresql", "\tat dev.onceward")
                .doesNotContain("hunter2");
    }

    @Test
    void whatDoesNotReachItsReaderIsNotDone() {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        OutputStream full = new OutputStream() {
            @Override
            public void write(int written) throws IOException {
                throw new IOException("No space left on device");
            }
        };
        Console console = new Console(
                new BufferedReader(new StringReader("")),
                new PrintStream(full, true, UTF_8),
                new PrintStream(err, true, UTF_8),
                Map.of(),
                Terminal.NONE,
                new Secrets());

        assertThat(DlqMain.commandLine(console).execute("completion")).isEqualTo(1);
        assertThat(err.toString(UTF_8)).contains("standard output takes no more");
    }
}
