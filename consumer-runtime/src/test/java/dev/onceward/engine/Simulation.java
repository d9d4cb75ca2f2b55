package dev.onceward.engine;

import dev.onceward.engine.Choices.Of;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Time, and the order in which threads go on. One thread runs at a time; at each point where a real one could be overtaken,
 * it may be, by the {@link Choices}. Time passes when no thread can go on.
 */
final class Simulation {
    static final long NEVER = Long.MAX_VALUE;
    private static final int MOST_STEPS = 400_000;
    private static final int TRACED = 400;
    /** A point is passed without a pause, but once in so often. */
    private static final int PREEMPTED_ONE_IN = 12;

    final Choices choices;
    private final List<SimThread> threads = new ArrayList<>();
    private final List<SimThread> living = new ArrayList<>();
    private final List<SimThread> runnable = new ArrayList<>();
    private final PriorityQueue<Timer> timers =
            new PriorityQueue<>(Comparator.comparingLong(Timer::at).thenComparingLong(Timer::number));
    private final CountDownLatch end = new CountDownLatch(1);
    private final Deque<String> trace = new ArrayDeque<>();
    private final boolean tracing;
    private long timersMade;
    private long now = 1_000_000_000L;
    private long steps;
    private long hash;
    private @Nullable String failure;
    /** Nothing out of the ordinary happens any more. */
    boolean calm;

    volatile @Nullable SimThread current;
    volatile boolean over;

    Simulation(Choices choices, boolean tracing) {
        this.choices = choices;
        this.tracing = tracing;
    }

    // ---- from outside ----

    /** Runs until the first thread has ended, or something failed; returns what. */
    @Nullable
    String run(Runnable first) {
        SimThread thread = thread(null, "world", () -> {
            first.run();
            finish();
        });
        current = thread;
        thread.start();
        try {
            end.await();
            for (SimThread each : threads) {
                TimeUnit.SECONDS.timedJoin(each, 10);
                if (each.isAlive()) {
                    throw new IllegalStateException(each + " does not end");
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return failure;
    }

    long hash() {
        return hash;
    }

    long steps() {
        return steps;
    }

    List<String> trace() {
        return List.copyOf(trace);
    }

    // ---- for the model ----

    long now() {
        return now;
    }

    SimThread thread(@Nullable SimWorker worker, String name, Runnable task) {
        SimThread thread = new SimThread(this, worker, name, task, threads.size());
        threads.add(thread);
        return thread;
    }

    void started(SimThread thread) {
        living.add(thread);
    }

    /** Does something to the model at a time. */
    void at(long time, Runnable what) {
        timers.add(new Timer(time, timersMade++, what));
    }

    /** What happened, for whoever reads how it came to a failure. */
    void tell(Supplier<String> what) {
        if (tracing) {
            if (trace.size() == TRACED) {
                trace.removeFirst();
            }
            SimThread thread = current;
            trace.addLast(
                    String.format("%9.3f %-22s %s", now / 1e9, thread == null ? "" : thread.getName(), what.get()));
        }
    }

    /** Whether something goes wrong now, as it does once in so often. */
    boolean fault(int oneIn) {
        return !calm && choices.oneIn(Of.FAULT, oneIn);
    }

    /** The run has failed. */
    void fail(String why) {
        failQuietly(why);
        throw new SimOver();
    }

    void failQuietly(String why) {
        if (!over) {
            tell(() -> "FAILED: " + why);
            failure = why;
            finish();
        }
    }

    private void finish() {
        over = true;
        threads.forEach(LockSupport::unpark);
        end.countDown();
    }

    // ---- for threads ----

    /** The running thread may be overtaken here. */
    void point(String where) {
        SimThread me = running();
        step(me, where);
        if (choices.oneIn(Of.THREAD, PREEMPTED_ONE_IN)) {
            if (!calm && choices.oneIn(Of.THREAD, 8)) {
                me.frozenUntil = now + (1L << choices.upTo(Of.THREAD, 12)) * 1_000_000;
            }
            me.ready = null;
            giveOn(me);
        }
    }

    /** Waits for something; false if the time is over. What is waited for holds when it returns true. */
    boolean await(String where, BooleanSupplier ready, long deadline) {
        try {
            return await(where, ready, deadline, false);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    boolean await(String where, BooleanSupplier ready, long deadline, boolean interruptible)
            throws InterruptedException {
        SimThread me = running();
        step(me, where);
        me.putInterruptAside();
        me.ready = ready;
        me.deadline = deadline;
        me.interruptible = interruptible;
        if (!me.wokenUp() && deadline > now) {
            giveOn(me);
        }
        me.ready = null;
        if (interruptible && me.interrupted) {
            me.interrupted = false;
            throw new InterruptedException();
        }
        boolean held = ready.getAsBoolean();
        me.bringInterruptBack();
        return held;
    }

    /** A while in which the thread does nothing. */
    void pass(String where, long nanos) {
        await(where, () -> false, now + nanos);
    }

    private SimThread running() {
        if (over) {
            throw new SimOver();
        }
        SimThread me = current;
        if (me != Thread.currentThread()) {
            throw new IllegalStateException(Thread.currentThread() + " runs without the baton");
        }
        return me;
    }

    private void step(SimThread me, String where) {
        hash = hash * 1_000_003 + me.number * 31L + where.hashCode();
        if (++steps > MOST_STEPS) {
            fail("no end after " + MOST_STEPS + " steps");
        }
    }

    private void giveOn(SimThread me) {
        SimThread next = next();
        if (next != me) {
            me.putInterruptAside();
            current = next;
            LockSupport.unpark(next);
            me.awaitBaton();
            if (!me.interruptible || me.ready == null) {
                me.bringInterruptBack();
            }
        }
    }

    void ended() {
        if (!over) {
            try {
                SimThread next = next();
                current = next;
                LockSupport.unpark(next);
            } catch (SimOver e) {
                // nobody is left
            }
        }
    }

    private SimThread next() {
        while (true) {
            for (Timer timer = timers.peek(); timer != null && timer.at() <= now; timer = timers.peek()) {
                timers.poll();
                timer.what().run();
            }
            living.removeIf(SimThread::dead);
            runnable.clear();
            long earliest = timers.isEmpty() ? NEVER : timers.peek().at();
            for (SimThread thread : living) {
                boolean woken = thread.wokenUp();
                long at = woken ? thread.thawed() : Math.max(thread.deadline, thread.thawed());
                if (at <= now) {
                    runnable.add(thread);
                } else {
                    earliest = Math.min(earliest, at);
                }
            }
            if (!runnable.isEmpty()) {
                return runnable.get(choices.upTo(Of.THREAD, runnable.size()));
            }
            if (earliest == NEVER) {
                fail("nobody can go on: " + living);
            }
            now = earliest;
        }
    }

    private record Timer(long at, long number, Runnable what) {}
}
