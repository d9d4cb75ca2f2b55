package dev.onceward.examples.demo;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Ends a worker that owns partitions with SIGKILL, and starts another one in its place. */
final class KillFault implements Fault {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Workers workers;
    private final Load load;
    private final DatabaseView database;
    private String lastVictim = "";
    private @Nullable WorkerProcess killed;
    private @Nullable WorkerProcess replacement;

    KillFault(Workers workers, Load load, DatabaseView database) {
        this.workers = workers;
        this.load = load;
        this.database = database;
    }

    @Override
    public Strike strike(PlannedFault planned) throws InterruptedException, SQLException {
        WorkerProcess victim = chooseOwner(planned.choice());
        lastVictim = victim.name();
        load.topUp();
        Load.Measure before = load.measure();
        workers.kill(victim);
        Load.Measure measured = before.and(load.measure());
        killed = victim;
        replacement = workers.start(victim.name());
        return new Strike(planned.kind(), victim.id() + " killed with SIGKILL", measured);
    }

    @Override
    public boolean recover() throws InterruptedException, SQLException {
        WorkerProcess dead = killed;
        WorkerProcess started = replacement;
        return dead != null
                && started != null
                && load.until(
                        PATIENCE,
                        () -> database.heartbeats().containsKey(started.id())
                                && database.ownerships().stream().noneMatch(owner -> owner.ownedBy(dead.id())));
    }

    private WorkerProcess chooseOwner(int choice) throws InterruptedException, SQLException {
        Poll.until(PATIENCE, () -> !owners().isEmpty());
        List<WorkerProcess> owners = owners();
        if (owners.isEmpty()) {
            throw new DemoException("No running worker owns a partition");
        }
        // Not the same one twice in a row, or its partitions would fall far behind the others.
        List<WorkerProcess> others = owners.stream()
                .filter(owner -> !owner.name().equals(lastVictim))
                .toList();
        List<WorkerProcess> candidates = others.isEmpty() ? owners : others;
        return candidates.get(choice % candidates.size());
    }

    private List<WorkerProcess> owners() throws SQLException {
        List<Ownership> ownerships = database.ownerships();
        return workers.running().stream()
                .filter(worker -> ownerships.stream().anyMatch(owner -> owner.ownedBy(worker.id())))
                .sorted(Comparator.comparing(WorkerProcess::name))
                .toList();
    }
}
