package dev.onceward.message;

import dev.onceward.catalog.DeadLetterReason;
import dev.onceward.handler.Message;
import org.jspecify.annotations.Nullable;

/** What became of a raw record. */
public sealed interface Decoded {

    /** A message for its handler. */
    record Ok(Message<?, ?> message) implements Decoded {}

    /**
     * This record can never be decoded.
     *
     * @param reason INVALID_ID or UNDECODABLE
     * @param error what the id extractor or the deserialiser threw
     * @param messageId {@code null} where it is the id that cannot be had
     */
    record Bad(
            DeadLetterReason reason,
            Throwable error,
            @Nullable String messageId) implements Decoded {}

    /**
     * The record is not to blame: something that decoding needs (a schema registry) does not answer. To be tried again
     * like any outage; counts for nothing.
     *
     * @param error what the id extractor or the deserialiser threw
     */
    record Unavailable(Throwable error) implements Decoded {}

    /**
     * It failed on an interrupt, and nobody knows whose fault that is: a time limiter around a registry's client, or a
     * decoder that interrupts itself on just this record. To be counted and tried again, so that it ends.
     *
     * @param error what the id extractor or the deserialiser threw
     */
    record Interrupted(Throwable error) implements Decoded {}
}
