package dev.onceward.dlq.replay;

import dev.onceward.dlq.index.Letter;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** With which payload letters are sent: their own, or another one. For one thread. */
public interface PayloadSource extends AutoCloseable {
    /** Every letter's own. */
    static PayloadSource original() {
        return new OriginalPayloads();
    }

    /** Whether this letter is meant at all; a name may also be the message id of another one. */
    boolean isFor(Letter letter);

    /** Why it may not be sent with this payload; {@code null}: it may. */
    @Nullable
    String refusal(Letter letter, Eligibility eligibility);

    /**
     * The payload; {@code null}: a tombstone.
     *
     * @param original that of the letter
     */
    byte @Nullable [] payload(byte @Nullable [] original);

    /**
     * Called before the letter is handed to the producer, perhaps more than once if it is tried again.
     *
     * @return why it must not be sent after all; {@code null}: it may be
     */
    @Nullable
    String beforeSend(Letter letter) throws SQLException;

    /** The producer itself has refused it: nothing was sent, for certain. */
    void notSent(Letter letter) throws SQLException;

    /** Nothing more is sent, and what was sent is marked. May be called twice. */
    @Override
    void close() throws SQLException;
}
