package dev.onceward.engine;

import dev.onceward.engine.SimDatabase.Row;
import dev.onceward.engine.SimDatabase.Tx;
import dev.onceward.postgres.Fence;
import dev.onceward.postgres.WorkerTable;
import java.sql.SQLException;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;

/** Heartbeats into the model of the database. */
record SimPresence(SimDatabase database, SimWorker worker) implements Presence {

    @Override
    public Beat beat(Set<Fence> owned, Collection<WorkerTable.Watermark> moved) throws SQLException {
        Tx tx = database.begin(worker);
        try {
            database.statement(tx, "heartbeat");
            Set<Fence> stale = new LinkedHashSet<>();
            owned.stream()
                    .filter(fence -> database.rows.get(fence.fenceKey()).generation != fence.generation())
                    .forEach(stale::add);
            Set<Integer> stored = new LinkedHashSet<>();
            int ahead = database.bug == Bug.WATERMARK_AHEAD ? 1 : 0;
            for (WorkerTable.Watermark watermark : moved) {
                Row row = database.rows.get(watermark.fence().fenceKey());
                if (row.generation == watermark.fence().generation()) {
                    stored.add(row.fenceKey);
                    tx.writes.add(() -> {
                        if (row.generation == watermark.fence().generation()) {
                            database.storeWatermark(row, watermark.offset() + ahead);
                        }
                    });
                }
            }
            database.commit(tx);
            return new Beat(stale, stored);
        } finally {
            database.rollback(tx);
        }
    }

    @Override
    public void end() throws SQLException {
        database.probe(worker);
    }

    @Override
    public void drop() {
        // every heartbeat has a session of its own
    }
}
