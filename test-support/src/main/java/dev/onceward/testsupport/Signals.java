package dev.onceward.testsupport;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** POSIX signals to processes that this JVM started; Java itself can send only SIGTERM and SIGKILL. */
final class Signals {

    private static final Path PROC = Path.of("/proc");

    private Signals() {}

    static void send(String signal, List<Long> pids) {
        List<String> command = new ArrayList<>(
                List.of("/bin/sh", "-c", "signal=$1; shift; kill -s \"$signal\" \"$@\"", "kill", signal));
        pids.forEach(pid -> command.add(Long.toString(pid)));
        try {
            Process kill = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            // Its exit code says nothing: one of several processes may have ended on its own meanwhile.
            if (!kill.waitFor(10, TimeUnit.SECONDS)) {
                throw new BackendException("Could not send SIG" + signal + " to " + pids + " within 10 s");
            }
        } catch (IOException e) {
            throw new BackendException("Could not send SIG" + signal + " to " + pids + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BackendException("Interrupted while sending SIG" + signal + " to " + pids, e);
        }
    }

    /** Stops a process. When this returns none of its threads runs any more; without {@code /proc} that may take a moment longer. */
    static void stop(long pid) {
        send("STOP", List.of(pid));
        if (Files.isDirectory(PROC.resolve(Long.toString(pid)))) {
            Await.until(() -> isStopped(pid), 10, () -> "process " + pid + " did not stop");
        }
    }

    /** True also of a process that has ended. */
    private static boolean isStopped(long pid) {
        try (Stream<Path> threads = Files.list(PROC.resolve(pid + "/task"))) {
            return threads.allMatch(Signals::isThreadStopped);
        } catch (NoSuchFileException e) {
            return true;
        } catch (IOException e) {
            throw new BackendException("Could not read the state of process " + pid + ": " + e.getMessage(), e);
        }
    }

    private static boolean isThreadStopped(Path thread) {
        try {
            String stat = Files.readString(thread.resolve("stat"));
            // The name before the state is free text in parentheses.
            char state = stat.charAt(stat.lastIndexOf(')') + 2);
            return state == 'T' || state == 't' || state == 'Z' || state == 'X';
        } catch (IOException e) {
            return true; // ended between the listing and the reading
        }
    }
}
