package dev.onceward.deadletter;

import dev.onceward.catalog.DeadLetterReason;
import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.handler.Coordinates;
import dev.onceward.message.Origin;
import dev.onceward.message.RecordIdentity;
import dev.onceward.postgres.AttemptTable;
import dev.onceward.postgres.Database;
import dev.onceward.postgres.Parameters;
import dev.onceward.postgres.StoredIdentity;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * {@code dead_letters}: which records were given up, one row each. Giving up takes three steps, with no lock or
 * connection held while the broker is waited for: {@link #decide} (PENDING: final, the record is never run again), the
 * publication, {@link #confirm} (DEAD, with the coordinates of the copy that counts). A crash between them leads back to
 * the publication, which may leave a copy in the topic that the row does not name.
 */
public final class DeadLetterTable {
    // Another record at the same coordinates (a truncated log) is replaced; the copy in the topic stays.
    private static final String DECIDE = "INSERT INTO {dead_letters} AS d (consumer_name, topic, partition,"
            + " record_offset, topic_id, record_timestamp, payload_hash, origin_topic, origin_partition, origin_offset,"
            + " origin_timestamp, message_id, record_key, status, reason, error_class, error_message, error_stacktrace,"
            + " attempts, first_failed_at, failed_at, worker_id, generation, replays)"
            + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'PENDING', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            + " ON CONFLICT (consumer_name, topic, partition, record_offset, topic_id) DO UPDATE SET"
            + " record_timestamp = excluded.record_timestamp, payload_hash = excluded.payload_hash,"
            + " origin_topic = excluded.origin_topic, origin_partition = excluded.origin_partition,"
            + " origin_offset = excluded.origin_offset, origin_timestamp = excluded.origin_timestamp,"
            + " message_id = excluded.message_id, record_key = excluded.record_key, status = 'PENDING',"
            + " dlt_topic = NULL, dlt_partition = NULL, dlt_offset = NULL, dead_at = NULL, resolved_at = NULL,"
            + " reason = excluded.reason, error_class = excluded.error_class, error_message = excluded.error_message,"
            + " error_stacktrace = excluded.error_stacktrace, attempts = excluded.attempts,"
            + " first_failed_at = excluded.first_failed_at, failed_at = excluded.failed_at,"
            + " worker_id = excluded.worker_id, generation = excluded.generation, replays = excluded.replays,"
            + " replayed_at = NULL, edited_payload_hash = NULL, edited_at = NULL, edited_by = NULL, asserted_by = NULL,"
            + " discarded_at = NULL, discarded_by = NULL, discard_reason = NULL, erased_at = NULL, erased_by = NULL"
            + " WHERE (d.record_timestamp, d.payload_hash) IS DISTINCT FROM (excluded.record_timestamp, excluded.payload_hash)";
    // If another copy of the message took effect in the meantime, the dead letter is resolved from the start.
    private static final String CONFIRM = "UPDATE {dead_letters} d SET status ="
            + " CASE WHEN p.message_id IS NULL THEN 'DEAD' ELSE 'RESOLVED' END,"
            + " resolved_at = CASE WHEN p.message_id IS NOT NULL THEN clock_timestamp() END,"
            + " dlt_topic = ?, dlt_partition = ?, dlt_offset = ?, dead_at = clock_timestamp()"
            + " FROM (SELECT 1) one LEFT JOIN {processed_messages} p ON p.consumer_name = ? AND p.message_id = ?"
            + " AND p.payload_hash = ?"
            + " WHERE d.consumer_name = ? AND d.topic = ? AND d.partition = ? AND d.record_offset = ?"
            + " AND d.topic_id = ? AND d.status = 'PENDING'";
    private static final String LOST = "UPDATE {dead_letters} SET status = 'DEAD', reason = 'PAYLOAD_LOST',"
            + " dead_at = clock_timestamp() WHERE consumer_name = ? AND topic = ? AND partition = ?"
            + " AND (record_offset < ? OR topic_id <> ?) AND status = 'PENDING' RETURNING record_offset";
    private static final String LOAD = "SELECT record_offset, topic_id, record_timestamp, payload_hash, status,"
            + " origin_topic, origin_partition, origin_offset, origin_timestamp, replays, message_id, reason,"
            + " error_class, error_message,"
            // Needed only to publish, and large.
            + " CASE status WHEN 'PENDING' THEN error_stacktrace ELSE '' END,"
            + " attempts, first_failed_at, failed_at, worker_id, generation"
            + " FROM {dead_letters} WHERE consumer_name = ? AND topic = ? AND partition = ? AND record_offset >= ?";

    private final Database database;
    private final AttemptTable attempts;

    public DeadLetterTable(Database database, AttemptTable attempts) {
        this.database = database;
        this.attempts = attempts;
    }

    /** Step 1: the decision; from now on the record is not run again. Its attempts are forgotten. Repeatable. */
    public void decide(Connection connection, DeadLetter letter, byte @Nullable [] key) throws SQLException {
        try (PreparedStatement statement = database.prepare(connection, DECIDE)) {
            Coordinates origin = letter.origin().coordinates();
            new Parameters(connection, statement)
                    .text(database.consumer())
                    .coordinates(letter.record())
                    .uuid(letter.record().topicId())
                    .number(letter.record().timestamp())
                    .number(letter.record().payloadHash())
                    .text(origin.topic())
                    .number(origin.partition())
                    .number(origin.offset())
                    .number(letter.origin().timestamp())
                    .text(letter.messageId())
                    .bytes(key)
                    .text(letter.reason().name())
                    .text(letter.errorClass())
                    .text(letter.errorMessage())
                    .text(letter.stacktrace())
                    .number(letter.attempts())
                    .instant(letter.firstFailedAt())
                    .instant(letter.failedAt())
                    .text(letter.workerId())
                    .number(letter.generation())
                    .number(letter.origin().replays());
            statement.executeUpdate();
        }
        attempts.delete(connection, letter.record());
    }

    /** Step 3: the broker has acknowledged the copy at these coordinates. Repeatable: the first copy named stays. */
    public void confirm(Connection connection, DeadLetter letter, Coordinates copy) throws SQLException {
        try (PreparedStatement statement = database.prepare(connection, CONFIRM)) {
            new Parameters(connection, statement)
                    .text(copy.topic())
                    .number(copy.partition())
                    .number(copy.offset())
                    .text(database.consumer())
                    .text(letter.messageId())
                    .number(letter.record().payloadHash())
                    .text(database.consumer())
                    .coordinates(letter.record())
                    .uuid(letter.record().topicId());
            statement.executeUpdate();
        }
    }

    /**
     * Marks what was decided but never published, and whose record cannot be fetched any more: it is before what is
     * fetched, or stood in a topic of this name that was deleted.
     */
    public List<Long> markPayloadLost(Connection connection, String topic, int partition, long before, UUID topicId)
            throws SQLException {
        try (PreparedStatement statement = database.prepare(connection, LOST)) {
            new Parameters(connection, statement)
                    .text(database.consumer())
                    .text(topic)
                    .number(partition)
                    .number(before)
                    .uuid(topicId);
            List<Long> offsets = new ArrayList<>();
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    offsets.add(row.getLong(1));
                }
            }
            return offsets;
        }
    }

    /** The dead letters of a partition's records from {@code offset} on. */
    public List<Stored> load(Connection connection, String topic, int partition, long offset) throws SQLException {
        try (PreparedStatement statement = database.prepare(connection, LOAD)) {
            new Parameters(connection, statement)
                    .text(database.consumer())
                    .text(topic)
                    .number(partition)
                    .number(offset);
            List<Stored> rows = new ArrayList<>();
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    rows.add(new Stored(read(row, topic, partition), DeadLetterStatus.valueOf(row.getString(5))));
                }
            }
            return rows;
        }
    }

    private static DeadLetter read(ResultSet row, String topic, int partition) throws SQLException {
        RecordIdentity record = StoredIdentity.read(row, topic, partition);
        return new DeadLetter(
                record,
                new Origin(
                        new Coordinates(row.getString(6), row.getInt(7), row.getLong(8)),
                        row.getLong(9),
                        row.getInt(10)),
                row.getString(11),
                DeadLetterReason.valueOf(row.getString(12)),
                row.getString(13),
                row.getString(14),
                row.getString(15),
                row.getInt(16),
                row.getObject(17, OffsetDateTime.class).toInstant(),
                row.getObject(18, OffsetDateTime.class).toInstant(),
                row.getString(19),
                row.getLong(20));
    }

    /** A dead letter and its state. */
    public record Stored(DeadLetter letter, DeadLetterStatus status) {}
}
