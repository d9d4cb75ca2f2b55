package dev.onceward.dlq.erase;

import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.handler.Coordinates;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One row of a message that is to be erased: of its first failure, or of a replay that failed again.
 *
 * @param record coordinates of the record that failed
 * @param topicId Kafka's id of its topic; with the coordinates, and the consumer, the key of the row
 * @param status as the row says
 * @param key the record's key; {@code null}: none, or erased
 * @param copy the copy in the dead-letter topic; {@code null}: none
 * @param deadAt when the copy was acknowledged
 * @param erased whether it is erased already
 */
@SuppressWarnings("ArrayRecordComponent") // rows are compared by their records and copies
public record ErasableRow(
        Coordinates record,
        UUID topicId,
        DeadLetterStatus status,
        byte @Nullable [] key,
        @Nullable Coordinates copy,
        @Nullable Instant deadAt,
        boolean erased) {}
