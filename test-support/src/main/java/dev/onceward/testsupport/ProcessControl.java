package dev.onceward.testsupport;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A Java program in a process of its own, which a test can kill and freeze: a worker that dies or hangs as a whole, as on
 * a machine of its own.
 *
 * <pre>{@code
 * try (ProcessControl worker = ProcessControl.java(WorkerMain.class)
 *         .arguments("--consumer", "billing")
 *         .onOutput(line -> events.add(line))
 *         .start()) {
 *     worker.freeze();
 *     ...
 *     worker.resume();
 * }
 * }</pre>
 *
 * <p>The process ends with this JVM, also when this JVM is killed, and also while it is frozen. Works on Linux and other
 * POSIX systems. Thread-safe.
 */
public final class ProcessControl implements AutoCloseable {

    private static final int OUTPUT_SECONDS = 10;

    private final GuardedProcess process;
    private final List<CompletableFuture<Void>> outputs;
    private final CompletableFuture<Void> cleanup;

    ProcessControl(GuardedProcess process, List<CompletableFuture<Void>> outputs, CompletableFuture<Void> cleanup) {
        this.process = process;
        this.outputs = outputs;
        this.cleanup = cleanup;
    }

    /** Describes a process that runs the main method of a class with this JVM's class path. */
    public static JavaProcess java(Class<?> main) {
        return new JavaProcess(main);
    }

    /** The system's number for the process. */
    public long pid() {
        return process.pid();
    }

    /** Whether the process exists; a frozen one does. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** Ends the process, and whatever it has started, with SIGKILL, and waits until it is gone. No effect on an ended one. */
    public void kill9() {
        process.kill();
    }

    /** Asks it to end with SIGTERM, on which a JVM runs its shutdown hooks, and does not wait for that. */
    public void terminate() {
        process.terminate();
    }

    /** Holds it with SIGSTOP. When this returns, none of its threads runs any more; its connections stay open. */
    public void freeze() {
        Signals.stop(pid());
    }

    /** Lets a frozen process go on (SIGCONT). No effect on one that is not frozen. */
    public void resume() {
        if (isAlive()) {
            Signals.send("CONT", List.of(pid()));
        }
    }

    /** The exit code, once it has ended; 128 + n after signal n, so 137 after {@link #kill9()}. */
    public CompletableFuture<Integer> exitCode() {
        return process.exitCode().copy();
    }

    /**
     * Waits for its end, and until its last line was handed to the listeners.
     *
     * @return the exit code
     * @throws BackendException if it still runs after the given time
     */
    public int awaitExit(Duration atMost) {
        try {
            int exitCode = process.exitCode().get(atMost.toNanos(), TimeUnit.NANOSECONDS);
            CompletableFuture.allOf(outputs.toArray(CompletableFuture[]::new)).get(OUTPUT_SECONDS, TimeUnit.SECONDS);
            return exitCode;
        } catch (TimeoutException e) {
            throw new BackendException("Process " + pid() + " did not end within " + atMost, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BackendException("Interrupted while waiting for the end of process " + pid(), e);
        } catch (ExecutionException e) {
            throw new BackendException("The output of process " + pid() + " could not be read", e.getCause());
        }
    }

    /** Kills it if it still runs. */
    @Override
    public void close() {
        kill9();
        cleanup.join();
    }
}
