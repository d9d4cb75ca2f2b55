package dev.onceward.engine;

import java.util.EnumSet;
import java.util.Set;

/** Life of a worker; each state names those it may follow. */
public enum WorkerState {
    /** Built, not started. */
    NEW(0),
    /** Checking database and topics, joining the group. */
    STARTING(1),
    /** Consuming. */
    RUNNING(2),
    /** Draining, committing, leaving the group. */
    STOPPING(3),
    /** Over, in order. */
    STOPPED(4),
    /** Over, because it could not go on safely. */
    FAILED(5);

    private final int number;

    WorkerState(int number) {
        this.number = number;
    }

    /** How it stands in the meter of the state; never changes. */
    int number() {
        return number;
    }

    /** Whether a worker may go from {@code before} to this state. */
    public boolean mayFollow(WorkerState before) {
        Set<WorkerState> predecessors = switch (this) {
            case NEW -> EnumSet.noneOf(WorkerState.class);
            case STARTING -> EnumSet.of(NEW);
            case RUNNING -> EnumSet.of(STARTING);
            case STOPPING -> EnumSet.of(STARTING, RUNNING);
            case STOPPED -> EnumSet.of(NEW, STOPPING);
            case FAILED -> EnumSet.of(STARTING, RUNNING, STOPPING);
        };
        return predecessors.contains(before);
    }
}
