package dev.onceward.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Deletes old claims in small batches.
 *
 * <p>Never a claim at or above its partition's watermark, nor one whose id has an open dead letter. The same transaction
 * raises {@code pruned_through}, so that a record whose claim is gone is told apart from one never processed. A
 * transaction whose INSERT waited for this DELETE claims the id; it reads {@code pruned_through} in a later statement,
 * hence in a snapshot that includes this transaction, and recognises the record as too old.
 *
 * <p>{@code pruned_through} is forgotten when a topic is made again. That claims were ever pruned is not: the same
 * transaction says so in {@code consumers}.
 */
public final class ClaimPruning {
    private static final String PRUNE = "WITH old AS (SELECT p.message_id, g.topic_id FROM {processed_messages} p"
            + " JOIN {partition_generations} g ON g.fence_key = p.fence_key"
            + " WHERE p.consumer_name = ? AND p.processed_at < clock_timestamp() - ? * interval '1 millisecond'"
            + " AND p.source_offset < g.watermark"
            + " AND NOT EXISTS (SELECT FROM {dead_letters} d WHERE d.consumer_name = p.consumer_name"
            + " AND d.message_id = p.message_id AND d.status <> 'RESOLVED')"
            + " ORDER BY p.processed_at LIMIT ? FOR UPDATE OF p SKIP LOCKED),"
            + " gone AS (DELETE FROM {processed_messages} p USING old WHERE p.consumer_name = ?"
            + " AND p.message_id = old.message_id RETURNING p.fence_key, p.source_offset, old.topic_id),"
            + " through AS (SELECT fence_key, topic_id, max(source_offset) AS source_offset, count(*) AS rows"
            + " FROM gone GROUP BY fence_key, topic_id),"
            // In key order, like everything that changes rows of several partitions: no two of them wait in a circle.
            + " locked AS (SELECT fence_key FROM {partition_generations}"
            + " WHERE fence_key IN (SELECT fence_key FROM through) ORDER BY fence_key FOR UPDATE),"
            // The topic may have been made again since the claims were found: its new offsets were never pruned.
            + " raised AS (UPDATE {partition_generations} g SET pruned_through = greatest(g.pruned_through, t.source_offset)"
            + " FROM through t JOIN locked l ON l.fence_key = t.fence_key"
            + " WHERE g.fence_key = t.fence_key AND g.topic_id = t.topic_id),"
            // Reads what is locked, so that it comes after it: two pruners never wait in a circle. Not at every batch:
            // the
            // row would be as dead as often.
            + " marked AS (UPDATE {consumers} c SET claims_pruned_at = clock_timestamp()"
            + " FROM (SELECT count(*) AS partitions FROM locked) l WHERE l.partitions > 0 AND c.consumer_name = ?"
            + " AND (c.claims_pruned_at IS NULL OR c.claims_pruned_at < clock_timestamp() - interval '1 minute'))"
            + " SELECT coalesce(sum(rows), 0) FROM through";

    private final Database database;
    private final Duration retention;
    private final int batch;

    public ClaimPruning(Database database, Duration retention, int batch) {
        this.database = database;
        this.retention = retention;
        this.batch = batch;
    }

    /** The most claims that one batch deletes. */
    public int batch() {
        return batch;
    }

    /** One batch; returns how many claims it deleted. */
    public long prune(Connection connection) throws SQLException {
        try (PreparedStatement statement = database.prepare(connection, PRUNE)) {
            new Parameters(connection, statement)
                    .text(database.consumer())
                    .number(retention.toMillis())
                    .number(batch)
                    .text(database.consumer())
                    .text(database.consumer());
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }
}
