package dev.onceward.dlq.exit;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C and SIGTERM: the command finishes what it has begun, and only then the process ends. Thread-safe.
 */
public final class Stop implements AutoCloseable {
    /** Longer than the acknowledgement of what is under way may take. */
    private static final long PATIENCE_SECONDS = 90;

    private final CountDownLatch finished = new CountDownLatch(1);
    private final Thread hook = new Thread(this::onShutdown, "dlq-stop");
    private volatile boolean requested;

    private Stop() {}

    /** Listens from now on until it is closed. */
    public static Stop listening() {
        Stop stop = new Stop();
        try {
            Runtime.getRuntime().addShutdownHook(stop.hook);
        } catch (IllegalStateException e) {
            stop.requested = true; // just before
        }
        return stop;
    }

    /** Nobody stops it but {@link #request}. */
    public static Stop silent() {
        return new Stop();
    }

    /** Whether to stop. */
    public boolean requested() {
        return requested;
    }

    /** Asks to stop, as a signal would. */
    public void request() {
        requested = true;
    }

    /** All is finished: the process may end. */
    @Override
    public void close() {
        finished.countDown();
        if (!requested) {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                requested = true; // just now
            }
        }
    }

    private void onShutdown() {
        requested = true;
        try {
            if (finished.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                // The main thread cannot end the process while it is ending, and the signal's own code would be 130.
                Runtime.getRuntime().halt(ExitCodes.SOME_FAILED);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
