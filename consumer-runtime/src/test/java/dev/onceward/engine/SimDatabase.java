package dev.onceward.engine;

import dev.onceward.deadletter.DeadLetter;
import dev.onceward.engine.Choices.Of;
import dev.onceward.handler.Coordinates;
import dev.onceward.message.RecordIdentity;
import dev.onceward.postgres.Claim;
import dev.onceward.postgres.Fence;
import dev.onceward.postgres.GenerationTable;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The database: what is committed, who holds which lock, which sessions live. A statement of a session that is gone fails;
 * what a transaction wrote is there when it commits, all at once, and never if it does not.
 */
final class SimDatabase {
    private static final long LATENCY = Duration.ofMillis(2).toNanos();

    final Simulation simulation;
    final Verdicts verdicts;
    final Bug bug;
    final Map<String, Claim> claims = new LinkedHashMap<>();
    final Map<Integer, Row> rows = new LinkedHashMap<>();
    final Map<Coordinates, Attempts> attempts = new LinkedHashMap<>();
    final Map<Coordinates, Dead> dead = new LinkedHashMap<>();
    private final Map<Integer, Lock> locks = new LinkedHashMap<>();
    private final Map<String, Tx> claiming = new LinkedHashMap<>();
    private final Set<Tx> open = new LinkedHashSet<>();
    private long outageUntil;
    private int sessions;

    SimDatabase(Simulation simulation, Verdicts verdicts, Bug bug) {
        this.simulation = simulation;
        this.verdicts = verdicts;
        this.bug = bug;
    }

    // ---- faults ----

    void outage(long until) {
        outageUntil = until;
        killAll();
    }

    void killAll() {
        List.copyOf(open).forEach(this::kill);
    }

    void kill(Tx tx) {
        simulation.tell(() -> "session " + tx.pid + " of " + tx.worker.name + " is ended");
        tx.gone = true;
        end(tx);
    }

    /** The process is gone; the server notices at once, or only when somebody ends the session. */
    void died(SimWorker worker, boolean noticed) {
        // Who waits for a lock notices by himself: the wait is bounded.
        locks.values().forEach(lock -> lock.waiting.removeIf(tx -> tx.worker == worker));
        if (noticed) {
            List.copyOf(open).stream().filter(tx -> tx.worker == worker).forEach(this::kill);
        }
    }

    @Nullable
    Tx session(int pid) {
        return open.stream().filter(tx -> tx.pid == pid).findFirst().orElse(null);
    }

    // ---- sessions ----

    Tx begin(SimWorker worker) throws SQLException {
        simulation.point("connect");
        reach(worker);
        Tx tx = new Tx(worker, ++sessions);
        open.add(tx);
        return tx;
    }

    void probe(SimWorker worker) throws SQLException {
        simulation.point("probe");
        reach(worker);
    }

    /** One statement on its way. */
    void statement(Tx tx, String what) throws SQLException {
        simulation.point(what);
        if (simulation.fault(10)) {
            simulation.pass(what, LATENCY << simulation.choices.upTo(Of.FAULT, 9));
        }
        if (simulation.fault(150)) {
            simulation.pass(what, LATENCY * 3_000);
        }
        reach(tx.worker);
        if (simulation.fault(400)) {
            kill(tx);
        }
        alive(tx);
    }

    private void reach(SimWorker worker) throws SQLException {
        if (worker.withoutDatabaseUntil > simulation.now()) {
            simulation.pass("without network", LATENCY * 50);
            throw new SQLException("no route to the database", "08001");
        }
        if (outageUntil > simulation.now()) {
            throw new SQLException("the database is shutting down", "57P01");
        }
    }

    private static void alive(Tx tx) throws SQLException {
        if (tx.gone) {
            throw new SQLException("the session is gone", "08006");
        }
    }

    /** Ends it; a client without a network leaves its session behind. */
    void rollback(Tx tx) {
        if (tx.worker.withoutDatabaseUntil <= simulation.now()) {
            end(tx);
        }
    }

    private void end(Tx tx) {
        open.remove(tx);
        tx.writes.clear();
        claiming.values().removeIf(other -> other == tx);
        locks.values().forEach(lock -> lock.release(tx));
    }

    /** Commits; what it throws says nothing about whether it did. */
    void commit(Tx tx) throws SQLException {
        simulation.point("COMMIT");
        if (simulation.fault(40)) {
            boolean applied = simulation.choices.oneIn(Of.FAULT, 2);
            simulation.tell(() -> "the answer of COMMIT is lost, it " + (applied ? "was" : "was not") + " applied");
            if (applied && !tx.gone) {
                apply(tx);
            }
            tx.gone = true;
            end(tx);
            throw new SQLException("connection lost during COMMIT", "08006");
        }
        reach(tx.worker);
        alive(tx);
        apply(tx);
        end(tx);
    }

    private void apply(Tx tx) {
        tx.writes.forEach(Runnable::run);
    }

    // ---- locks ----

    private Lock lock(int fenceKey) {
        return locks.computeIfAbsent(fenceKey, key -> new Lock());
    }

    /** As the opening of every fenced transaction: behind takeovers that wait or are under way. */
    void lockShared(Tx tx, int fenceKey, Duration limit) throws SQLException {
        Lock lock = lock(fenceKey);
        boolean got = simulation.await(
                "shared lock",
                () -> tx.gone || (lock.exclusive == null && lock.waiting.isEmpty()) || lock.shared.contains(tx),
                simulation.now() + limit.toNanos());
        alive(tx);
        if (!got) {
            throw new SQLException("lock not available", "55P03");
        }
        lock.shared.add(tx);
    }

    boolean tryLockExclusive(Tx tx, int fenceKey) {
        Lock lock = lock(fenceKey);
        boolean free = lock.exclusive == null && (lock.shared.isEmpty() || bug == Bug.TAKEOVER_WITHOUT_LOCK);
        if (free) {
            lock.exclusive = tx;
        }
        return free;
    }

    boolean lockExclusive(Tx tx, int fenceKey, Duration grace) throws SQLException {
        Lock lock = lock(fenceKey);
        lock.waiting.add(tx);
        try {
            simulation.await(
                    "exclusive lock",
                    () -> tx.gone || (lock.exclusive == null && lock.shared.isEmpty()),
                    simulation.now() + grace.toNanos());
        } finally {
            lock.waiting.remove(tx);
        }
        alive(tx);
        return tryLockExclusive(tx, fenceKey);
    }

    int endHolders(int fenceKey, Tx self) {
        Set<Tx> holders = new LinkedHashSet<>(lock(fenceKey).shared);
        Tx exclusive = lock(fenceKey).exclusive;
        if (exclusive != null) {
            holders.add(exclusive);
        }
        holders.remove(self);
        holders.forEach(this::kill);
        return holders.size();
    }

    // ---- rows ----

    boolean isOwn(Fence fence) {
        Row row = rows.get(fence.fenceKey());
        return bug == Bug.GENERATION_NOT_CHECKED || (row != null && row.generation == fence.generation());
    }

    Row rowOf(GenerationTable.Candidate candidate) {
        for (Row row : rows.values()) {
            if (row.topic.equals(candidate.topic()) && row.partition == candidate.partition()) {
                return row;
            }
        }
        Row row = new Row(rows.size() + 1, candidate);
        rows.put(row.fenceKey, row);
        return row;
    }

    void storeWatermark(Row row, long offset) {
        row.watermark = OptionalLong.of(offset);
        verdicts.watermark(new TopicPartition(row.topic, row.partition), offset);
    }

    /** INSERT … ON CONFLICT DO NOTHING of one claim: waits for another transaction that has the same one under way. */
    boolean claim(Tx tx, Claim claim, Duration limit) throws SQLException {
        String id = claim.messageId();
        boolean decided = simulation.await(
                "claim",
                () -> tx.gone || claiming.get(id) == null || claiming.get(id) == tx,
                simulation.now() + limit.toNanos());
        alive(tx);
        if (!decided) {
            throw new SQLException("lock not available", "55P03");
        }
        if (claims.containsKey(id)) {
            return false;
        }
        claiming.put(id, tx);
        tx.writes.add(() -> claims.put(id, claim));
        return true;
    }

    /** A session with its transaction. */
    static final class Tx {
        final SimWorker worker;
        final int pid;
        final List<Runnable> writes = new ArrayList<>();
        boolean gone;

        Tx(SimWorker worker, int pid) {
            this.worker = worker;
            this.pid = pid;
        }
    }

    private static final class Lock {
        private final Set<Tx> shared = new LinkedHashSet<>();
        private @Nullable Tx exclusive;
        private final Set<Tx> waiting = new LinkedHashSet<>();

        void release(Tx tx) {
            shared.remove(tx);
            waiting.remove(tx);
            if (exclusive == tx) {
                exclusive = null;
            }
        }
    }

    /** Of {@code partition_generations}. */
    static final class Row {
        final int fenceKey;
        final String topic;
        final int partition;
        UUID topicId;
        long generation;

        @Nullable
        String workerId;

        boolean released;
        long resumeOffset = -1;
        int stuck;
        OptionalLong watermark = OptionalLong.empty();

        Row(int fenceKey, GenerationTable.Candidate candidate) {
            this.fenceKey = fenceKey;
            this.topic = candidate.topic();
            this.partition = candidate.partition();
            this.topicId = candidate.topicId();
        }
    }

    /** Of {@code message_attempts}. */
    record Attempts(RecordIdentity record, @Nullable String messageId, int attempts, long notBefore, String error) {}

    /** Of {@code dead_letters}. */
    record Dead(DeadLetter letter, String status, @Nullable Coordinates copy) {
        boolean finished() {
            return !status.equals("PENDING");
        }
    }
}
