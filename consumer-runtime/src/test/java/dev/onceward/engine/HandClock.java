package dev.onceward.engine;

import java.util.function.LongSupplier;

/** The real machine, but for its time. */
record HandClock(LongSupplier time) implements Machine {

    @Override
    public long nanoTime() {
        return time.getAsLong();
    }

    @Override
    public Monitor monitor() {
        return RealMachine.INSTANCE.monitor();
    }

    @Override
    public Thread thread(String name, Runnable task) {
        return RealMachine.INSTANCE.thread(name, task);
    }

    @Override
    public boolean join(Thread thread, long nanos) throws InterruptedException {
        return RealMachine.INSTANCE.join(thread, nanos);
    }

    @Override
    public boolean isAlive(Thread thread) {
        return RealMachine.INSTANCE.isAlive(thread);
    }

    @Override
    public void pause(long nanos) {
        RealMachine.INSTANCE.pause(nanos);
    }
}
