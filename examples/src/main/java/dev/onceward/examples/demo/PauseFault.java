package dev.onceward.examples.demo;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Stops a worker with SIGSTOP while it has a transaction open, until others have taken over all its partitions and its lease
 * and its Kafka session are over, and lets it go on.
 */
final class PauseFault implements Fault {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** A COMMIT that was under way when the worker stopped has arrived by then. */
    private static final Duration SETTLING = Duration.ofMillis(200);

    private final Workers workers;
    private final Load load;
    private final DatabaseView database;
    private final List<OpenTransaction> frozenTransactions = new ArrayList<>();
    private @Nullable WorkerProcess frozen;
    private List<Ownership> owned = List.of();
    private long frozenAt;

    PauseFault(Workers workers, Load load, DatabaseView database) {
        this.workers = workers;
        this.load = load;
        this.database = database;
    }

    /** Transactions that were open when their worker was stopped, of all strikes. */
    List<OpenTransaction> frozenTransactions() {
        return List.copyOf(frozenTransactions);
    }

    @Override
    public Strike strike(PlannedFault planned) throws InterruptedException, SQLException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        do {
            load.topUp();
            Load.Measure before = load.measure();
            List<OpenTransaction> open = database.openTransactions();
            List<WorkerProcess> candidates = workers.running().stream()
                    .filter(worker -> open.stream()
                            .anyMatch(transaction -> transaction.workerId().equals(worker.id())))
                    .toList();
            if (!candidates.isEmpty()) {
                WorkerProcess victim = candidates.get(planned.choice() % candidates.size());
                List<OpenTransaction> caught = freeze(victim);
                Load.Measure measured = before.and(load.measure());
                if (!caught.isEmpty()) {
                    frozenTransactions.addAll(caught);
                    return new Strike(
                            planned.kind(),
                            victim.id() + " frozen with SIGSTOP, open transactions: " + caught.size(),
                            measured);
                }
                victim.process().resume();
            }
        } while (System.nanoTime() - deadline < 0);
        throw new DemoException("No worker could be frozen with an open transaction within " + PATIENCE);
    }

    /** The transactions that are open for good now. */
    private List<OpenTransaction> freeze(WorkerProcess victim) throws InterruptedException, SQLException {
        victim.process().freeze();
        frozenAt = System.nanoTime();
        Thread.sleep(SETTLING.toMillis());
        frozen = victim;
        owned = database.ownerships().stream()
                .filter(owner -> owner.ownedBy(victim.id()))
                .toList();
        return database.openTransactions().stream()
                .filter(transaction -> transaction.workerId().equals(victim.id()))
                .toList();
    }

    @Override
    public boolean recover() throws InterruptedException, SQLException {
        WorkerProcess victim = frozen;
        if (victim == null) {
            return false;
        }
        boolean takenOver = load.until(PATIENCE, () -> pastItsTime() && allTakenOver());
        Instant resumedAt = database.now();
        victim.process().resume();
        boolean back = Poll.until(PATIENCE, () -> {
            Map<String, Instant> heartbeats = database.heartbeats();
            Instant heartbeat = heartbeats.get(victim.id());
            return heartbeat != null && heartbeat.isAfter(resumedAt);
        });
        return takenOver && back;
    }

    private boolean pastItsTime() {
        Duration stopped = Duration.ofNanos(System.nanoTime() - frozenAt);
        return stopped.compareTo(Timing.LEASE) > 0 && stopped.compareTo(Timing.SESSION_TIMEOUT) > 0;
    }

    private boolean allTakenOver() throws SQLException {
        List<Ownership> now = database.ownerships();
        Set<Ownership> before = Set.copyOf(owned);
        return before.stream()
                .allMatch(then -> now.stream()
                        .anyMatch(owner ->
                                owner.fenceKey() == then.fenceKey() && owner.generation() > then.generation()));
    }
}
