package dev.onceward.deadletter;

import dev.onceward.catalog.DeadLetterReason;
import dev.onceward.message.Origin;
import dev.onceward.message.RecordIdentity;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The decision to give a record up: what the {@code dead_letters} table and the dead-letter topic say about it. The
 * three texts come from {@link ErrorText}, so that the database takes them.
 *
 * @param record the record given up
 * @param origin the record that first failed: another one only where the record is a replay
 * @param messageId {@code null} where it has none that can be used
 * @param reason why it was given up
 * @param errorClass class of the root cause
 * @param errorMessage message of the root cause
 * @param stacktrace may be empty
 * @param attempts counted attempts, 0 or more
 * @param firstFailedAt when the first attempt failed
 * @param failedAt when it was given up
 * @param workerId the worker that decided
 * @param generation generation of the record's partition under which it decided
 */
public record DeadLetter(
        RecordIdentity record,
        Origin origin,
        @Nullable String messageId,
        DeadLetterReason reason,
        String errorClass,
        String errorMessage,
        String stacktrace,
        int attempts,
        Instant firstFailedAt,
        Instant failedAt,
        String workerId,
        long generation) {

    boolean isReplay() {
        return !origin.coordinates().equals(record.coordinates());
    }

    DeadLetter withReason(DeadLetterReason other) {
        return new DeadLetter(
                record,
                origin,
                messageId,
                other,
                errorClass,
                errorMessage,
                stacktrace,
                attempts,
                firstFailedAt,
                failedAt,
                workerId,
                generation);
    }
}
