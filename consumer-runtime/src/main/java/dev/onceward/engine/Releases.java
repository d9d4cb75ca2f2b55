package dev.onceward.engine;

import dev.onceward.postgres.Fence;
import dev.onceward.postgres.Ownership;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives partitions back in the database, so that their next owner knows that this one ended in order; not in the takeover
 * thread, which may be waiting for the transactions of another owner.
 */
final class Releases {
    private static final Logger LOG = LoggerFactory.getLogger(Releases.class);

    private final Ownerships ownerships;
    private final Duration limit;
    private final BackgroundThread thread;

    /** @param limit of one transaction */
    Releases(Ownerships ownerships, Duration limit, BackgroundThread thread) {
        this.ownerships = ownerships;
        this.limit = limit;
        this.thread = thread;
    }

    /** Gives partitions back in order, and waits for that within its patience; if it fails, their next takeover is unclean. */
    void release(Collection<OwnedPartition> partitions, Duration patience) {
        List<OwnedPartition> owned =
                partitions.stream().filter(p -> p.takenOver().isPresent()).toList();
        if (owned.isEmpty()) {
            return;
        }
        try {
            if (!thread.runWithin(patience, () -> releaseNow(owned))) {
                LOG.atInfo().log("Partitions were not released in the database in time");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A takeover that came after the partition had been given up: nobody else waits for this one. */
    void releaseLate(Ownership ownership) {
        thread.execute(() -> {
            try {
                ownerships.release(Map.of(ownership.fence(), OptionalLong.empty()), limit);
            } catch (SQLException e) {
                LOG.atInfo().addKeyValue("error", e.toString()).log("A late takeover could not be released");
            }
        });
    }

    private void releaseNow(List<OwnedPartition> owned) {
        Map<Fence, OptionalLong> watermarks = new LinkedHashMap<>();
        owned.forEach(partition -> watermarks.put(
                partition.fence(), OptionalLong.of(partition.window().watermark())));
        try {
            ownerships.release(watermarks, limit);
        } catch (SQLException e) {
            LOG.atInfo().addKeyValue("error", e.toString()).log("Partitions could not be released in the database");
        }
    }
}
