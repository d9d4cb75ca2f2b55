package dev.onceward.dlq.index;

import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.handler.Coordinates;
import dev.onceward.message.Origin;
import dev.onceward.message.RecordIdentity;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A dead letter: what is known of the latest failure of one message.
 *
 * @param consumer whose it is
 * @param record the record that failed last; its coordinates, with the topic's id, are the key of the row
 * @param origin the record that first failed: the same one, unless the last one is a replay
 * @param messageId {@code null} where it had none that could be used
 * @param key the record's key
 * @param status as it is: RESOLVED if the message took effect after all, whatever the row says
 * @param stored as the row says
 * @param copy the copy in the dead-letter topic that counts; {@code null} where there is none
 * @param failure what went wrong
 * @param history what became of it since
 */
@SuppressWarnings("ArrayRecordComponent") // letters are not compared
public record Letter(
        String consumer,
        RecordIdentity record,
        Origin origin,
        @Nullable String messageId,
        byte @Nullable [] key,
        DeadLetterStatus status,
        DeadLetterStatus stored,
        @Nullable Coordinates copy,
        Failure failure,
        History history) {

    /** Stands for the id of a topic that nobody knows, as in letters that only a dead-letter topic tells; no topic has it. */
    public static final UUID UNKNOWN_TOPIC_ID = new UUID(0, 0);

    /** As people name it: {@code topic/partition/offset} of the record that first failed. */
    public String name() {
        Coordinates first = origin.coordinates();
        return first.topic() + "/" + first.partition() + "/" + first.offset();
    }

    /** The same without its data, and with the time at which they were removed. */
    public Letter erased(Instant at) {
        History erased = new History(
                history.deadAt,
                history.replays,
                history.replayedAt,
                history.resolvedAt,
                history.discardedAt,
                history.discardedBy,
                history.discardReason,
                history.editedAt,
                history.editedBy,
                history.editedPayloadHash,
                history.assertedBy,
                at);
        return new Letter(consumer, record, origin, messageId, null, status, stored, copy, failure, erased);
    }

    /**
     * What went wrong.
     *
     * @param reason a {@link dev.onceward.catalog.DeadLetterReason}, or one of a later version
     * @param errorClass class of the root cause
     * @param errorMessage message of the root cause
     * @param attempts counted attempts
     * @param firstFailedAt first counted failure
     * @param failedAt last failure
     * @param workerId the worker that gave up
     * @param generation under which it gave up
     */
    public record Failure(
            String reason,
            String errorClass,
            String errorMessage,
            int attempts,
            Instant firstFailedAt,
            Instant failedAt,
            String workerId,
            long generation) {

        /**
         * Whether this is known at all. A record that was nearly too large does not tell it in the dead-letter topic:
         * then texts are empty, numbers 0, and the instants those of its publication.
         */
        public boolean isTold() {
            return !reason.isEmpty();
        }
    }

    /**
     * What became of it since; what never happened is {@code null}.
     *
     * @param deadAt the dead-letter topic's acknowledgement was recorded
     * @param replays how often it was sent again
     * @param replayedAt when it was last sent again
     * @param resolvedAt the row was marked resolved
     * @param discardedAt when it was last discarded; it may have been restored since
     * @param discardedBy who did
     * @param discardReason why
     * @param editedAt when an edited payload was sent
     * @param editedBy who edited it
     * @param editedPayloadHash hash of the edited payload
     * @param assertedBy who asserted that it had never been processed
     * @param erasedAt when its data were removed
     */
    public record History(
            @Nullable Instant deadAt,
            int replays,
            @Nullable Instant replayedAt,
            @Nullable Instant resolvedAt,
            @Nullable Instant discardedAt,
            @Nullable String discardedBy,
            @Nullable String discardReason,
            @Nullable Instant editedAt,
            @Nullable String editedBy,
            @Nullable Long editedPayloadHash,
            @Nullable String assertedBy,
            @Nullable Instant erasedAt) {}
}
