package dev.onceward.testsupport;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Bounded waiting for something that nobody announces: another process's file, port or state. */
final class Await {

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private Await() {}

    static void until(BooleanSupplier condition, long seconds, Supplier<String> failure) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (!condition.getAsBoolean()) {
            if (Thread.currentThread().isInterrupted()) {
                throw new BackendException("Interrupted while waiting; " + failure.get());
            }
            if (System.nanoTime() - deadline > 0) {
                throw new BackendException("Waited " + seconds + " s; " + failure.get());
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }
}
