package dev.onceward.engine;

import dev.onceward.catalog.EventNames;
import dev.onceward.failure.Backoff;
import dev.onceward.failure.Throwables;
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

    /** So often without a group committed between, and it is an outage, whatever the probe says. */
    private static final int REPEATEDLY = 3;

    private final Machine.Monitor lock;
    private final Probe probe;
    private final Backoff backoff;

    private Cause cause = Cause.NONE;
    private @Nullable Thread prober;
    private boolean trial;
    private int failures;
    private int outages;
    /** Closed so often since a group last committed. */
    private int closings;

    private boolean announced;
    private boolean paused;
    private boolean leaseExpired;
    private boolean stopped;
    private String reason = "";

    Gate(Probe probe, Backoff backoff, Machine machine) {
        this.lock = machine.monitor();
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
                    lock.await();
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
            // The first probe comes at once. What passes the probe and closes the gate again all the same waits longer
            // each time, until a group commits.
            int waits = Math.max(failures, closings - 1);
            long left = waits == 0 ? 0 : backoff.next(waits).toNanos();
            while (left > 0 && !stopped) {
                left = lock.awaitNanos(left);
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
                if (failures++ == 0) {
                    outages++;
                }
                announce(failure);
            }
            return false;
        } finally {
            if (!trial) {
                prober = null;
                lock.signalAll();
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
                closings++;
                if (why == Cause.DEPENDENCY) {
                    failures++;
                    announce(symptom);
                } else if (closings >= REPEATEDLY) {
                    announce(symptom);
                }
            }
            lock.signalAll();
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
        if (closings < REPEATEDLY) {
            over();
        }
        lock.signalAll();
    }

    /** A group committed: everything is there. */
    void progress() {
        lock.lock();
        try {
            closings = 0;
            if (cause == Cause.NONE) {
                over();
            }
        } finally {
            lock.unlock();
        }
    }

    private void over() {
        if (announced) {
            announced = false;
            LOG.atWarn()
                    .addKeyValue(EventNames.KEY, EventNames.OUTAGE_END)
                    .log("The outage is over, consumption goes on");
        }
    }

    private void announce(Throwable symptom) {
        if (!announced) {
            announced = true;
            reason = Throwables.message(symptom);
            LOG.atWarn()
                    .addKeyValue(EventNames.KEY, EventNames.OUTAGE_BEGIN)
                    .addKeyValue("cause", cause)
                    .addKeyValue("error", Throwables.text(symptom))
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
            lock.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** What is to be compared later: see {@link #noOutageSince}. */
    Outages outages() {
        lock.lock();
        try {
            return new Outages(outages, failures > 0);
        } finally {
            lock.unlock();
        }
    }

    /** Whether no probe failed since, nor was failing then: a connection lost in between was its message's own doing. */
    boolean noOutageSince(Outages before) {
        return !before.underWay() && outages().equals(before);
    }

    /** Whether a lane may begin a transaction now. */
    boolean isOpen() {
        lock.lock();
        try {
            return cause == Cause.NONE && !paused && !leaseExpired && !stopped;
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

    /** Outages so far, and whether one is under way. */
    record Outages(int count, boolean underWay) {
        static final Outages NONE = new Outages(0, false);
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
