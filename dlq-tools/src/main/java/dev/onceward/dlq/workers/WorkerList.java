package dev.onceward.dlq.workers;

import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.exit.UsageException;
import dev.onceward.dlq.index.DeadLetterIndex;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The workers as the database knows them. Reads only. For one thread. */
public final class WorkerList {
    // A worker that was killed a day ago has lost its row to the next one's, and may own partitions still.
    // Ages are computed where the clock is that stamped them.
    private static final String WORKERS = "WITH owned AS (SELECT consumer_name, worker_id, topic, partition, fence_key,"
            + " generation FROM {partition_generations} WHERE worker_id IS NOT NULL AND released_at IS NULL)"
            + " SELECT coalesce(w.consumer_name, o.consumer_name) AS consumer, coalesce(w.worker_id, o.worker_id) AS worker,"
            + " w.host, w.version, w.started_at,"
            + " extract(epoch FROM clock_timestamp() - w.heartbeat_at) * 1000, extract(epoch FROM w.lease) * 1000,"
            + " o.topic, o.partition, o.fence_key, o.generation"
            + " FROM {consumer_workers} w FULL JOIN owned o USING (consumer_name, worker_id)"
            + " WHERE ?::text IS NULL OR coalesce(w.consumer_name, o.consumer_name) = ?"
            + " ORDER BY consumer, w.started_at NULLS LAST, worker, o.topic, o.partition";

    private final Connections connections;

    /** Over the command's own connection. */
    public WorkerList(Connections connections) {
        this.connections = connections;
    }

    /** All workers of the consumer asked for, else of all consumers: by consumer, the longest running first. */
    public List<RunningWorker> read() throws SQLException {
        try (PreparedStatement statement =
                connections.database().prepareStatement(connections.tables().sql(WORKERS))) {
            String wanted = connections.consumer().orElse(null);
            statement.setString(1, wanted);
            statement.setString(2, wanted);
            try (ResultSet row = statement.executeQuery()) {
                return read(row);
            }
        }
    }

    /**
     * Checks that there is the consumer asked for, if one was.
     *
     * @throws UsageException others have run here, but it never has: that none of its workers runs would be taken for an
     *     answer
     */
    public void checkConsumer() throws SQLException {
        String asked = connections.consumer().orElse(null);
        if (asked == null) {
            return;
        }
        List<String> known = new DeadLetterIndex(connections).consumers();
        if (!known.isEmpty() && !known.contains(asked)) {
            throw new UsageException("--consumer: there is no " + asked + "; there are: " + String.join(", ", known));
        }
    }

    private static List<RunningWorker> read(ResultSet row) throws SQLException {
        List<RunningWorker> workers = new ArrayList<>();
        while (row.next()) {
            RunningWorker last = workers.isEmpty() ? null : workers.get(workers.size() - 1);
            String consumer = row.getString(1);
            String id = row.getString(2);
            if (last == null || !last.consumer().equals(consumer) || !last.id().equals(id)) {
                last = new RunningWorker(
                        consumer,
                        id,
                        row.getString(3),
                        row.getString(4),
                        instant(row.getObject(5, OffsetDateTime.class)),
                        millis(row, 6),
                        millis(row, 7),
                        new ArrayList<>());
                workers.add(last);
            }
            String topic = row.getString(8);
            if (topic != null) {
                last.partitions()
                        .add(new RunningWorker.OwnedPartition(topic, row.getInt(9), row.getInt(10), row.getLong(11)));
            }
        }
        return workers;
    }

    private static @Nullable Instant instant(@Nullable OffsetDateTime time) {
        return time == null ? null : time.toInstant();
    }

    private static @Nullable Duration millis(ResultSet row, int column) throws SQLException {
        return row.getObject(column) == null
                ? null
                : Duration.ofMillis(
                        Objects.requireNonNull(row.getBigDecimal(column)).longValue());
    }
}
