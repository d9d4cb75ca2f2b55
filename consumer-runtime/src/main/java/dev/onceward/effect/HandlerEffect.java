package dev.onceward.effect;

import dev.onceward.failure.SqlStates;
import dev.onceward.handler.Effect;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.BitSet;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the handlers of one group write through: one connection, one transaction, one queue of declared updates.
 *
 * <p>All methods are called by the lane's thread, {@link #close()} by any.
 */
public final class HandlerEffect implements Effect, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HandlerEffect.class);

    private final Connection connection;
    private final Jdbi jdbi;
    private final Guard guard;
    private final DeclaredUpdates updates = new DeclaredUpdates();
    /** Whether a declared text holds a word like "commit", as in synchronous_commit. */
    private boolean doubtful;

    private int member;
    private Instant deadline = Instant.MAX;
    private @Nullable Handle handle;
    private final BitSet ownSql = new BitSet();

    /**
     * @param connection in a transaction of its own, auto-commit off
     * @param jdbi made by {@link #newJdbi()}, with the team's settings
     */
    public HandlerEffect(Connection connection, Jdbi jdbi) {
        this.connection = connection;
        this.jdbi = jdbi;
        this.guard = new Guard(connection, this::flushBeforeSql);
    }

    /**
     * A Jdbi whose handles join the transaction of the handler that runs on the calling thread. Made once, so that a team's
     * plugins, mappers and settings are set up once.
     */
    public static Jdbi newJdbi() {
        return JoinedHandles.newJdbi();
    }

    /**
     * A member's turn begins: what is declared from now on is its own. The calling thread becomes the only one that may use
     * the effect.
     *
     * @param member its index in the group, from 0
     * @param deadline when its time limit ends
     */
    public void begin(int member, Instant deadline) {
        closeHandle();
        guard.begin();
        JoinedHandles.join(guard);
        this.member = member;
        this.deadline = deadline;
    }

    /**
     * The member's handler has returned, and the transaction goes on: its savepoints end, so that no other member can roll
     * back to them.
     */
    void endTurn() throws SQLException {
        guard.endTurn();
    }

    /**
     * Sends what is declared. After a failure it throws the same exception each time.
     *
     * @throws DeclaredUpdateException an update failed, or touched another number of rows than expected
     */
    public void flush() throws DeclaredUpdateException {
        updates.flush(connection);
    }

    /** Whether a handler asked for {@link #handle()} or {@link #connection()}: then it may have done anything. */
    public boolean usedOwnSql() {
        return !ownSql.isEmpty();
    }

    /** The member whose turn it is, or was last. */
    int presentMember() {
        return member;
    }

    /** Whether the server must be asked before COMMIT if all is still as it must be. */
    boolean mustBeChecked() {
        return usedOwnSql() || doubtful;
    }

    /** The last member that did; -1: none. Nobody else can have ended the transaction later than it. */
    int lastWithOwnSql() {
        return ownSql.length() - 1;
    }

    /** Members whose updates are declared and not sent, but for those who did something by themselves too. */
    Set<Integer> onlyDeclared() {
        Set<Integer> members = updates.membersWaiting();
        members.removeIf(ownSql::get);
        return members;
    }

    /** Whether the present member ran a text that could, if it was misread, have ended the transaction. */
    public boolean mayHaveEndedTransaction() {
        return guard.doubtful();
    }

    /**
     * The error that the last failing statement of the present member's own ended in: what a handler swallowed that left
     * the transaction failed. Empty if none failed.
     */
    public Optional<SQLException> ownSqlError() {
        return Optional.ofNullable(guard.lastError());
    }

    /**
     * The declared update that failed. It may have been sent during another member's turn, who met the failure in a
     * statement of its own: so this is asked before a member is blamed.
     */
    public Optional<DeclaredUpdateException> failedUpdate() {
        return updates.failure();
    }

    /** Everything that the handlers were given and kept throws from now on. Does nothing the second time. */
    @Override
    public void close() {
        closeHandle();
        guard.end();
        JoinedHandles.leave(guard);
    }

    @Override
    public void update(String sql, @Nullable Object... arguments) {
        declare(DeclaredUpdate.ANY, sql, arguments);
    }

    @Override
    public void updateExpecting(int rows, String sql, @Nullable Object... arguments) {
        if (rows < 0) {
            throw new IllegalArgumentException("the number of rows expected is 0 or more, not " + rows);
        }
        declare(rows, sql, arguments);
    }

    private void declare(int rows, String sql, @Nullable Object @Nullable [] arguments) {
        guard.check("update()");
        doubtful |= SqlText.of(sql).doubtful();
        // update(sql, null) hands over no array at all, where one null was meant.
        updates.declare(member, sql, rows, arguments == null ? new @Nullable Object[1] : arguments);
        if (updates.many()) {
            sendEarly();
        }
    }

    private void sendEarly() {
        try {
            flush();
        } catch (DeclaredUpdateException e) {
            // Remembered: the member that declared it is blamed as soon as the handler returns or reads.
            LOG.atDebug().setCause(e).log("An update sent early failed");
        }
    }

    @Override
    public Handle handle() {
        guard.check("handle()");
        ownSql.set(member);
        Handle open = handle;
        if (open == null || open.isClosed()) {
            open = JoinedHandles.open(jdbi, guard);
            handle = open;
        }
        return open;
    }

    @Override
    public Connection connection() {
        guard.check("connection()");
        ownSql.set(member);
        return guard.connection();
    }

    @Override
    public Instant deadline() {
        guard.check("deadline()");
        return deadline;
    }

    private void flushBeforeSql() throws SQLException {
        ownSql.set(member);
        try {
            flush();
        } catch (DeclaredUpdateException e) {
            throw new SQLException(e.getMessage(), SqlStates.find(e).orElse(null), e);
        }
    }

    private void closeHandle() {
        Handle open = handle;
        handle = null;
        // A handle of a handler that is still running on another thread cannot be closed here; it is refused
        // everything.
        if (open != null && guard.isTurnOfCaller()) {
            try {
                open.close();
            } catch (JdbiException e) {
                // Statements that do not close: the connection is broken, which the next use of it or COMMIT will tell.
                LOG.atDebug().setCause(e).log("A handle did not close");
            }
        }
    }
}
