package dev.onceward.effect;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;

/**
 * The updates that the members of a group declared and that are not sent yet. They are sent in exactly the order
 * declared. Not thread-safe, but for {@link #membersWaiting}.
 */
final class DeclaredUpdates {

    private static final int MANY = 10_000;

    /** Sent after the turn of its member, a savepoint would reach into those of the others. */
    private static final Set<String> SAVEPOINTS = Set.of("savepoint", "rollback", "release");

    private final List<DeclaredUpdate> waiting = new ArrayList<>();
    // Also asked by the thread that goes on where a handler does not come back.
    private final Set<Integer> membersWaiting = ConcurrentHashMap.newKeySet();
    private @Nullable DeclaredUpdateException failure;

    /**
     * Declares an update. Does nothing after a failure: nothing will be sent any more.
     *
     * @throws IllegalArgumentException if the text or the arguments cannot be right
     */
    void declare(int member, String sql, int expectedRows, @Nullable Object[] arguments) {
        SqlText text = checked(sql);
        if (text.placeholders() != arguments.length) {
            throw new IllegalArgumentException("the update has " + text.placeholders() + " placeholder(s), but "
                    + arguments.length + " argument(s) are given: " + sql);
        }
        if (failure != null) {
            return;
        }
        membersWaiting.add(member);
        waiting.add(new DeclaredUpdate(member, text, Arguments.kept(arguments), expectedRows));
    }

    private static SqlText checked(String sql) {
        SqlText text = SqlText.of(sql);
        if (text.control() != null) {
            throw new IllegalArgumentException(Refusal.ofControl(text.control(), sql));
        }
        if (SAVEPOINTS.contains(text.firstWord())) {
            throw new IllegalArgumentException(Refusal.ofDeclaredSavepoint(sql));
        }
        if (text.statements() != 1) {
            throw new IllegalArgumentException(
                    "an update is one statement, not " + text.statements() + "; declare each by itself: " + sql);
        }
        // It would swallow the statements behind it.
        if (!text.terminated() || !SqlText.of(text.sent()).sent().equals(text.sent())) {
            throw new IllegalArgumentException("a quote, a comment or an escape of JDBC does not end in: " + sql);
        }
        return text;
    }

    /** Whether so many wait that they should be sent, rather than fill the memory. */
    boolean many() {
        return waiting.size() >= MANY;
    }

    /** Sends what is declared. After a failure it fails again each time: the transaction is lost. */
    void flush(Connection connection) throws DeclaredUpdateException {
        if (failure != null) {
            throw failure;
        }
        if (waiting.isEmpty()) {
            return;
        }
        List<DeclaredUpdate> due = List.copyOf(waiting);
        waiting.clear();
        membersWaiting.clear();
        try {
            for (Chunk chunk : SendPlan.of(due, rewritesInserts(connection))) {
                chunk.send(connection);
            }
        } catch (DeclaredUpdateException e) {
            failure = e;
            throw e;
        }
    }

    /** Only the driver knows ({@code reWriteBatchedInserts} of pgjdbc); where it cannot be asked it might. */
    private static boolean rewritesInserts(Connection connection) throws DeclaredUpdateException {
        try {
            return !connection.isWrapperFor(BaseConnection.class)
                    || connection
                            .unwrap(BaseConnection.class)
                            .getQueryExecutor()
                            .isReWriteBatchedInsertsEnabled();
        } catch (SQLException e) {
            throw new DeclaredUpdateException(OptionalInt.empty(), e);
        }
    }

    /** The members whose updates wait to be sent. */
    Set<Integer> membersWaiting() {
        return new HashSet<>(membersWaiting);
    }

    /** What the first failed flush ended in. */
    Optional<DeclaredUpdateException> failure() {
        return Optional.ofNullable(failure);
    }
}
