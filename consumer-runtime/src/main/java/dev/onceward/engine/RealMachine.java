package dev.onceward.engine;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** The machine that the process runs on. */
final class RealMachine implements Machine {
    static final Machine INSTANCE = new RealMachine();

    private RealMachine() {}

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Monitor monitor() {
        return new LockMonitor();
    }

    @Override
    public Thread thread(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    @Override
    public boolean join(Thread thread, long nanos) throws InterruptedException {
        TimeUnit.NANOSECONDS.timedJoin(thread, Math.max(1, nanos));
        return !thread.isAlive();
    }

    @Override
    public boolean isAlive(Thread thread) {
        return thread.isAlive();
    }

    @Override
    public void pause(long nanos) {
        LockSupport.parkNanos(nanos);
    }

    @SuppressWarnings("WaitNotInLoop") // who calls it does
    private static final class LockMonitor implements Monitor {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition condition = lock.newCondition();

        @Override
        public void lock() {
            lock.lock();
        }

        @Override
        public void lockInterruptibly() throws InterruptedException {
            lock.lockInterruptibly();
        }

        @Override
        public void unlock() {
            lock.unlock();
        }

        @Override
        public void await() throws InterruptedException {
            condition.await();
        }

        @Override
        public long awaitNanos(long nanos) throws InterruptedException {
            return condition.awaitNanos(nanos);
        }

        @Override
        public void signalAll() {
            condition.signalAll();
        }
    }
}
