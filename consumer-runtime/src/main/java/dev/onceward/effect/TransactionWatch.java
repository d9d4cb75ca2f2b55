package dev.onceward.effect;

import dev.onceward.handler.FailureClass;
import dev.onceward.postgres.Database;
import java.sql.Connection;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * What one lane's transaction is doing and until when it may, so that a watchdog can end it from outside. The lane
 * thread moves it from phase to phase; whoever comes first, lane or watchdog, wins under the monitor. Only code of the
 * team (handler, deserialisers) is interrupted, and COMMIT is never cancelled: its connection is closed, and the claims
 * tell later what happened.
 */
public final class TransactionWatch {

    /** What the lane is doing. */
    public enum Phase {
        IDLE(false),
        DECODING(true),
        OPENING(false),
        HANDLER(true),
        SENDING(false),
        COMMITTING(false);

        private final boolean teamsCode;

        Phase(boolean teamsCode) {
            this.teamsCode = teamsCode;
        }

        /** Whether the team's code runs: it is interrupted when its time is over, and may ignore that. */
        public boolean isTeamsCode() {
            return teamsCode;
        }
    }

    private Phase phase = Phase.IDLE;
    private long deadlineNanos;
    private @Nullable Phase expiredIn;
    private @Nullable Connection connection;
    private int backendPid;
    private boolean givenUp;
    private @Nullable Thread thread;
    private OptionalInt member = OptionalInt.empty();
    private @Nullable Tampering tampering;

    /** A record is decoded, before any transaction; over with {@link #end}. */
    public synchronized void decoding(long deadline) {
        phase = Phase.DECODING;
        thread = Thread.currentThread();
        expiredIn = null;
        deadlineNanos = deadline;
    }

    synchronized void opening(Connection opened, long deadline) {
        phase = Phase.OPENING;
        connection = opened;
        tampering = null;
        thread = Thread.currentThread();
        backendPid = 0;
        expiredIn = null;
        deadlineNanos = deadline;
    }

    synchronized void backend(int pid) {
        backendPid = pid;
    }

    /** Enters a phase, unless the watchdog was faster. */
    synchronized boolean enter(Phase next, long deadline) {
        if (expiredIn != null) {
            return false;
        }
        phase = next;
        deadlineNanos = deadline;
        return true;
    }

    /** Enters a handler, unless the watchdog was faster. */
    synchronized boolean enterHandler(OptionalInt culprit, long deadline) {
        member = culprit;
        return enter(Phase.HANDLER, deadline);
    }

    /** What handlers may do to the transaction from now on is found out by this. */
    synchronized void handlersRun(Tampering guard) {
        tampering = guard;
    }

    /** How the group of a handler ends that does not come back, for the thread that goes on in place of its own. */
    public synchronized GroupOutcome stuckIn(Throwable error) {
        GroupOutcome failed = new GroupOutcome.Failed(member, error, FailureClass.TIME_LIMIT);
        return tampering == null ? failed : tampering.unanswered(failed);
    }

    /**
     * The transaction (or the decoding) is over. No interrupt outlives it: neither the watchdog's that came too late, nor
     * one that a handler (or a time limiter it uses) left behind.
     *
     * @return what it was doing when its time was over, if it was
     */
    public synchronized Optional<Phase> end() {
        phase = Phase.IDLE;
        connection = null;
        thread = null;
        if (!givenUp) {
            tampering = null;
        }
        boolean unused = Thread.interrupted();
        return Optional.ofNullable(expiredIn);
    }

    /**
     * Called by the watchdog: ends the transaction if its time is over.
     *
     * @return what to end, if this call ended the transaction
     */
    public synchronized Optional<Expired> expireIfOver(long nowNanos) {
        return nowNanos - deadlineNanos < 0 ? Optional.empty() : expire();
    }

    /**
     * Ends the transaction, if there is one, though its time is not over.
     *
     * @return what to end, if this call ended the transaction
     */
    public synchronized Optional<Expired> expire() {
        if (phase == Phase.IDLE || expiredIn != null) {
            return Optional.empty();
        }
        expiredIn = phase;
        if (phase.teamsCode && thread != null) {
            thread.interrupt();
        }
        return Optional.of(new Expired(phase, connection, phase == Phase.COMMITTING ? 0 : backendPid));
    }

    /** Whether a transaction is under way. */
    public synchronized boolean busy() {
        return phase != Phase.IDLE;
    }

    /** Whether the lane thread is still inside a transaction that was ended. */
    public synchronized boolean stuck() {
        return phase != Phase.IDLE && expiredIn != null;
    }

    /** Gives the lane thread up; false if it has come back in the meantime. */
    public synchronized boolean giveUp() {
        givenUp = stuck();
        return givenUp;
    }

    /** Whether the thread was given up: what it comes back with counts no more. */
    public synchronized boolean givenUp() {
        return givenUp;
    }

    /**
     * A transaction ended by the watchdog.
     *
     * @param phase what it was doing
     * @param connection to abort; {@code null}: there is none yet
     * @param backendPid the server process to end; 0: none
     */
    public record Expired(Phase phase, @Nullable Connection connection, int backendPid) {

        /** Ends the connection, if there is one; may block. */
        public void abort() {
            if (connection != null) {
                Database.abort(connection);
            }
        }
    }
}
