package dev.onceward.engine;

import dev.onceward.catalog.EventNames;
import dev.onceward.failure.Throwables;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The state of a worker and the only way to change it. Thread-safe. */
final class Lifecycle {
    private static final Logger LOG = LoggerFactory.getLogger(Lifecycle.class);

    private WorkerState state = WorkerState.NEW;
    private @Nullable String failure;

    synchronized WorkerState state() {
        return state;
    }

    synchronized boolean is(WorkerState wanted) {
        return state == wanted;
    }

    /** Why it failed, if it did. */
    synchronized Optional<String> failure() {
        return Optional.ofNullable(failure);
    }

    /** Goes on to a state; false if the present one does not allow that. */
    synchronized boolean to(WorkerState next) {
        if (!next.mayFollow(state)) {
            return false;
        }
        state = next;
        notifyAll();
        return true;
    }

    /** Goes to FAILED and keeps the first reason; false if it had ended before. */
    synchronized boolean fail(String why, Throwable cause) {
        if (!to(WorkerState.FAILED)) {
            return false;
        }
        failure = why + ": " + Throwables.text(cause);
        LOG.atError()
                .setCause(Throwables.loggable(cause))
                .addKeyValue(EventNames.KEY, EventNames.WORKER_FAILED)
                .log("The worker cannot go on safely and leaves its group: {}", why);
        return true;
    }

    synchronized boolean awaitEnd(long nanos) throws InterruptedException {
        long deadline = System.nanoTime() + nanos;
        while (state != WorkerState.STOPPED && state != WorkerState.FAILED) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            wait(left / 1_000_000 + 1);
        }
        return true;
    }
}
