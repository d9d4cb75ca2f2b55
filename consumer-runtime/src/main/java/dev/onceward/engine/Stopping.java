package dev.onceward.engine;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Steps of an end: one that fails must not keep the next from being done. */
final class Stopping {
    private static final Logger LOG = LoggerFactory.getLogger(Stopping.class);

    private Stopping() {}

    /** A step that waits; an interrupt shortens the wait and is passed on, the next steps are done all the same. */
    static void uninterrupted(Waiting step) {
        boolean interrupted = Thread.interrupted();
        try {
            step.run();
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** A wait with a bound. */
    @FunctionalInterface
    interface Waiting {
        void run() throws InterruptedException;
    }

    static void quietly(String what, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            LOG.atInfo().setCause(e).log("Failed while stopping: {}", what);
        }
    }
}
