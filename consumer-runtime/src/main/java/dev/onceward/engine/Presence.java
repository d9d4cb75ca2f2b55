package dev.onceward.engine;

import dev.onceward.postgres.Fence;
import dev.onceward.postgres.WorkerTable;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Set;

/** This worker as the others see it in the database. Heartbeat thread only. */
interface Presence {

    /**
     * Says that the worker lives, and stores the watermarks that moved.
     *
     * @param owned all that it takes for its own
     */
    Beat beat(Set<Fence> owned, Collection<WorkerTable.Watermark> moved) throws SQLException;

    /** Takes the worker's row away. */
    void end() throws SQLException;

    /** Gives up whatever a failed call may have left behind; the next one begins anew. */
    void drop();

    /**
     * What a heartbeat found.
     *
     * @param stale those that are not the worker's any more
     * @param stored fence keys of the watermarks that could be stored now
     */
    record Beat(Set<Fence> stale, Set<Integer> stored) {}
}
