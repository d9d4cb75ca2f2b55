package dev.onceward.examples.demo;

import java.sql.SQLException;
import java.time.Duration;

/** Waiting for what nobody announces: the state of other processes, as the database shows it. */
final class Poll {

    private static final long PAUSE_MILLIS = 100;

    private Poll() {}

    /** A question to the database. */
    @FunctionalInterface
    interface Condition {
        boolean holds() throws SQLException;
    }

    /**
     * Whether the condition came to hold in the given time. A database that does not answer is one where it does not hold:
     * it may be restarting.
     */
    static boolean until(Duration atMost, Condition condition) throws InterruptedException {
        long deadline = System.nanoTime() + atMost.toNanos();
        do {
            if (holds(condition)) {
                return true;
            }
            Thread.sleep(PAUSE_MILLIS);
        } while (System.nanoTime() - deadline < 0);
        return holds(condition);
    }

    private static boolean holds(Condition condition) {
        try {
            return condition.holds();
        } catch (SQLException e) {
            return false;
        }
    }
}
