package dev.onceward.postgres;

/**
 * Proof of ownership of a partition: a transaction commits only if the partition's generation in the database is this
 * one, read under the shared lock of the fence key that a takeover takes exclusively.
 *
 * @param fenceKey small number of (consumer, topic, partition); second key of the advisory lock
 * @param generation this worker's own
 */
public record Fence(int fenceKey, long generation) implements Comparable<Fence> {

    /** By fence key: locks are always taken in this order, so that two transactions cannot wait for each other. */
    @Override
    public int compareTo(Fence other) {
        return Integer.compare(fenceKey, other.fenceKey);
    }
}
