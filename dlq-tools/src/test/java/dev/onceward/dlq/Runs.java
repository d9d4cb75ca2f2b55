package dev.onceward.dlq;

import dev.onceward.dlq.output.Console;
import dev.onceward.dlq.output.Secrets;
import dev.onceward.dlq.output.Terminal;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Runs the command inside this JVM. */
final class Runs {
    private Runs() {}

    /** What a run left behind. */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    record Run(int exitCode, byte[] bytes, String err) {
        String out() {
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }

    static Run dlq(String... arguments) {
        return dlq(Map.of(), Terminal.NONE, "", arguments);
    }

    static Run dlq(Map<String, String> environment, Terminal terminal, String input, String... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Console console = new Console(
                new BufferedReader(new StringReader(input)),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                environment,
                terminal,
                new Secrets());
        int exitCode = DlqMain.commandLine(console).execute(arguments);
        return new Run(exitCode, out.toByteArray(), err.toString(StandardCharsets.UTF_8));
    }
}
