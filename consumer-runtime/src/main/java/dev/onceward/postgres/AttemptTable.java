package dev.onceward.postgres;

import dev.onceward.message.RecordIdentity;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Counted failed attempts, kept per record in {@code message_attempts}, so that they survive crashes and rebalances. */
public final class AttemptTable {
    // greatest: when the answer of this COMMIT is lost, the same number is written again and does no harm. A row of
    // another record at these coordinates (recreated topic, truncated log) is replaced.
    private static final String RECORD = "INSERT INTO {message_attempts} AS a (consumer_name, topic, partition,"
            + " record_offset, topic_id, record_timestamp, payload_hash, message_id, attempts, not_before,"
            + " first_failed_at, last_failed_at, last_error)"
            + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, clock_timestamp() + ? * interval '1 millisecond',"
            + " clock_timestamp(), clock_timestamp(), ?)"
            + " ON CONFLICT (consumer_name, topic, partition, record_offset) DO UPDATE SET"
            + " attempts = CASE WHEN (a.topic_id, a.record_timestamp, a.payload_hash)"
            + " = (excluded.topic_id, excluded.record_timestamp, excluded.payload_hash)"
            + " THEN greatest(a.attempts, excluded.attempts) ELSE excluded.attempts END,"
            + " topic_id = excluded.topic_id, record_timestamp = excluded.record_timestamp,"
            + " payload_hash = excluded.payload_hash, message_id = excluded.message_id,"
            + " not_before = excluded.not_before, last_failed_at = excluded.last_failed_at,"
            + " last_error = excluded.last_error";
    private static final String TAKE_BACK = "UPDATE {message_attempts} SET attempts = ? WHERE consumer_name = ?"
            + " AND topic = ? AND partition = ? AND record_offset = ? AND attempts = ?";
    private static final String DELETE = "DELETE FROM {message_attempts} WHERE consumer_name = ? AND topic = ?"
            + " AND partition = ? AND record_offset = ?";
    // OFFSET 0 keeps the planner from joining in another way: one range of the primary key for each partition, and
    // never
    // all that the table holds of a consumer.
    private static final String LOAD = "SELECT a.* FROM unnest(?, ?, ?) AS n(topic, partition, lowest)"
            + " CROSS JOIN LATERAL (SELECT " + StoredIdentity.COLUMNS + ", attempts,"
            + " greatest(0, extract(epoch FROM not_before - clock_timestamp()) * 1000)::bigint, first_failed_at,"
            + " last_error, message_id FROM {message_attempts} WHERE consumer_name = ? AND topic = n.topic"
            + " AND partition = n.partition AND record_offset >= n.lowest OFFSET 0) a";

    private final Database database;

    public AttemptTable(Database database) {
        this.database = database;
    }

    /** Writes that {@code attempts} attempts have failed and that the next is not before {@code delay} from now. */
    public void record(
            Connection connection,
            RecordIdentity record,
            @Nullable String messageId,
            int attempts,
            Duration delay,
            String error)
            throws SQLException {
        try (PreparedStatement statement = database.prepare(connection, RECORD)) {
            new Parameters(connection, statement)
                    .text(database.consumer())
                    .coordinates(record)
                    .uuid(record.topicId())
                    .number(record.timestamp())
                    .number(record.payloadHash())
                    .text(messageId)
                    .number(attempts)
                    .number(delay.toMillis())
                    .text(error);
            statement.executeUpdate();
        }
    }

    /** Takes back an attempt that was written before its run and turned out not to count. */
    public void takeBack(Connection connection, RecordIdentity record, int attempts) throws SQLException {
        try (PreparedStatement statement = database.prepare(connection, TAKE_BACK)) {
            new Parameters(connection, statement)
                    .number(attempts - 1)
                    .text(database.consumer())
                    .coordinates(record)
                    .number(attempts);
            statement.executeUpdate();
        }
    }

    /** Forgets the attempts of a record: its effect commits, or it is given up. */
    public void delete(Connection connection, RecordIdentity record) throws SQLException {
        try (PreparedStatement statement = database.prepare(connection, DELETE)) {
            new Parameters(connection, statement).text(database.consumer()).coordinates(record);
            statement.executeUpdate();
        }
    }

    /** The attempts of these partitions' unfinished records. */
    public List<Attempts> load(Connection connection, Collection<Unfinished> partitions) throws SQLException {
        try (PreparedStatement statement = database.prepare(connection, LOAD)) {
            new Parameters(connection, statement).unfinished(partitions).text(database.consumer());
            List<Attempts> rows = new ArrayList<>();
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    rows.add(new Attempts(
                            StoredIdentity.read(row),
                            row.getInt(7),
                            Duration.ofMillis(row.getLong(8)),
                            row.getObject(9, OffsetDateTime.class).toInstant(),
                            row.getString(10),
                            row.getString(11)));
                }
            }
            return rows;
        }
    }

    /**
     * What is stored about a record's failures.
     *
     * @param record which record
     * @param attempts counted failed attempts
     * @param delay how long from now the next attempt has to wait
     * @param firstFailedAt when the first one failed
     * @param lastError what the last one said
     * @param messageId its message id, if it was known then
     */
    public record Attempts(
            RecordIdentity record,
            int attempts,
            Duration delay,
            Instant firstFailedAt,
            String lastError,
            @Nullable String messageId) {}
}
