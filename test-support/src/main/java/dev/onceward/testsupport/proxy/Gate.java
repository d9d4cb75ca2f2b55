package dev.onceward.testsupport.proxy;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/** Whether, and how late, the bytes of one direction of one connection pass. */
final class Gate {

    enum Mode {
        PASS,
        DROP,
        STALL
    }

    private Mode mode;
    private volatile long delayNanos;
    private boolean lossy;

    Gate(Mode mode, long delayNanos) {
        this.mode = mode;
        this.delayNanos = delayNanos;
    }

    synchronized void set(Mode newMode) {
        mode = newMode;
        notifyAll();
    }

    void delay(long nanos) {
        delayNanos = nanos;
    }

    /** Whether bytes are missing in what the receiver has. */
    synchronized boolean isLossy() {
        return lossy;
    }

    /** Waits until bytes read at the given time are due. */
    void awaitDue(long readAt) throws InterruptedException {
        for (long left = readAt + delayNanos - System.nanoTime();
                left > 0;
                left = readAt + delayNanos - System.nanoTime()) {
            LockSupport.parkNanos(left);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
    }

    /**
     * Waits while the direction is stalled.
     *
     * @return whether to forward; if not, the bytes count as lost
     * @throws IOException if bytes were lost before, so that these cannot follow
     */
    synchronized boolean pass() throws InterruptedException, IOException {
        while (mode == Mode.STALL) {
            wait();
        }
        if (mode == Mode.DROP) {
            lossy = true;
            return false;
        }
        if (lossy) {
            throw new IOException("bytes before these were dropped");
        }
        return true;
    }
}
