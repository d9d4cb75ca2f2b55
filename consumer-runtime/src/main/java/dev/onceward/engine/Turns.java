package dev.onceward.engine;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Lanes work side by side; a suspect works alone. Its attempt is counted before it runs, so nothing else that could end
 * the worker may run in the meantime, of whatever partition: else the innocent one would have counted. A turn belongs to
 * a lane and not to its thread, since a thread may be replaced in the middle. Thread-safe.
 */
final class Turns {
    private final Machine.Monitor lock;
    private final Set<Lane> working = new HashSet<>();
    /** Works alone, or waits for that: nobody begins in the meantime, so that it comes to its turn. */
    private @Nullable Lane alone;

    Turns(Machine machine) {
        this.lock = machine.monitor();
    }

    /** Waits until the lane may work. */
    void begin(Lane lane, boolean wantsToBeAlone) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (alone != null) {
                lock.await();
            }
            if (wantsToBeAlone) {
                alone = lane;
                awaitOthers(lane);
            }
            working.add(lane);
        } finally {
            lock.unlock();
        }
    }

    private void awaitOthers(Lane lane) throws InterruptedException {
        try {
            while (!working.isEmpty()) {
                lock.await();
            }
        } catch (InterruptedException e) {
            end(lane);
            throw e;
        }
    }

    /** The lane is done with what it took, or will not come back to it; idempotent. */
    void end(Lane lane) {
        lock.lock();
        try {
            working.remove(lane);
            if (alone == lane) {
                alone = null;
            }
            lock.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
