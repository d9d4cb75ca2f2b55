package dev.onceward.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** A short write of the runtime's own (attempts, dead letters) that commits only under the worker's own generation. */
public final class FencedTransaction {
    private final Database database;
    private final Opening opening;
    private final Duration longestWait;

    public FencedTransaction(Database database, TransactionLimits limits) {
        this.database = database;
        this.opening = new Opening(database, limits);
        this.longestWait = limits.lock().multipliedBy(2); // the fence, and a row
    }

    /**
     * Runs {@code work} under the fence. Whatever it does must be safe to repeat: an unknown outcome of COMMIT is
     * thrown like any other failure, and the caller tries again.
     *
     * @return false if the worker is stale: nothing was written
     */
    public boolean run(Fence fence, Write work) throws SQLException {
        return database.bounded(longestWait, connection -> {
            Opened opened = opening.open(connection, List.of(fence));
            boolean own = opened.stale().isEmpty();
            if (own) {
                work.on(connection);
                connection.commit();
            } else {
                connection.rollback();
            }
            return own;
        });
    }

    /** What is written. */
    @FunctionalInterface
    public interface Write {
        void on(Connection connection) throws SQLException;
    }
}
