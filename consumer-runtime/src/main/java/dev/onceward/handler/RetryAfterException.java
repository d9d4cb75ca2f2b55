package dev.onceward.handler;

import java.io.Serial;
import java.time.Duration;

/** The attempt failed and counts; the next one is not before the given delay, instead of the policy's backoff. */
public class RetryAfterException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final Duration delay;

    /**
     * @param delay 0 or more; at most one day
     * @param message what went wrong; stands in the dead letter or the log, so no personal data
     */
    public RetryAfterException(Duration delay, String message) {
        super(message);
        this.delay = checked(delay);
    }

    /**
     * @param delay 0 or more; at most one day
     * @param message what went wrong; stands in the dead letter or the log, so no personal data
     * @param cause what led to it
     */
    public RetryAfterException(Duration delay, String message, Throwable cause) {
        super(message, cause);
        this.delay = checked(delay);
    }

    /** How long to wait at least. */
    public Duration delay() {
        return delay;
    }

    private static Duration checked(Duration delay) {
        if (delay.isNegative() || delay.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException("the delay of a RetryAfterException is 0 to 1 day, not " + delay);
        }
        return delay;
    }
}
