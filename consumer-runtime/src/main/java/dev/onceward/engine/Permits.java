package dev.onceward.engine;

import java.util.HashSet;
import java.util.Set;

/**
 * The permissions to work that a lane has of the partitions in its hand, until the end of its turn: while it has one, a
 * revoke of that partition waits. Under the lane's lock only.
 */
final class Permits {
    private final Set<OwnedPartition> held = new HashSet<>();

    /** Whether work on the partition may begin in this turn. */
    boolean get(OwnedPartition partition) {
        if (held.contains(partition)) {
            return partition.in(PartitionState.RUNNING);
        }
        return partition.beginWork() && held.add(partition);
    }

    /** The turn is over. */
    void end() {
        held.forEach(OwnedPartition::endWork);
        held.clear();
    }
}
