package dev.onceward.engine;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** A thread of a simulation: runs while it has the baton, and gives it on where the simulation says so. */
final class SimThread extends Thread {
    private final Simulation simulation;
    private final SimWorker worker;
    private final Runnable task;
    final int number;

    /** What it waits for; {@code null}: nothing. */
    BooleanSupplier ready;

    long deadline;
    boolean interruptible;
    boolean interrupted;
    long frozenUntil;
    boolean ended;

    SimThread(Simulation simulation, SimWorker worker, String name, Runnable task, int number) {
        super(name);
        this.simulation = simulation;
        this.worker = worker;
        this.task = task;
        this.number = number;
        setDaemon(true);
    }

    @Override
    public synchronized void start() {
        simulation.started(this);
        super.start();
    }

    /** An interrupt from another thread is seen when this one goes on: when it has the baton again. */
    @Override
    public void interrupt() {
        if (Thread.currentThread() == this) {
            super.interrupt();
        } else {
            interrupted = true;
        }
    }

    /** Puts the flag of the real thread aside, or a waiting one would not wait. */
    void putInterruptAside() {
        if (Thread.interrupted()) {
            interrupted = true;
        }
    }

    void bringInterruptBack() {
        if (interrupted) {
            interrupted = false;
            super.interrupt();
        }
    }

    @Override
    public void run() {
        try {
            awaitBaton();
            task.run();
        } catch (SimOver e) {
            // as all of them end
        } catch (Throwable e) {
            simulation.failQuietly(getName() + " ended with " + e);
        } finally {
            ended = true;
            simulation.ended();
        }
    }

    void awaitBaton() {
        while (simulation.current != this && !simulation.over) {
            LockSupport.park(simulation);
        }
        if (simulation.over) {
            throw new SimOver();
        }
    }

    boolean dead() {
        return ended || (worker != null && worker.dead);
    }

    /** When it may go on, by its own clock and its worker's. */
    long thawed() {
        return worker == null ? frozenUntil : Math.max(frozenUntil, worker.frozenUntil);
    }

    boolean wokenUp() {
        return ready == null || (interruptible && interrupted) || ready.getAsBoolean();
    }
}
