package dev.onceward.dlq.replay;

import org.jspecify.annotations.Nullable;

/**
 * A message that was sent and failed again.
 *
 * @param name of the record that first failed
 * @param messageId {@code null}: it has none that could be used
 * @param error of the new failure, with its class in short
 */
public record DeadAgain(String name, @Nullable String messageId, String error) {
    /** {@code payments/1/42 (payment-7): IllegalStateException: no such account}. */
    @Override
    public String toString() {
        return name + (messageId == null ? "" : " (" + messageId + ")") + ": " + error;
    }

    static DeadAgain of(String name, @Nullable String messageId, String errorClass, String errorMessage) {
        return new DeadAgain(
                name, messageId, errorClass.substring(errorClass.lastIndexOf('.') + 1) + ": " + errorMessage);
    }
}
