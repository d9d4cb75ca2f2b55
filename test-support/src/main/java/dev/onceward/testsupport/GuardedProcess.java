package dev.onceward.testsupport;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A child process that does not outlive this JVM, however either of them dies.
 *
 * <p>A watchdog reads a pipe that only this JVM writes to. When the JVM ends, also by SIGKILL, the system closes the pipe
 * and the watchdog ends the child. Neither a shutdown hook (not run at SIGKILL) nor a thread inside the child (not run
 * while the child is stopped) could do that; the kernel's parent-death signal is tied to the thread that forked, which in
 * Java may end at any time.
 */
final class GuardedProcess {

    /**
     * Arguments: signals for the child, directory to remove or "", command. The shell becomes the child (exec), so its own
     * pid is the child's; the watchdog is forked twice, because a server must not meet a child that it did not start.
     * Java closes the pipe also when it has seen the child end: then the directory is Java's matter.
     */
    private static final String SCRIPT = """
            signals=$1 directory=$2; shift 2
            exec 3<&0 </dev/null
            ( (
              trap '' HUP INT QUIT TERM
              exec >/dev/null 2>&1
              read -r nothing <&3
              if kill -s 0 $$; then
                for signal in $signals; do
                  kill -s "$signal" $$; kill -s CONT $$
                  i=0; while [ $i -lt 50 ] && kill -s 0 $$; do sleep 0.2; i=$((i + 1)); done
                done
              elif kill -s 0 $PPID; then
                exit 0
              fi
              [ -z "$directory" ] || rm -rf -- "$directory"
            ) & )
            exec 3<&-
            exec "$@"
            """;

    /** Holds what the pipe hangs on: were the process object collected, the watchdog would take this JVM for dead. */
    private static final Set<GuardedProcess> RUNNING = ConcurrentHashMap.newKeySet();

    private final Process process;
    private final CompletableFuture<Integer> exitCode;

    private GuardedProcess(Process process) {
        this.process = process;
        RUNNING.add(this);
        exitCode = process.onExit().thenApply(ended -> {
            RUNNING.remove(this);
            return ended.exitValue();
        });
    }

    /**
     * @param command the program and its arguments
     * @param signals what the watchdog sends when this JVM is gone, each ten seconds after the one before if need be
     * @param directory what the watchdog removes after that
     */
    static GuardedProcess start(
            List<String> command, List<String> signals, Path directory, Consumer<ProcessBuilder> customizer) {
        List<String> guarded = new ArrayList<>(
                List.of("/bin/sh", "-c", SCRIPT, "onceward-watchdog", String.join(" ", signals), directory.toString()));
        guarded.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(guarded);
        customizer.accept(builder);
        try {
            return new GuardedProcess(builder.start());
        } catch (IOException e) {
            throw new BackendException("Could not start " + command.get(0) + ": " + e.getMessage(), e);
        }
    }

    /** Does nothing but have its directory removed when this JVM is gone. */
    static GuardedProcess cleaner(Path directory) {
        return start(List.of("sleep", "2147483647"), List.of("KILL"), directory, builder -> {});
    }

    Process process() {
        return process;
    }

    long pid() {
        return process.pid();
    }

    CompletableFuture<Integer> exitCode() {
        return exitCode;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Ends the process and everything that it started, at once: nothing of it gets to run again. */
    void kill() {
        if (!isAlive()) {
            return;
        }
        Signals.stop(pid()); // from here on it starts no process that the list would miss
        List<ProcessHandle> descendants = process.descendants().toList();
        process.toHandle().destroyForcibly();
        descendants.forEach(ProcessHandle::destroyForcibly);
        awaitExit(10);
        for (ProcessHandle descendant : descendants) {
            Await.until(() -> !descendant.isAlive(), 10, () -> "process " + descendant.pid() + " survived SIGKILL");
        }
    }

    void terminate() {
        // Process.destroy() would also close the pipe, and with that let the watchdog loose.
        process.toHandle().destroy();
    }

    void awaitExit(long seconds) {
        try {
            if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
                throw new BackendException("Process " + pid() + " did not end within " + seconds + " s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BackendException("Interrupted while process " + pid() + " was ending", e);
        }
    }
}
