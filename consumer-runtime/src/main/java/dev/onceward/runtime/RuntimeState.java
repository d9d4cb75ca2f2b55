package dev.onceward.runtime;

/** Life of a runtime. */
public enum RuntimeState {
    /** Built, not started. */
    NEW,
    /** Checking database and topics, joining the group. */
    STARTING,
    /** Consuming. */
    RUNNING,
    /** Draining, committing, leaving the group. */
    STOPPING,
    /** Over, in order. */
    STOPPED,
    /** Over, because it could not go on safely; {@link Health#troubles} says why. */
    FAILED
}
