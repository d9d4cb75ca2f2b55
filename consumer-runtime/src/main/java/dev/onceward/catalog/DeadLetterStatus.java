package dev.onceward.catalog;

/** State of a dead letter; the names stand in the database and are public API. */
public enum DeadLetterStatus {
    /** Given up, not yet acknowledged by the dead-letter topic. */
    PENDING,
    /** In the dead-letter topic, at the coordinates named. */
    DEAD,
    /** Sent to the replay topic. */
    REPLAYED,
    /** The message took effect after all. Final. */
    RESOLVED,
    /** An operator decided that it shall not be processed. */
    DISCARDED
}
