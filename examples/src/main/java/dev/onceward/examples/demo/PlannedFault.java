package dev.onceward.examples.demo;

/**
 * Something that will be broken.
 *
 * @param at which part of the good messages has taken effect when it strikes, 0 to 1
 * @param choice decides which worker it strikes, among those that then are in question
 */
record PlannedFault(Kind kind, double at, int choice) {

    /** What is broken. */
    enum Kind {
        /** A worker is ended with SIGKILL and started again. */
        KILL,
        /** A worker is stopped with SIGSTOP while a transaction is open, past its lease, and continued. */
        PAUSE,
        /** PostgreSQL is shut down and started again. */
        DB_RESTART
    }
}
