package dev.onceward.dlq.replay;

import dev.onceward.dlq.index.Letter;
import dev.onceward.message.PayloadHash;
import org.jspecify.annotations.Nullable;

/**
 * One letter that is to be sent with another payload; id, key and headers stay.
 *
 * @param letter as it was when the payload was edited
 * @param value the new payload; {@code null}: a tombstone
 * @param by who edited it
 */
@SuppressWarnings("ArrayRecordComponent") // edits are not compared
public record Edit(Letter letter, byte @Nullable [] value, String by) {
    /** Of the new payload, as the runtime will compute it. */
    public long hash() {
        return PayloadHash.of(value);
    }

    boolean isOf(Letter other) {
        return letter.consumer().equals(other.consumer()) && letter.record().equals(other.record());
    }
}
