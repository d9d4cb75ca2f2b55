package dev.onceward.handler;

import java.io.Serial;

/** No retry can help: the message is dead-lettered at once with reason PERMANENT. */
public class PermanentException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    /** @param message what went wrong; stands in the dead letter or the log, so no personal data */
    public PermanentException(String message) {
        super(message);
    }

    /**
     * @param message what went wrong; stands in the dead letter or the log, so no personal data
     * @param cause what led to it
     */
    public PermanentException(String message, Throwable cause) {
        super(message, cause);
    }
}
