package dev.onceward.dlq.connect;

import java.sql.SQLException;

/**
 * Statements that change many rows at once may meet a worker that resolves several rows of one message: one of the two is
 * told to try again.
 */
public final class Deadlocks {
    private static final int TRIES = 5;

    private Deadlocks() {}

    /** The statement's answer; it must be a transaction of its own. */
    public static <T> T retried(Statement<T> statement) throws SQLException {
        for (int attempt = 1; ; attempt++) {
            try {
                return statement.run();
            } catch (SQLException e) {
                boolean again = "40P01".equals(e.getSQLState()) || "40001".equals(e.getSQLState());
                if (!again || attempt == TRIES) {
                    throw e;
                }
            }
        }
    }

    /** Runs it once. */
    @FunctionalInterface
    public interface Statement<T> {
        T run() throws SQLException;
    }
}
