package dev.onceward.engine;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Time and threads of the machine that a worker runs on. Whatever its own threads wait for or measure goes through here, so
 * that a simulation can decide which of them goes on and when time passes; a lock that is only ever held for a moment need
 * not. Thread-safe.
 */
interface Machine {

    /** Elapsed time, as {@link System#nanoTime}. */
    long nanoTime();

    /** A lock of its own, with one condition. */
    Monitor monitor();

    /** A daemon thread, not started. */
    Thread thread(String name, Runnable task);

    /** Waits for the end of a thread that was started; tells whether it has ended. */
    boolean join(Thread thread, long nanos) throws InterruptedException;

    /** Whether a thread that was started has not ended. */
    boolean isAlive(Thread thread);

    /** Waits a moment; an interrupt ends that and stays. */
    void pause(long nanos);

    /** A reentrant lock and its only condition, as of {@link java.util.concurrent.locks}. */
    interface Monitor {
        void lock();

        void lockInterruptibly() throws InterruptedException;

        void unlock();

        /** Under the lock: waits to be signalled, without it. */
        void await() throws InterruptedException;

        /** As {@link #await}, at most so long; returns what is left of it, 0 or less: nothing. */
        long awaitNanos(long nanos) throws InterruptedException;

        /** Under the lock: wakes all that wait. */
        void signalAll();

        /** Does something under the lock. */
        default void locked(Runnable change) {
            lock();
            try {
                change.run();
            } finally {
                unlock();
            }
        }

        /** Answers a question under the lock. */
        default <T extends @Nullable Object> T underLock(Supplier<T> question) {
            lock();
            try {
                return question.get();
            } finally {
                unlock();
            }
        }
    }
}
