package dev.onceward.dlq.exit;

import java.io.Serial;

/** What was asked for would be wrong to do: exit code {@link ExitCodes#REFUSED}. Nothing was changed. */
public final class RefusedException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    /** The message says why, and what to do instead. */
    public RefusedException(String message) {
        super(message);
    }
}
