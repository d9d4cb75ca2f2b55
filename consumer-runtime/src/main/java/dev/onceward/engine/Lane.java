package dev.onceward.engine;

import dev.onceward.catalog.EventNames;
import dev.onceward.effect.TransactionWatch;
import dev.onceward.handler.Coordinates;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One worker thread with its ordered queue. The poll thread adds, the lane's thread takes what waits, runs it as a
 * group, and settles each message before it takes the next; that is what keeps the order of a key.
 *
 * <p>A thread whose handler ignores its time limit is given up: a new one takes its place and goes on with what the old
 * one had in hand. From then on the old thread changes nothing: every change asks first whether its thread is still the
 * lane's.
 */
final class Lane {
    private static final Logger LOG = LoggerFactory.getLogger(Lane.class);

    private final int number;
    private final String name;
    private final Gate gate;
    private final Turns turns;
    private final GroupSizer sizer;
    private final Function<Lane, LaneWork> workOfThread;
    private final Worker worker;
    private final Machine machine;
    private final Machine.Monitor lock;
    private final LaneQueue queue = new LaneQueue();
    private final Permits permits = new Permits();
    private volatile @Nullable Thread thread;
    private @Nullable LaneWork work;
    private boolean stopped;

    Lane(
            int number,
            String name,
            Gate gate,
            Turns turns,
            GroupSizer sizer,
            Function<Lane, LaneWork> workOfThread,
            Worker worker,
            Machine machine) {
        this.number = number;
        this.name = name;
        this.gate = gate;
        this.turns = turns;
        this.sizer = sizer;
        this.workOfThread = workOfThread;
        this.worker = worker;
        this.machine = machine;
        this.lock = machine.monitor();
    }

    // ---- from the poll thread ----

    void start() {
        lock.locked(() -> startThread(null));
    }

    /** Messages to run, behind all that wait. */
    void add(List<Delivery> deliveries) {
        lock.locked(() -> {
            deliveries.forEach(queue::add);
            lock.signalAll();
        });
    }

    /** Forgets what waits of a partition and has not begun. */
    void dropWaiting(OwnedPartition partition) {
        lock.locked(() -> queue.dropWaiting(partition).forEach(this::forget));
    }

    /** Forgets everything of a partition; what is in hand runs to its end. */
    void drop(OwnedPartition partition) {
        lock.locked(() -> queue.drop(partition).forEach(this::forget));
    }

    void stop() {
        lock.locked(() -> {
            stopped = true;
            lock.signalAll();
        });
    }

    boolean awaitStopped(long nanos) throws InterruptedException {
        Thread current = thread;
        if (current != null) {
            return machine.join(current, nanos);
        }
        return true;
    }

    /**
     * Gives up a thread that does not come back from a handler after the lane was stopped: its transaction ends with the
     * worker, also where the pool lives on, and whatever comes of it is nobody's fault.
     */
    void abandon() {
        lock.locked(() -> {
            LaneWork current = work;
            thread = null; // nothing that it comes back with counts, not even a failed attempt
            turns.end(this);
            if (current != null) {
                current.watch().expire().ifPresent(TransactionWatch.Expired::abort);
            }
        });
    }

    /** Whether it is in a transaction. */
    boolean busy() {
        LaneWork current = work();
        return current != null && current.watch().busy();
    }

    int heldKeys() {
        return lock.underLock(() -> queue.heldKeys());
    }

    // ---- from the publisher ----

    /** The publication of a dead letter ended; the lane goes on with it. */
    void published(Delivery delivery, @Nullable Coordinates copy, @Nullable Throwable failure) {
        lock.locked(() -> {
            // Dropped in the meantime, if the permit is gone: whoever owns the partition next publishes it again.
            LaneWork current = work;
            if (current != null && delivery.holdsPermit) {
                queue.hold(delivery, current.afterPublication(delivery, copy, failure));
                lock.signalAll();
            }
        });
    }

    // ---- from the watchdog ----

    /** The transaction the lane's thread is in, for the watchdog. */
    @Nullable
    LaneWork work() {
        return lock.underLock(() -> work);
    }

    /** Gives the lane a new thread, because the old one does not come back from a handler; returns the old one. */
    Optional<Thread> replaceThread(LaneWork stuck) {
        return lock.underLock(() -> {
            if (work != stuck || stopped) {
                return Optional.empty();
            }
            Thread old = thread;
            startThread(stuck);
            if (old != null) {
                gate.givenUp(old);
            }
            return Optional.ofNullable(old);
        });
    }

    private void startThread(@Nullable LaneWork predecessor) {
        LaneWork next = workOfThread.apply(this);
        work = next;
        Thread started = machine.thread(name + "-lane-" + number, () -> run(next, predecessor));
        thread = started;
        started.start();
    }

    // ---- the lane's own thread ----

    private void run(LaneWork mine, @Nullable LaneWork predecessor) {
        try {
            if (predecessor != null) {
                mine.takeOverFrom(predecessor);
                endTurn();
            }
            while (next(mine)) {
                endTurn();
                gate.trialOver();
            }
        } catch (ReplacedException e) {
            LOG.atInfo()
                    .addKeyValue(EventNames.KEY, EventNames.HANDLER_STUCK)
                    .addKeyValue("lane", number)
                    .log("A handler that had not come back in time has ended; nothing of it counts");
        } catch (InterruptedException e) {
            // Only the watchdog interrupts a lane, and takes it back.
            died("lane " + number + " was interrupted", e);
        } catch (Throwable e) { // a lane that dies must not die silently
            died("lane " + number + " ended unexpectedly", e);
        }
    }

    private void died(String how, Throwable cause) {
        worker.fail(how, cause);
        turns.end(this);
    }

    /** Takes the next piece of work and does it; false when the lane has stopped. */
    private boolean next(LaneWork mine) throws InterruptedException {
        if (!awaitRunnable()) {
            return false;
        }
        Gate.Pass pass = gate.pass();
        Optional<Delivery> head;
        List<Delivery> group = List.of();
        lock.lock();
        try {
            requireOwner();
            if (stopped || pass == Gate.Pass.STOPPED) {
                return false;
            }
            head = takeHead();
            if (head.isEmpty()) {
                group = permitted(queue.takeGroup(pass == Gate.Pass.TRIAL ? 1 : sizer.size(), machine.nanoTime()));
            }
        } finally {
            lock.unlock();
        }
        if (head.isPresent()) {
            beginTurn(head.get());
            mine.advance(head.get());
        } else if (!group.isEmpty()) {
            beginTurn(group.get(0)); // a suspect comes alone
            mine.runGroup(group);
        }
        return true;
    }

    private void beginTurn(Delivery first) throws InterruptedException {
        turns.begin(this, first.suspect());
        requireOwner(); // given up while it waited
    }

    private boolean awaitRunnable() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!stopped) {
                requireOwner();
                OptionalLong due = queue.nextDueNanos();
                long wait = due.isPresent() ? due.getAsLong() - machine.nanoTime() : Long.MAX_VALUE;
                if (queue.hasReady() || wait <= 0) {
                    return true;
                }
                lock.awaitNanos(wait);
            }
            return false;
        } finally {
            lock.unlock();
        }
    }

    private Optional<Delivery> takeHead() {
        Optional<Delivery> head = queue.takeDue(machine.nanoTime());
        while (head.isPresent()
                && !head.get().holdsPermit
                && !permits.get(head.get().partition())) {
            // Its partition is ending and will be dropped; or it has ended, and this came back too late for that.
            if (head.get().partition().in(PartitionState.ENDED)) {
                queue.drop(head.get().partition()).forEach(this::forget);
            }
            head = queue.takeDue(machine.nanoTime());
        }
        return head;
    }

    private List<Delivery> permitted(List<Delivery> taken) {
        List<Delivery> group = new ArrayList<>(taken.size());
        for (Delivery delivery : taken) {
            if (permits.get(delivery.partition())) {
                group.add(delivery);
            } else {
                forget(delivery);
            }
        }
        return group;
    }

    private void endTurn() {
        lock.locked(() -> {
            requireOwner();
            permits.end();
            turns.end(this);
        });
    }

    private void forget(Delivery delivery) {
        delivery.endPermit();
        if (delivery.suspect()) {
            worker.suspectFinished(delivery);
        }
    }

    // ---- for the work of the lane's own thread ----

    /** Changes the queue, if the calling thread still is the lane's. */
    void change(QueueChange change) {
        lock.locked(() -> {
            requireOwner();
            change.apply(queue);
        });
    }

    /** A short wait that a stop ends. */
    void sleep(long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = nanos;
            while (left > 0 && !stopped) {
                left = lock.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    /** The same in every run, and with it the order of maps by lane. */
    @Override
    public int hashCode() {
        return number;
    }

    GroupSizer sizer() {
        return sizer;
    }

    /** As {@link #requireOwner()}, also in the moment between being given up and being replaced. */
    void requireOwner(TransactionWatch watch) {
        if (watch.givenUp()) {
            throw new ReplacedException();
        }
        requireOwner();
    }

    /** Ends a thread that was given up: what it comes back with counts no more. */
    void requireOwner() {
        if (Thread.currentThread() != thread) {
            throw new ReplacedException();
        }
    }

    /** Something done to the queue under the lane's lock. */
    @FunctionalInterface
    interface QueueChange {
        void apply(LaneQueue queue);
    }

    /** The thread is not the lane's any more. */
    private static final class ReplacedException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }
}
