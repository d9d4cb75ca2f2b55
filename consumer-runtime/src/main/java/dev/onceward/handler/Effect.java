package dev.onceward.handler;

import java.sql.Connection;
import java.time.Instant;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * The transaction a handler writes its effect through. The claim of the message is in the same transaction: both commit
 * or neither.
 *
 * <p>Commit, rollback, close, auto-commit, {@code unwrap} and transaction-control SQL are refused with an
 * {@link IllegalStateException} or {@link java.sql.SQLException}; savepoints are allowed, and
 * end with the handler's call. Valid only while the handler runs and only on its thread.
 */
public interface Effect {

    /**
     * Declares an update. It is not run now but sent together with those of the whole group, in exactly the order
     * declared, before the next use of {@link #handle()} or {@link #connection()} and before COMMIT. If it fails, the
     * message that declared it has failed.
     *
     * @param sql one statement with {@code ?} placeholders; no transaction control
     * @param arguments values for the placeholders, as for {@link java.sql.PreparedStatement#setObject}; also
     *     {@link Instant}, {@link java.util.UUID}, enums (by name)
     */
    void update(String sql, @Nullable Object... arguments);

    /**
     * As {@link #update}, and the message fails unless exactly {@code rows} rows were touched.
     *
     * @param rows number of rows expected, 0 or more
     */
    void updateExpecting(int rows, String sql, @Nullable Object... arguments);

    /**
     * The JDBI handle of this transaction. {@code handle.inTransaction} joins it; callbacks given to
     * {@code handle.afterCommit} and {@code afterRollback} are never called.
     */
    Handle handle();

    /** The plain JDBC connection of this transaction. */
    Connection connection();

    /**
     * When the handler's time limit ends, by this machine's clock. A handler still running then is interrupted, its
     * connection aborted, and the attempt counted as failed.
     */
    Instant deadline();
}
