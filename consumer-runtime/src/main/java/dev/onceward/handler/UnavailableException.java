package dev.onceward.handler;

import java.io.Serial;

/** Something the handler depends on is down. Treated like an outage of the database: consumption stands still, one message probes with jittered delays, nothing is counted and nothing dead-lettered. */
public class UnavailableException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    /** @param message what went wrong; stands in the dead letter or the log, so no personal data */
    public UnavailableException(String message) {
        super(message);
    }

    /**
     * @param message what went wrong; stands in the dead letter or the log, so no personal data
     * @param cause what led to it
     */
    public UnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
