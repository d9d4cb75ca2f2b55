package dev.onceward.dlq;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onceward.dlq.output.Console;
import dev.onceward.dlq.output.Secrets;
import dev.onceward.dlq.output.Terminal;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.StringReader;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** A command that runs while the test goes on. */
final class Background {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final FutureTask<Integer> run;
    private final Thread thread;

    Background(Map<String, String> environment, String... arguments) {
        Console console = new Console(
                new BufferedReader(new StringReader("")),
                new PrintStream(out, true, UTF_8),
                new PrintStream(err, true, UTF_8),
                environment,
                Terminal.NONE,
                new Secrets());
        run = new FutureTask<>(() -> DlqMain.commandLine(console).execute(arguments));
        thread = new Thread(run, "dlq-background");
        thread.start();
    }

    String out() {
        return out.toString(UTF_8);
    }

    String err() {
        return err.toString(UTF_8);
    }

    /** How many tables of ages it has printed. */
    int tables() {
        return out().split("CONSUMER", -1).length - 1;
    }

    /** Waits for its end, and gives the exit code. */
    int exitCode() throws ExecutionException, InterruptedException {
        return run.get();
    }

    /** Ends it as Ctrl-C would, if it heeds interrupts. */
    int stop() throws ExecutionException, InterruptedException {
        thread.interrupt();
        return run.get();
    }
}
