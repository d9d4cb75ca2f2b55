package dev.onceward.engine;

import dev.onceward.config.ConsumerSettings;
import dev.onceward.deadletter.ErrorText;
import dev.onceward.postgres.Fence;
import dev.onceward.postgres.WorkerTable;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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

    private final Presence presence;
    private final Partitions partitions;
    private final Worker worker;
    private final Machine machine;
    private final LeaseGuard guard;
    private final Map<Fence, Long> stored = new HashMap<>();

    Heartbeat(
            Presence presence,
            Partitions partitions,
            Gate gate,
            Worker worker,
            ConsumerSettings.Lease lease,
            Machine machine) {
        this.presence = presence;
        this.partitions = partitions;
        this.worker = worker;
        this.machine = machine;
        this.guard = new LeaseGuard(lease.duration(), gate::leaseExpired, machine);
    }

    /** One heartbeat. */
    @Override
    public void run() {
        long began = machine.nanoTime();
        Map<Fence, OwnedPartition> owned = owned();
        try {
            Set<Fence> stale = beat(owned);
            guard.succeeded(began);
            owned.forEach((fence, partition) -> {
                if (stale.contains(fence)) {
                    worker.seenStale(partition);
                }
            });
        } catch (SQLException | RuntimeException e) {
            LOG.debug("heartbeat failed", e);
            ErrorText error = ErrorText.of(e);
            guard.failed(error.errorClass() + ": " + error.message());
            presence.drop();
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
            presence.end();
        } catch (SQLException | RuntimeException e) {
            LOG.debug("the worker's row stays, others will see it as stale", e);
        } finally {
            presence.drop();
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
        Presence.Beat beat = presence.beat(owned.keySet(), moved);
        for (WorkerTable.Watermark watermark : moved) {
            if (beat.stored().contains(watermark.fence().fenceKey())) {
                stored.put(watermark.fence(), watermark.offset());
            }
        }
        return beat.stale();
    }
}
