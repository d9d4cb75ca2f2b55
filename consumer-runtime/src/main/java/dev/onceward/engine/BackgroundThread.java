package dev.onceward.engine;

import dev.onceward.catalog.EventNames;
import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One daemon thread for tasks now, later, and again and again, in the order in which they are due. A task that throws is
 * logged and, if it is a repeated one, repeated all the same; an {@link Error} ends the worker, since a thread that
 * silently does nothing would be worse. The thread is made for the first task.
 */
final class BackgroundThread implements Executor {
    private static final Logger LOG = LoggerFactory.getLogger(BackgroundThread.class);

    private final String name;
    private final Worker worker;
    private final Machine machine;
    private final Machine.Monitor monitor;
    private final long beginning;
    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.comparingLong(Task::dueNanos).thenComparingLong(Task::number));
    private long added;
    private @Nullable Thread thread;
    private boolean stopped;

    BackgroundThread(String name, Worker worker, Machine machine) {
        this.name = name;
        this.worker = worker;
        this.machine = machine;
        this.monitor = machine.monitor();
        this.beginning = machine.nanoTime();
    }

    @Override
    public void execute(Runnable task) {
        later(Duration.ZERO, task);
    }

    /** Runs a task after a delay, unless the thread was stopped. */
    void later(Duration delay, Runnable task) {
        add(delay, task, null);
    }

    /** Runs a task again and again, with this pause between. */
    void every(Duration pause, Runnable task) {
        add(Duration.ZERO, task, pause);
    }

    /** Runs a task, and waits for its end; false if it did not come within the patience, or the thread was stopped. */
    boolean runWithin(Duration patience, Runnable task) throws InterruptedException {
        Done done = new Done();
        boolean accepted = add(
                Duration.ZERO,
                () -> {
                    try {
                        task.run();
                    } finally {
                        done.set();
                    }
                },
                null);
        return accepted && done.await(patience.toNanos());
    }

    private boolean add(Duration delay, Runnable task, @Nullable Duration pause) {
        monitor.lock();
        try {
            if (stopped) {
                LOG.debug("{}: not run, the worker is stopping", name);
                return false;
            }
            tasks.add(new Task(sinceBeginning() + delay.toNanos(), added++, task, pause));
            if (thread == null) {
                thread = machine.thread(name, this::run);
                thread.start();
            }
            monitor.signalAll();
            return true;
        } finally {
            monitor.unlock();
        }
    }

    /** From 0 on, so that due times can be compared as numbers. */
    private long sinceBeginning() {
        return machine.nanoTime() - beginning;
    }

    // ---- the thread ----

    private void run() {
        for (Task task = next(); task != null; task = next()) {
            if (guarded(task.what()) && task.pause() != null) {
                add(task.pause(), task.what(), task.pause());
            }
        }
    }

    /** Waits for the next task that is due; {@code null}: there will be none. */
    private @Nullable Task next() {
        monitor.lock();
        try {
            while (!stopped) {
                Task first = tasks.peek();
                try {
                    if (first == null) {
                        monitor.await();
                    } else if (first.dueNanos() > sinceBeginning()) {
                        monitor.awaitNanos(first.dueNanos() - sinceBeginning());
                    } else {
                        return tasks.poll();
                    }
                } catch (InterruptedException e) {
                    LOG.trace("{}: the interrupt was meant for a task that had ended", name);
                }
            }
            return null;
        } finally {
            monitor.unlock();
        }
    }

    /** Whether it may be run again. */
    private boolean guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            LOG.atError()
                    .setCause(e)
                    .addKeyValue(EventNames.KEY, EventNames.BACKGROUND_TASK_FAILED)
                    .log("A background task failed");
        } catch (Error e) {
            worker.fail("a background task ended with an error", e);
            return false;
        }
        return true;
    }

    // ---- its end ----

    /** Tasks that run may end, those that wait are dropped. */
    void stop() {
        end(false);
    }

    /** Interrupts what runs. */
    void stopNow() {
        end(true);
    }

    private void end(boolean interrupting) {
        monitor.lock();
        try {
            stopped = true;
            tasks.clear();
            monitor.signalAll();
            if (interrupting && thread != null) {
                thread.interrupt();
            }
        } finally {
            monitor.unlock();
        }
    }

    /** After a stop: waits for the task that is under way; false if it still is. */
    boolean awaitEnd(long nanos) throws InterruptedException {
        Thread started;
        monitor.lock();
        try {
            started = thread;
        } finally {
            monitor.unlock();
        }
        return started == null || machine.join(started, nanos);
    }

    private record Task(
            long dueNanos,
            long number,
            Runnable what,
            @Nullable Duration pause) {}

    /** Whether something is done. */
    private final class Done {
        private final Machine.Monitor changed = machine.monitor();
        private boolean done;

        void set() {
            changed.lock();
            try {
                done = true;
                changed.signalAll();
            } finally {
                changed.unlock();
            }
        }

        boolean await(long nanos) throws InterruptedException {
            changed.lockInterruptibly();
            try {
                long left = nanos;
                while (!done && left > 0) {
                    left = changed.awaitNanos(left);
                }
                return done;
            } finally {
                changed.unlock();
            }
        }
    }
}
