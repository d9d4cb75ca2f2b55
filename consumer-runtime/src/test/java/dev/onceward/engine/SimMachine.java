package dev.onceward.engine;

/** The machine of a worker in a simulation. */
record SimMachine(Simulation simulation, SimWorker worker) implements Machine {
    private static final String PREFIX = "onceward-" + SimSettings.CONSUMER;

    @Override
    public long nanoTime() {
        return simulation.now();
    }

    @Override
    public Monitor monitor() {
        return new SimMonitor(simulation);
    }

    @Override
    public Thread thread(String name, Runnable task) {
        String own = name.startsWith(PREFIX) ? worker.name + name.substring(PREFIX.length()) : name;
        return simulation.thread(worker, own, task);
    }

    @Override
    public boolean join(Thread thread, long nanos) throws InterruptedException {
        return simulation.await("join", () -> ended(thread), simulation.now() + nanos, true);
    }

    @Override
    public boolean isAlive(Thread thread) {
        return !ended(thread);
    }

    private static boolean ended(Thread thread) {
        return ((SimThread) thread).ended;
    }

    @Override
    public void pause(long nanos) {
        simulation.pass("pause", nanos);
    }

    /** A reentrant lock with a condition, of which it is chosen who gets it. */
    private static final class SimMonitor implements Monitor {
        private final Simulation simulation;
        private Thread owner;
        private int holds;
        private long signals;

        SimMonitor(Simulation simulation) {
            this.simulation = simulation;
        }

        @Override
        public void lock() {
            Thread me = Thread.currentThread();
            if (owner != me) {
                simulation.point("lock");
                if (owner != null) {
                    simulation.await("locked", () -> owner == null, Simulation.NEVER);
                }
                owner = me;
            }
            holds++;
        }

        @Override
        public void lockInterruptibly() throws InterruptedException {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            lock();
        }

        @Override
        public void unlock() {
            if (owner == Thread.currentThread() && --holds == 0) {
                owner = null;
            }
        }

        @Override
        public void await() throws InterruptedException {
            await(Simulation.NEVER);
        }

        @Override
        public long awaitNanos(long nanos) throws InterruptedException {
            long deadline = nanos > Simulation.NEVER / 2 ? Simulation.NEVER : simulation.now() + Math.max(0, nanos);
            await(deadline);
            return deadline - simulation.now();
        }

        private void await(long deadline) throws InterruptedException {
            if (owner != Thread.currentThread()) {
                throw new IllegalMonitorStateException();
            }
            int before = holds;
            long seen = signals;
            holds = 0;
            owner = null;
            try {
                simulation.await("signal", () -> signals != seen, deadline, true);
            } finally {
                if (!simulation.over) {
                    simulation.await("locked", () -> owner == null, Simulation.NEVER);
                    owner = Thread.currentThread();
                    holds = before;
                }
            }
        }

        @Override
        public void signalAll() {
            signals++;
        }
    }
}
