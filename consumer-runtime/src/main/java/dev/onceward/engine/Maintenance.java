package dev.onceward.engine;

import dev.onceward.catalog.EventNames;
import dev.onceward.config.ConsumerSettings;
import dev.onceward.metrics.RuntimeMeters;
import dev.onceward.postgres.AttemptPruning;
import dev.onceward.postgres.ClaimPruning;
import dev.onceward.postgres.Database;
import dev.onceward.postgres.TableSizes;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What has to be done now and then: old claims and attempts deleted in small batches, tables measured. */
final class Maintenance implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Maintenance.class);

    private static final int PRUNE_BATCH = 1_000;

    private final Database database;
    private final ClaimPruning claims;
    private final AttemptPruning attempts;
    private final TableSizes sizes;
    private final Duration limit;
    private final boolean prunes;
    private final RuntimeMeters meters;
    private final BooleanSupplier running;
    private final Map<String, Long> bytes = new ConcurrentHashMap<>();

    Maintenance(
            Database database,
            ClaimPruning claims,
            AttemptPruning attempts,
            TableSizes sizes,
            Duration limit,
            boolean prunes,
            RuntimeMeters meters,
            BooleanSupplier running) {
        this.database = database;
        this.claims = claims;
        this.attempts = attempts;
        this.sizes = sizes;
        this.limit = limit;
        this.prunes = prunes;
        this.meters = meters;
        this.running = running;
        for (String table : TableSizes.TABLES) {
            meters.tableSize(table, () -> bytes.getOrDefault(table, 0L));
        }
    }

    static Maintenance of(EngineParts parts, Database database) {
        ConsumerSettings settings = parts.settings();
        Duration retention = settings.retention().claims();
        return new Maintenance(
                database,
                new ClaimPruning(database, retention, PRUNE_BATCH),
                new AttemptPruning(database, retention, PRUNE_BATCH),
                new TableSizes(database),
                settings.limits().lock(),
                settings.retention().pruning(),
                parts.meters(),
                () -> parts.lifecycle().is(WorkerState.RUNNING));
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
        long oldAttempts = inBatches(attempts.batch(), attempts::prune, rows -> {});
        long oldClaims = inBatches(claims.batch(), claims::prune, meters::pruned);
        if (oldAttempts + oldClaims > 0) {
            LOG.atInfo()
                    .addKeyValue(EventNames.KEY, EventNames.PRUNED)
                    .addKeyValue("claims", oldClaims)
                    .addKeyValue("attempts", oldAttempts)
                    .log("What was older than the retention of claims is deleted");
        }
    }

    private long inBatches(int batch, Database.Work<Long> work, LongConsumer deleted) throws SQLException {
        long all = 0;
        long rows;
        do {
            rows = database.inTransaction(limit, work);
            deleted.accept(rows);
            all += rows;
        } while (rows >= batch && running.getAsBoolean());
        return all;
    }
}
