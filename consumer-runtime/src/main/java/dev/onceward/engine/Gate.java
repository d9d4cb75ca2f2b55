package dev.onceward.engine;

import dev.onceward.catalog.EventNames;
import dev.onceward.failure.Backoff;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where all lanes stand still while the database (or something a handler depends on) is not there, while the heartbeat
 * is late, and while the runtime is paused. One lane probes, with jittered delays; the others wait for it.
 *
 * <p>A lost connection alone is not an outage: the first probe follows at once, and if it succeeds nobody notices.
 */
final class Gate {
    private static final Logger LOG = LoggerFactory.getLogger(Gate.class);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Probe probe;
    private final Backoff backoff;

    private Cause cause = Cause.NONE;
    private @Nullable Thread prober;
    private boolean trial;
    private int failures;
    private int outages;
    private boolean announced;
    private boolean paused;
    private boolean leaseExpired;
    private boolean stopped;
    private String reason = "";

    Gate(Probe probe, Backoff backoff) {
        this.probe = probe;
        this.backoff = backoff;
    }

    /** Waits until this lane may run something, if need be by probing itself. */
    Pass pass() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (true) {
                if (stopped) {
                    return Pass.STOPPED;
                }
                if (paused || leaseExpired || (cause != Cause.NONE && prober != null)) {
                    changed.await();
                } else if (cause == Cause.NONE) {
                    return Pass.OPEN;
                } else if (probeOnce()) {
                    return Pass.TRIAL;
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Probes as the one lane that does; true if the probe is to run a message. */
    private boolean probeOnce() throws InterruptedException {
        prober = Thread.currentThread();
        try {
            long left = failures == 0 ? 0 : backoff.next(failures).toNanos();
            while (left > 0 && !stopped) {
                left = changed.awaitNanos(left);
            }
            if (stopped) {
                return false;
            }
            if (cause == Cause.DEPENDENCY) {
                trial = true;
                return true;
            }
            lock.unlock();
            @Nullable Exception failure;
            try {
                failure = ask();
            } finally {
                lock.lock();
            }
            if (failure == null) {
                open();
            } else {
                failures++;
                announce(failure);
            }
            return false;
        } finally {
            if (!trial) {
                prober = null;
                changed.signalAll();
            }
        }
    }

    private @Nullable Exception ask() {
        try {
            probe.ask();
            return null;
        } catch (Exception e) { // whatever it throws, the database did not answer
            return e;
        }
    }

    /** Something is not there; nothing runs until a probe succeeds. */
    void close(Cause why, Throwable symptom) {
        lock.lock();
        try {
            boolean failedTrial = trial && prober == Thread.currentThread();
            if (failedTrial) {
                trial = false;
                prober = null;
            }
            if (cause == Cause.NONE || failedTrial) {
                cause = why;
                if (why == Cause.DEPENDENCY) {
                    failures++;
                    announce(symptom);
                }
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** The trial's message ran (or there was none): whatever became of it, it was not unavailable. */
    void trialOver() {
        lock.lock();
        try {
            if (trial && prober == Thread.currentThread()) {
                trial = false;
                prober = null;
                open();
            }
        } finally {
            lock.unlock();
        }
    }

    /** A lane's thread was given up in the middle of its trial: another lane probes. */
    void givenUp(Thread thread) {
        change(() -> {
            if (prober == thread) {
                trial = false;
                prober = null;
            }
        });
    }

    private void open() {
        cause = Cause.NONE;
        failures = 0;
        if (announced) {
            announced = false;
            LOG.atWarn()
                    .addKeyValue(EventNames.KEY, EventNames.OUTAGE_END)
                    .log("The outage is over, consumption goes on");
        }
        changed.signalAll();
    }

    private void announce(Throwable symptom) {
        if (!announced) {
            announced = true;
            outages++;
            reason = String.valueOf(symptom.getMessage());
            LOG.atWarn()
                    .addKeyValue(EventNames.KEY, EventNames.OUTAGE_BEGIN)
                    .addKeyValue("cause", cause)
                    .addKeyValue("error", symptom.toString())
                    .log("Consumption stands still; nothing is counted, nothing dead-lettered");
        }
    }

    void pause(boolean wanted) {
        change(() -> paused = wanted);
    }

    void leaseExpired(boolean expired) {
        change(() -> leaseExpired = expired);
    }

    void stop() {
        change(() -> stopped = true);
    }

    private void change(Runnable what) {
        lock.lock();
        try {
            what.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** How many outages there were: a lost connection with none of them was the message's own doing. */
    int outages() {
        lock.lock();
        try {
            return outages;
        } finally {
            lock.unlock();
        }
    }

    /** What is not there at the moment; empty if everything is. */
    String outage() {
        lock.lock();
        try {
            return announced ? reason : "";
        } finally {
            lock.unlock();
        }
    }

    boolean isPaused() {
        lock.lock();
        try {
            return paused;
        } finally {
            lock.unlock();
        }
    }

    /** What may be missing. */
    enum Cause {
        NONE,
        DATABASE,
        DEPENDENCY
    }

    /** What a lane may do. */
    enum Pass {
        OPEN,
        /** Run one message alone, then say {@link #trialOver}. */
        TRIAL,
        STOPPED
    }

    /** Asks the database whether it is there. */
    @FunctionalInterface
    interface Probe {
        void ask() throws Exception;
    }
}
