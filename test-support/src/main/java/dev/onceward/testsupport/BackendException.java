package dev.onceward.testsupport;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** A server or process of the test environment could not be started, reached or controlled; the message says what to do. */
public final class BackendException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** For this package and tests that add servers of their own. */
    public BackendException(String message) {
        super(message);
    }

    /** For this package and tests that add servers of their own. */
    public BackendException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
