package dev.onceward.handler;

/** What kind of failure an attempt ended in; decides what happens next. */
public enum FailureClass {
    /** A deadlock, a serialisation failure or a lock not had in time: the whole transaction again, not counted. */
    CONTENTION,
    /** The database, the broker or a dependency is not there: consumption stands still and resumes, not counted. */
    INFRASTRUCTURE,
    /** The handler's time limit passed: counted, tried again. */
    TIME_LIMIT,
    /** Any other failure of the handler: counted, tried again with backoff. */
    TRANSIENT,
    /** No retry can help: dead-lettered at once. */
    PERMANENT,
    /** The JVM itself is broken: the worker stops without committing anything. */
    FATAL
}
