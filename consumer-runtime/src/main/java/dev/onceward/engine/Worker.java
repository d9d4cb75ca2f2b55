package dev.onceward.engine;

/** What a lane tells the rest of its worker. Every method may be called from any thread and returns at once. */
interface Worker {

    /** The worker cannot go on safely: it commits nothing more, leaves the group, and says why. */
    void fail(String why, Throwable cause);

    /** A transaction found that the partition has a newer generation. */
    void fenced(OwnedPartition partition);

    /** A message that ran under suspicion is finished or gone: the next may run. */
    void suspectFinished(Delivery delivery);
}
