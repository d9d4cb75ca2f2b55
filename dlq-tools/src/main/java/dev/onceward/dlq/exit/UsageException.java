package dev.onceward.dlq.exit;

import java.io.Serial;

/** What was asked for makes no sense, or something is missing: exit code {@link ExitCodes#USAGE}. */
public final class UsageException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    /** The message names the option and says what to do. */
    public UsageException(String message) {
        super(message);
    }
}
