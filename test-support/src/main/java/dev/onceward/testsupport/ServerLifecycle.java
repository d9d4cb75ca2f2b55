package dev.onceward.testsupport;

import java.util.Set;

/** What a child server may go through. Not thread-safe: the server's own lock guards it. */
final class ServerLifecycle {

    enum State {
        RUNNING,
        FROZEN,
        STOPPED,
        CLOSED;

        private Set<State> predecessors() {
            return switch (this) {
                case RUNNING -> Set.of(FROZEN, STOPPED);
                case FROZEN -> Set.of(RUNNING);
                case STOPPED -> Set.of(RUNNING, FROZEN);
                case CLOSED -> Set.of(RUNNING, FROZEN, STOPPED);
            };
        }
    }

    private final String server;
    private State state = State.RUNNING;

    ServerLifecycle(String server) {
        this.server = server;
    }

    void to(State next) {
        if (!next.predecessors().contains(state)) {
            throw new IllegalStateException(server + " is " + state + " and cannot become " + next);
        }
        state = next;
    }

    void require(State wanted) {
        if (state != wanted) {
            throw new IllegalStateException(
                    server + " is " + state + ", and only when " + wanted + " can this be done");
        }
    }

    boolean is(State asked) {
        return state == asked;
    }

    boolean isUp() {
        return state == State.RUNNING || state == State.FROZEN;
    }
}
