package dev.onceward.testsupport.proxy;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** An action that strikes once, whichever connection comes first. */
final class Moment<T> {

    private final Action action;
    private final CompletableFuture<T> struck = new CompletableFuture<>();
    private final AtomicBoolean taken = new AtomicBoolean();

    Moment(Action action) {
        this.action = action;
    }

    CompletableFuture<T> struck() {
        return struck;
    }

    /** True for one caller, which must then {@link #strike}. */
    boolean take() {
        return !struck.isDone() && taken.compareAndSet(false, true);
    }

    void strike(Connection connection, T result) throws IOException {
        try {
            action.at(connection);
        } catch (Exception | AssertionError e) {
            struck.completeExceptionally(e);
            throw new IOException("an action failed", e);
        }
        struck.complete(result);
        if (connection.isCut()) {
            throw new IOException("cut by an action");
        }
    }

    boolean isOver() {
        return struck.isDone();
    }

    void cancel() {
        struck.cancel(false);
    }
}
