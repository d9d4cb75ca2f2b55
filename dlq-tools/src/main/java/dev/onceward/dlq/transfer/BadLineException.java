package dev.onceward.dlq.transfer;

import java.io.Serial;

/** A line that is not what it should be; the message says what is wrong with it. */
final class BadLineException extends Exception {
    @Serial
    private static final long serialVersionUID = 1L;

    BadLineException(String message) {
        super(message);
    }
}
