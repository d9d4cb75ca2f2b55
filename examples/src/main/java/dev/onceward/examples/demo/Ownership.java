package dev.onceward.examples.demo;

/** A row of {@code partition_generations}: who owns a partition of the topic. */
record Ownership(int partition, int fenceKey, long generation, String workerId, boolean released) {

    boolean ownedBy(String id) {
        return !released && workerId.equals(id);
    }
}
