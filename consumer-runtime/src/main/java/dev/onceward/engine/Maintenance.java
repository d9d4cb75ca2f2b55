package dev.onceward.engine;

import dev.onceward.metrics.RuntimeMeters;
import dev.onceward.postgres.ClaimPruning;
import dev.onceward.postgres.Database;
import dev.onceward.postgres.TableSizes;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What has to be done now and then: old claims deleted in small batches, tables measured. */
final class Maintenance implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Maintenance.class);

    private final Database database;
    private final ClaimPruning pruning;
    private final TableSizes sizes;
    private final Duration limit;
    private final boolean prunes;
    private final RuntimeMeters meters;
    private final BooleanSupplier running;
    private final Map<String, Long> bytes = new ConcurrentHashMap<>();

    Maintenance(
            Database database,
            ClaimPruning pruning,
            TableSizes sizes,
            Duration limit,
            boolean prunes,
            RuntimeMeters meters,
            BooleanSupplier running) {
        this.database = database;
        this.pruning = pruning;
        this.sizes = sizes;
        this.limit = limit;
        this.prunes = prunes;
        this.meters = meters;
        this.running = running;
        for (String table : TableSizes.TABLES) {
            meters.tableSize(table, () -> bytes.getOrDefault(table, 0L));
        }
    }

    @Override
    public void run() {
        try {
            bytes.putAll(database.inTransaction(limit, sizes::measure));
            if (prunes) {
                prune();
            }
        } catch (SQLException e) {
            LOG.atInfo().addKeyValue("error", e.toString()).log("Maintenance could not be done; tried again later");
        }
    }

    private void prune() throws SQLException {
        long rows;
        do {
            rows = database.inTransaction(limit, pruning::prune);
            meters.pruned(rows);
        } while (rows >= pruning.batch() && running.getAsBoolean());
    }
}
