package dev.onceward.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Deletes attempts that nobody will ask for again, in small batches: those of records that were finished without an
 * effect or a dead letter of their own (a reused id that was skipped, records lost to retention), and those of a topic
 * that was made again. They are kept for as long as claims, in case somebody sets offsets back.
 */
public final class AttemptPruning {
    private static final String PRUNE = "WITH old AS (SELECT a.topic, a.partition, a.record_offset"
            + " FROM {message_attempts} a JOIN {partition_generations} g USING (consumer_name, topic, partition)"
            + " WHERE a.consumer_name = ? AND a.last_failed_at < clock_timestamp() - ? * interval '1 millisecond'"
            // An owner works only at and above its watermark.
            + " AND (a.topic_id <> g.topic_id OR a.record_offset < g.watermark)"
            // One that an owner writes at this moment is not old.
            + " ORDER BY a.last_failed_at LIMIT ? FOR UPDATE OF a SKIP LOCKED)"
            + " DELETE FROM {message_attempts} a USING old WHERE a.consumer_name = ? AND a.topic = old.topic"
            + " AND a.partition = old.partition AND a.record_offset = old.record_offset";

    private final Database database;
    private final Duration retention;
    private final int batch;

    public AttemptPruning(Database database, Duration retention, int batch) {
        this.database = database;
        this.retention = retention;
        this.batch = batch;
    }

    /** The most rows that one batch deletes. */
    public int batch() {
        return batch;
    }

    /** One batch; returns how many rows it deleted. */
    public long prune(Connection connection) throws SQLException {
        try (PreparedStatement statement = database.prepare(connection, PRUNE)) {
            new Parameters(connection, statement)
                    .text(database.consumer())
                    .number(retention.toMillis())
                    .number(batch)
                    .text(database.consumer());
            return statement.executeUpdate();
        }
    }
}
