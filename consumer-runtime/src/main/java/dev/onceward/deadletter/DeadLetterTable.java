package dev.onceward.deadletter;

import dev.onceward.catalog.DeadLetterReason;
import dev.onceward.handler.Coordinates;
import dev.onceward.message.Origin;
import dev.onceward.message.RecordIdentity;
import dev.onceward.postgres.AttemptTable;
import dev.onceward.postgres.Database;
import dev.onceward.postgres.Parameters;
import dev.onceward.postgres.StoredIdentity;
import dev.onceward.postgres.Unfinished;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
            + " AND d.topic_id = ? AND (d.status = 'PENDING' OR d.status = 'DEAD' AND d.dlt_offset IS NULL)";
    private static final String LOST = "UPDATE {dead_letters} d SET status = 'DEAD', reason = 'PAYLOAD_LOST',"
            + " dead_at = clock_timestamp() FROM unnest(?, ?, ?, ?) AS n(topic, partition, earliest, topic_id)"
            + " WHERE d.consumer_name = ? AND d.topic = n.topic AND d.partition = n.partition"
            + " AND (d.record_offset < n.earliest OR d.topic_id <> n.topic_id) AND d.status = 'PENDING'"
            + " RETURNING d.topic, d.partition, d.record_offset";
    // OFFSET 0 keeps the planner from joining in another way: one range of the primary key for each partition, and
    // never all that the table holds of a consumer. Only what is still to be published is read whole: after a reset far
    // back
    // there may be any number of the others.
    private static final String LOAD = "SELECT d.* FROM unnest(?, ?, ?) AS n(topic, partition, lowest)"
            + " CROSS JOIN LATERAL (SELECT " + StoredIdentity.COLUMNS + ", unpublished"
            + Stream.of(
                            "origin_topic",
                            "origin_partition",
                            "origin_offset",
                            "origin_timestamp",
                            "replays",
                            "message_id",
                            "reason",
                            "error_class",
                            "error_message",
                            "error_stacktrace",
                            "attempts",
                            "first_failed_at",
                            "failed_at",
                            "worker_id",
                            "generation")
                    .map(column -> ", CASE WHEN unpublished THEN " + column + " END")
                    .collect(Collectors.joining())
            + " FROM {dead_letters}, LATERAL (SELECT status = 'PENDING' OR status = 'DEAD' AND dlt_offset IS NULL) u(unpublished)"
            + " WHERE consumer_name = ? AND topic = n.topic AND partition = n.partition"
            + " AND record_offset >= n.lowest OFFSET 0) d ORDER BY d.record_offset";
    private static final int FETCH_SIZE = 1_000;

    private final Database database;
    private final AttemptTable attempts;
    private final ClaimCheck claimCheck;

    public DeadLetterTable(Database database, AttemptTable attempts) {
        this.database = database;
        this.attempts = attempts;
        this.claimCheck = new ClaimCheck(database);
    }

    /**
     * Step 1: the decision; from now on the record is not run again. Its attempts are forgotten. Repeatable.
     *
     * @return the letter as recorded: with another reason where its own would prove the message unprocessed, and it is not
     */
    public DeadLetter decide(Connection connection, DeadLetter given, byte @Nullable [] key) throws SQLException {
        DeadLetter letter = claimCheck.checked(connection, given);
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
        return letter;
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
     * Marks what was decided but never published, and whose record cannot be fetched any more: the broker has deleted it,
     * or it stood in a topic of this name that was deleted. One that an operator stepped over is still there: it stays
     * PENDING, and is published when it is fetched again.
     */
    public List<Coordinates> markPayloadLost(Connection connection, Collection<Unfinished> partitions)
            throws SQLException {
        try (PreparedStatement statement = database.prepare(connection, LOST)) {
            new Parameters(connection, statement)
                    .array("text", partitions.stream().map(Unfinished::topic).toArray())
                    .array(
                            "int4",
                            partitions.stream().map(Unfinished::partition).toArray())
                    .array("int8", partitions.stream().map(Unfinished::earliest).toArray())
                    .array("uuid", partitions.stream().map(Unfinished::topicId).toArray())
                    .text(database.consumer());
            List<Coordinates> records = new ArrayList<>();
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    records.add(new Coordinates(row.getString(1), row.getInt(2), row.getLong(3)));
                }
            }
            return records;
        }
    }

    /** Tells of the dead letters of these partitions' unfinished records, in the order of their offsets. */
    public void load(Connection connection, Collection<Unfinished> partitions, Reader reader) throws SQLException {
        try (PreparedStatement statement = database.prepare(connection, LOAD)) {
            new Parameters(connection, statement).unfinished(partitions).text(database.consumer());
            statement.setFetchSize(FETCH_SIZE);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    if (row.getBoolean(7)) {
                        reader.unpublished(read(row));
                    } else {
                        reader.finished(StoredIdentity.read(row));
                    }
                }
            }
        }
    }

    private static DeadLetter read(ResultSet row) throws SQLException {
        return new DeadLetter(
                StoredIdentity.read(row),
                new Origin(
                        new Coordinates(row.getString(8), row.getInt(9), row.getLong(10)),
                        row.getLong(11),
                        row.getInt(12)),
                row.getString(13),
                DeadLetterReason.valueOf(row.getString(14)),
                row.getString(15),
                row.getString(16),
                row.getString(17),
                row.getInt(18),
                row.getObject(19, OffsetDateTime.class).toInstant(),
                row.getObject(20, OffsetDateTime.class).toInstant(),
                row.getString(21),
                row.getLong(22));
    }

    /** Is told of stored dead letters. */
    public interface Reader {
        /** Decided, and no copy of it is known: to be published when its record comes. */
        void unpublished(DeadLetter letter);

        /** Given up for good. */
        void finished(RecordIdentity record);
    }
}
