package dev.onceward.dlq.connect;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** Kafka or PostgreSQL cannot be reached, or does not let us in: exit code 3. */
public final class CannotConnectException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    /** The message names what was to be reached, why it failed and the options to look at. */
    public CannotConnectException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
