package dev.onceward.dlq.workers;

import dev.onceward.dlq.connect.Connections;
import dev.onceward.postgres.Tables;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Takes partitions from a worker by raising their generations: whatever it still runs cannot commit any more. Kafka knows
 * nothing of it: a worker that lives takes its partitions over again, with a clean window.
 *
 * <p>Each partition in a transaction of its own, in the order of fence keys as everybody takes them, and never with more
 * than one lock held: an eviction that waits stops no worker but the one it is for.
 */
public final class Eviction {
    private static final String LIMIT = "SELECT set_config('lock_timeout', ?, true)";
    // Exclusive: waits for the transactions that share it, ahead of those that come later. Without it one that has
    // looked
    // at its generation could still commit after this one.
    private static final String LOCK = "SELECT pg_advisory_xact_lock(?, ?)";
    // Guarded by the owner and the generation: another worker may have taken it over in the meantime, and is not meant.
    // Given back, by the operator: nobody owns it until the next takeover, which is none of a worker that died of its
    // messages.
    private static final String RAISE = "UPDATE {partition_generations} SET generation = generation + 1,"
            + " released_at = clock_timestamp()"
            + " WHERE fence_key = ? AND worker_id = ? AND generation = ? AND released_at IS NULL";
    private static final String LOCK_TIMEOUT = "55P03";

    private final Connection connection;
    private final Tables tables;
    private final Duration patience;

    /**
     * Over the command's own connection.
     *
     * @param patience how long it waits for the transactions of each partition
     */
    public Eviction(Connections connections, Duration patience) {
        this.connection = connections.database();
        this.tables = connections.tables();
        this.patience = patience;
    }

    /**
     * Evicts the worker from all that it owns.
     *
     * @param result tells how far it came, also when this throws
     * @param goesOn asked before each partition
     */
    public void evict(RunningWorker worker, Result result, BooleanSupplier goesOn) throws SQLException {
        for (RunningWorker.OwnedPartition partition : worker.partitions().stream()
                .sorted(Comparator.comparingInt(RunningWorker.OwnedPartition::fenceKey))
                .toList()) {
            if (!goesOn.getAsBoolean()) {
                return;
            }
            switch (evict(worker.id(), partition)) {
                case EVICTED -> result.evicted.add(partition);
                case MOVED -> result.moved.add(partition);
                case BUSY -> result.busy.add(partition);
            }
        }
    }

    private Outcome evict(String workerId, RunningWorker.OwnedPartition partition) throws SQLException {
        connection.setAutoCommit(false);
        try {
            lock(partition.fenceKey());
            Outcome outcome = raise(workerId, partition) ? Outcome.EVICTED : Outcome.MOVED;
            connection.commit();
            return outcome;
        } catch (SQLException e) {
            connection.rollback();
            if (LOCK_TIMEOUT.equals(e.getSQLState())) {
                return Outcome.BUSY;
            }
            throw e;
        } finally {
            connection.setAutoCommit(true);
        }
    }

    private void lock(int fenceKey) throws SQLException {
        try (PreparedStatement limit = connection.prepareStatement(LIMIT)) {
            limit.setString(1, Long.toString(patience.toMillis()));
            limit.execute();
        }
        try (PreparedStatement lock = connection.prepareStatement(LOCK)) {
            lock.setInt(1, tables.lockClass());
            lock.setInt(2, fenceKey);
            lock.execute();
        }
    }

    private boolean raise(String workerId, RunningWorker.OwnedPartition partition) throws SQLException {
        try (PreparedStatement raise = connection.prepareStatement(tables.sql(RAISE))) {
            raise.setInt(1, partition.fenceKey());
            raise.setString(2, workerId);
            raise.setLong(3, partition.generation());
            return raise.executeUpdate() == 1;
        }
    }

    private enum Outcome {
        EVICTED,
        MOVED,
        BUSY
    }

    /**
     * What became of the partitions.
     *
     * @param evicted their generations were raised
     * @param moved they had another owner or generation already
     * @param busy a transaction of theirs did not end within the patience
     */
    public record Result(
            List<RunningWorker.OwnedPartition> evicted,
            List<RunningWorker.OwnedPartition> moved,
            List<RunningWorker.OwnedPartition> busy) {
        /** Of an eviction that begins. */
        public Result() {
            this(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        }
    }
}
