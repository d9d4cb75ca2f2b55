package dev.onceward.effect;

import java.io.Serial;
import java.time.Duration;

/** A handler did not return within its time limit; its connection was aborted. */
final class HandlerTimeoutException extends Exception {
    @Serial
    private static final long serialVersionUID = 1L;

    HandlerTimeoutException(Duration limit, Throwable symptom) {
        super("the handler did not finish within " + limit.toMillis() + " ms (limits.handler)", symptom);
    }
}
