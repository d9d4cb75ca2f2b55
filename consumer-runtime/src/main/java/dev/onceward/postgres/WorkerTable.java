package dev.onceward.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/** Heartbeats of workers in {@code consumer_workers}, by the database's clock. */
public final class WorkerTable {
    private static final String STAMP = "INSERT INTO {consumer_workers} AS w (consumer_name, worker_id, group_id, host,"
            + " version, started_at, heartbeat_at, lease)"
            + " VALUES (?, ?, ?, ?, ?, clock_timestamp(), clock_timestamp(), ? * interval '1 millisecond')"
            + " ON CONFLICT (consumer_name, worker_id) DO UPDATE SET heartbeat_at = excluded.heartbeat_at";
    // In key order and around rows another transaction is changing: a takeover may hold some of them, and two
    // transactions that update several rows in different orders would deadlock. A row passed over is stored next time.
    private static final String WATERMARKS = "UPDATE {partition_generations} g SET watermark = m.watermark"
            + " FROM (SELECT p.fence_key, n.watermark FROM unnest(?, ?, ?) AS n(fence_key, generation, watermark)"
            + " JOIN {partition_generations} p ON p.fence_key = n.fence_key AND p.generation = n.generation"
            + " ORDER BY p.fence_key FOR UPDATE OF p SKIP LOCKED) m WHERE g.fence_key = m.fence_key"
            + " RETURNING g.fence_key";
    private static final String STALE = "SELECT n.fence_key, n.generation FROM unnest(?, ?) AS n(fence_key, generation)"
            + " LEFT JOIN {partition_generations} p ON p.fence_key = n.fence_key"
            + " WHERE p.generation IS DISTINCT FROM n.generation";
    private static final String REMOVE = "DELETE FROM {consumer_workers} WHERE consumer_name = ? AND worker_id = ?";
    // Rows of workers that died long ago tell nobody anything.
    private static final String FORGET = "DELETE FROM {consumer_workers} WHERE consumer_name = ?"
            + " AND heartbeat_at < clock_timestamp() - interval '1 day'";

    private final Database database;
    private final Identity worker;
    private final Duration lease;

    public WorkerTable(Database database, Identity worker, Duration lease) {
        this.database = database;
        this.worker = worker;
        this.lease = lease;
    }

    /** Stamps this worker's row. */
    public void stamp(Connection connection) throws SQLException {
        try (PreparedStatement statement = database.prepare(connection, STAMP)) {
            new Parameters(connection, statement)
                    .text(database.consumer())
                    .text(worker.workerId())
                    .text(worker.groupId())
                    .text(worker.host())
                    .text(worker.version())
                    .number(lease.toMillis());
            statement.executeUpdate();
        }
    }

    /** Stores the watermarks that moved; returns the fence keys of those it could store now. */
    public Set<Integer> storeWatermarks(Connection connection, Collection<Watermark> moved) throws SQLException {
        Set<Integer> stored = new HashSet<>();
        if (moved.isEmpty()) {
            return stored;
        }
        try (PreparedStatement statement = database.prepare(connection, WATERMARKS)) {
            new Parameters(connection, statement)
                    .array("int4", moved.stream().map(m -> m.fence().fenceKey()).toArray())
                    .array(
                            "int8",
                            moved.stream().map(m -> m.fence().generation()).toArray())
                    .array("int8", moved.stream().map(Watermark::offset).toArray());
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    stored.add(row.getInt(1));
                }
            }
        }
        return stored;
    }

    /** Those of the given fences that are not the worker's any more. */
    public Set<Fence> stale(Connection connection, Collection<Fence> fences) throws SQLException {
        Set<Fence> stale = new HashSet<>();
        if (fences.isEmpty()) {
            return stale;
        }
        try (PreparedStatement statement = database.prepare(connection, STALE)) {
            new Parameters(connection, statement)
                    .array("int4", fences.stream().map(Fence::fenceKey).toArray())
                    .array("int8", fences.stream().map(Fence::generation).toArray());
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    stale.add(new Fence(row.getInt(1), row.getLong(2)));
                }
            }
        }
        return stale;
    }

    /** Takes this worker's row away at an orderly end, and those of workers dead for a day. */
    public void remove(Connection connection) throws SQLException {
        try (PreparedStatement statement = database.prepare(connection, REMOVE)) {
            new Parameters(connection, statement).text(database.consumer()).text(worker.workerId());
            statement.executeUpdate();
        }
        try (PreparedStatement statement = database.prepare(connection, FORGET)) {
            new Parameters(connection, statement).text(database.consumer());
            statement.executeUpdate();
        }
    }

    /** Who this worker is. */
    public record Identity(String workerId, String groupId, String host, String version) {}

    /** A watermark to store, under the fence it was reached with. */
    public record Watermark(Fence fence, long offset) {}
}
