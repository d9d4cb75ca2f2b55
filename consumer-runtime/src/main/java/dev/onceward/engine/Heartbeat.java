package dev.onceward.engine;

import dev.onceward.config.ConsumerSettings;
import dev.onceward.crash.CrashPoint;
import dev.onceward.deadletter.ErrorText;
import dev.onceward.postgres.Database;
import dev.onceward.postgres.Fence;
import dev.onceward.postgres.WorkerTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the database that this worker lives, stores the watermarks that moved, and finds out which partitions are not
 * its own any more. Own thread, and a connection that it keeps: a pool emptied by handlers does not make it late.
 *
 * <p>By elapsed time of this machine it decides only about itself: with no success for one lease, no new transaction
 * starts until one comes. Others are judged by the database's clock, and evicted by nobody but Kafka.
 */
final class Heartbeat implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Heartbeat.class);

    // The server gives a heartbeat up before this side does (half a lease, and a lease): a session that waits for a
    // locked table, or whose worker was frozen or cut off between two statements and keeps rows of its partitions from
    // whoever takes them over, would otherwise stay, and each failed heartbeat would leave one more.
    private final Database database;
    private final WorkerTable workers;
    private final Partitions partitions;
    private final Worker worker;
    private final ConsumerSettings.Lease lease;
    private final Duration serverLimit;
    private final LeaseGuard guard;
    private final Map<Fence, Long> stored = new HashMap<>();
    private @Nullable Connection connection;

    Heartbeat(
            Database database,
            WorkerTable workers,
            Partitions partitions,
            Gate gate,
            Worker worker,
            ConsumerSettings.Lease lease) {
        this.database = database;
        this.workers = workers;
        this.partitions = partitions;
        this.worker = worker;
        this.lease = lease;
        this.serverLimit = lease.duration().dividedBy(2);
        this.guard = new LeaseGuard(lease.duration(), gate::leaseExpired, System::nanoTime);
    }

    /** One heartbeat. */
    @Override
    public void run() {
        long began = System.nanoTime();
        Map<Fence, OwnedPartition> owned = owned();
        try {
            Set<Fence> stale = beat(owned);
            guard.succeeded(began);
            owned.forEach((fence, partition) -> {
                if (stale.contains(fence)) {
                    worker.fenced(partition);
                }
            });
        } catch (SQLException | RuntimeException e) {
            LOG.debug("heartbeat failed", e);
            ErrorText error = ErrorText.of(e);
            guard.failed(error.errorClass() + ": " + error.message());
            dropConnection();
        }
    }

    /** Whether a lease went by without a success; asked by a thread that does not wait for the database. */
    void checkLease() {
        guard.check();
    }

    /** Whether no transaction may start now. */
    boolean expired() {
        return guard.expired();
    }

    /** What is wrong while no transaction may start. */
    Optional<String> trouble() {
        return guard.trouble();
    }

    /** Seconds since the last success; NaN before the first. */
    double ageSeconds() {
        return guard.ageSeconds();
    }

    /** The last heartbeat: takes the worker's row away. */
    void end() {
        try {
            Connection open = connection();
            database.limit(open, serverLimit);
            workers.remove(open);
            open.commit();
            open.close();
            connection = null;
        } catch (SQLException | RuntimeException e) {
            LOG.debug("the worker's row stays, others will see it as stale", e);
        } finally {
            dropConnection();
        }
    }

    private Map<Fence, OwnedPartition> owned() {
        Map<Fence, OwnedPartition> owned = new HashMap<>();
        for (OwnedPartition partition : partitions.all()) {
            partition.takenOver().ifPresent(fence -> owned.put(fence, partition));
        }
        stored.keySet().retainAll(owned.keySet());
        return owned;
    }

    private Set<Fence> beat(Map<Fence, OwnedPartition> owned) throws SQLException {
        List<WorkerTable.Watermark> moved = new ArrayList<>();
        owned.forEach((fence, partition) -> {
            long watermark = partition.window().watermark();
            if (!Long.valueOf(watermark).equals(stored.get(fence))) {
                moved.add(new WorkerTable.Watermark(fence, watermark));
            }
        });
        Connection open = connection();
        database.limit(open, serverLimit);
        workers.stamp(open);
        Set<Fence> stale = workers.stale(open, owned.keySet());
        // Last: a takeover waits for these rows.
        Set<Integer> done = workers.storeWatermarks(open, moved);
        CrashPoint.BEFORE_HEARTBEAT.reached();
        open.commit();
        CrashPoint.AFTER_HEARTBEAT.reached();
        for (WorkerTable.Watermark watermark : moved) {
            if (done.contains(watermark.fence().fenceKey())) {
                stored.put(watermark.fence(), watermark.offset());
            }
        }
        return stale;
    }

    private Connection connection() throws SQLException {
        Connection open = connection;
        if (open == null) {
            open = database.open();
            // A half-open socket must not make this thread wait for ever; a lease is the longest that is of use.
            open.setNetworkTimeout(
                    Runnable::run, Math.toIntExact(lease.duration().toMillis()));
            connection = open;
        }
        return open;
    }

    private void dropConnection() {
        Connection open = connection;
        connection = null;
        if (open != null) {
            Database.abort(open);
            Database.rollbackAndClose(open, new SQLException("a heartbeat failed"));
        }
    }
}
