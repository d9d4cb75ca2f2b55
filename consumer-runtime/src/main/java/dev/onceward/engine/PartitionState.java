package dev.onceward.engine;

import java.util.Set;

/** Life of a partition from assignment to its end; each state names those it may follow. */
enum PartitionState {
    /** Assigned; where to begin is being found out. */
    POSITIONING,
    /** Fetching; no record has come yet, so nothing is taken over. */
    WAITING,
    /** At least one record waits; its generation is being raised. */
    TAKING_OVER,
    /** Owned under a fence: records run. */
    RUNNING,
    /** Revoked: what runs may finish, nothing new begins. */
    DRAINING,
    /** Over: every result of it is ignored. */
    ENDED;

    boolean mayFollow(PartitionState before) {
        return switch (this) {
            case POSITIONING -> false;
            case WAITING -> before == POSITIONING;
            case TAKING_OVER -> before == WAITING;
            case RUNNING -> before == TAKING_OVER;
            case DRAINING -> Set.of(POSITIONING, WAITING, TAKING_OVER, RUNNING).contains(before);
            case ENDED -> before != ENDED;
        };
    }
}
