package dev.onceward.handler;

import java.io.Serial;

/** The record carries a message id that cannot be used (twice, not UTF-8, blank, too long). */
public class InvalidMessageIdException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    /** @param message what is wrong with the id and where it was found; not the whole id */
    public InvalidMessageIdException(String message) {
        super(message);
    }
}
