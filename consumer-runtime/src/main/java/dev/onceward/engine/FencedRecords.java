package dev.onceward.engine;

import dev.onceward.deadletter.DeadLetter;
import dev.onceward.effect.Member;
import dev.onceward.handler.Coordinates;
import dev.onceward.message.RecordIdentity;
import dev.onceward.postgres.Fence;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is written about single records, besides their effects. Each call is a transaction that commits only under the
 * generation of the fence: {@code false} or empty says that the worker is stale and nothing was written. All are safe to
 * repeat: an unknown outcome of COMMIT is thrown like any other failure.
 */
interface FencedRecords {

    /** Writes that so many attempts have failed, and that the next is not before the delay. */
    boolean countAttempts(
            Fence fence, RecordIdentity record, @Nullable String messageId, int attempts, Duration delay, String error)
            throws SQLException;

    /** Takes back an attempt that was written before its run and turned out not to count. */
    boolean takeBackAttempt(Fence fence, RecordIdentity record, int attempts) throws SQLException;

    /** Writes that the record is given up; returns the letter as recorded. */
    Optional<DeadLetter> decide(Fence fence, DeadLetter letter, byte @Nullable [] key) throws SQLException;

    /** Writes that the broker has acknowledged the copy at these coordinates. */
    boolean confirm(Fence fence, DeadLetter letter, Coordinates copy) throws SQLException;

    /** Takes back the claim of a message without an effect. */
    boolean unclaim(Fence fence, Member member) throws SQLException;

    /** Writes nothing: whether it could. */
    boolean isOwn(Fence fence) throws SQLException;
}
