package dev.onceward.handler;

import java.io.Serial;

/**
 * Thrown by a {@link BatchHandler} to say which message failed, so that the others need not be tried one by one. The
 * cause decides how the failure is classified.
 */
public class MessageFailedException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final transient Message<?, ?> failed;

    /**
     * @param failed one of the messages the batch handler was given
     * @param cause why it failed
     */
    public MessageFailedException(Message<?, ?> failed, Throwable cause) {
        super(failed + " failed", cause);
        this.failed = failed;
    }

    /** The message that failed. */
    public Message<?, ?> failedMessage() {
        return failed;
    }
}
