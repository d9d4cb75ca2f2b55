package dev.onceward.engine;

/** What a lane or the heartbeat tells the rest of its worker. Every method may be called from any thread and returns at once. */
interface Worker {

    /** The worker cannot go on safely: it commits nothing more, leaves the group, and says why. */
    void fail(String why, Throwable cause);

    /** A transaction wrote nothing, since the partition has a newer generation. */
    void refused(OwnedPartition partition);

    /** A partition that was this worker's a moment ago has a newer generation. */
    void seenStale(OwnedPartition partition);

    /** A message that ran under suspicion is finished or gone: the next may run. */
    void suspectFinished(Delivery delivery);
}
