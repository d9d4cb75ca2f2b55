package dev.onceward.dlq.index;

import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.handler.Coordinates;
import dev.onceward.message.Origin;
import dev.onceward.message.RecordIdentity;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** From a row to a {@link Letter}. */
final class LetterRows {
    static final String COLUMNS = "d.consumer_name, d.topic, d.partition, d.record_offset, d.topic_id,"
            + " d.record_timestamp, d.payload_hash, d.origin_topic, d.origin_partition, d.origin_offset,"
            + " d.origin_timestamp, d.message_id, d.record_key, d.status, " + Conditions.STATUS + " AS true_status,"
            + " d.dlt_topic, d.dlt_partition, d.dlt_offset, d.reason, d.error_class, d.error_message, d.attempts,"
            + " d.first_failed_at, d.failed_at, d.dead_at, d.worker_id, d.generation, d.replays, d.replayed_at,"
            + " d.edited_payload_hash, d.resolved_at, d.discarded_at, d.discarded_by, d.discard_reason, d.edited_at,"
            + " d.edited_by, d.asserted_by, d.erased_at";

    private LetterRows() {}

    static Letter read(ResultSet row) throws SQLException {
        return new Letter(
                row.getString("consumer_name"),
                new RecordIdentity(
                        new Coordinates(row.getString("topic"), row.getInt("partition"), row.getLong("record_offset")),
                        row.getObject("topic_id", UUID.class),
                        row.getLong("record_timestamp"),
                        row.getLong("payload_hash")),
                new Origin(
                        new Coordinates(
                                row.getString("origin_topic"),
                                row.getInt("origin_partition"),
                                row.getLong("origin_offset")),
                        row.getLong("origin_timestamp"),
                        row.getInt("replays")),
                row.getString("message_id"),
                row.getBytes("record_key"),
                DeadLetterStatus.valueOf(row.getString("true_status")),
                DeadLetterStatus.valueOf(row.getString("status")),
                copy(row),
                new Letter.Failure(
                        row.getString("reason"),
                        row.getString("error_class"),
                        row.getString("error_message"),
                        row.getInt("attempts"),
                        row.getObject("first_failed_at", OffsetDateTime.class).toInstant(),
                        row.getObject("failed_at", OffsetDateTime.class).toInstant(),
                        row.getString("worker_id"),
                        row.getLong("generation")),
                history(row));
    }

    private static @Nullable Coordinates copy(ResultSet row) throws SQLException {
        String topic = row.getString("dlt_topic");
        return topic == null ? null : new Coordinates(topic, row.getInt("dlt_partition"), row.getLong("dlt_offset"));
    }

    private static Letter.History history(ResultSet row) throws SQLException {
        return new Letter.History(
                instant(row, "dead_at"),
                row.getInt("replays"),
                instant(row, "replayed_at"),
                instant(row, "resolved_at"),
                instant(row, "discarded_at"),
                row.getString("discarded_by"),
                row.getString("discard_reason"),
                instant(row, "edited_at"),
                row.getString("edited_by"),
                row.getObject("edited_payload_hash", Long.class),
                row.getString("asserted_by"),
                instant(row, "erased_at"));
    }

    private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }
}
