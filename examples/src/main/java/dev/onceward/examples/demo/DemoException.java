package dev.onceward.examples.demo;

import java.io.Serial;

/** The demo itself could not go on, which says nothing about the guarantees. */
final class DemoException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    DemoException(String message) {
        super(message);
    }

    DemoException(String message, Throwable cause) {
        super(message, cause);
    }
}
