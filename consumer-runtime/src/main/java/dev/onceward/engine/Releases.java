package dev.onceward.engine;

import dev.onceward.postgres.Database;
import dev.onceward.postgres.Fence;
import dev.onceward.postgres.GenerationTable;
import dev.onceward.postgres.Ownership;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives partitions back in the database, so that their next owner knows that this one ended in order; not in the takeover
 * thread, which may be waiting for the transactions of another owner.
 */
final class Releases {
    private static final Logger LOG = LoggerFactory.getLogger(Releases.class);

    private final Database database;
    private final GenerationTable generations;
    private final Duration limit;
    private final BackgroundThread thread;

    /** @param limit of one transaction */
    Releases(Database database, GenerationTable generations, Duration limit, BackgroundThread thread) {
        this.database = database;
        this.generations = generations;
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
            thread.submit(() -> releaseNow(owned)).get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException e) {
            LOG.atInfo().addKeyValue("error", e.toString()).log("Partitions could not be released in the database");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A takeover that came after the partition had been given up: nobody else waits for this one. */
    void releaseLate(Ownership ownership) {
        thread.execute(() -> {
            try {
                release(Map.of(ownership.fence(), OptionalLong.empty()));
            } catch (SQLException e) {
                LOG.atInfo().addKeyValue("error", e.toString()).log("A late takeover could not be released");
            }
        });
    }

    private void releaseNow(List<OwnedPartition> owned) {
        Map<Fence, OptionalLong> watermarks = new HashMap<>();
        owned.forEach(partition -> watermarks.put(
                partition.fence(), OptionalLong.of(partition.window().watermark())));
        try {
            release(watermarks);
        } catch (SQLException e) {
            LOG.atInfo().addKeyValue("error", e.toString()).log("Partitions could not be released in the database");
        }
    }

    private void release(Map<Fence, OptionalLong> watermarks) throws SQLException {
        database.inTransaction(limit, connection -> {
            generations.release(connection, watermarks);
            return true;
        });
    }
}
