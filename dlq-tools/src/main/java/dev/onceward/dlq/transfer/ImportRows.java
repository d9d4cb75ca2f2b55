package dev.onceward.dlq.transfer;

import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.dlq.connect.ArrayParameters;
import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.connect.Deadlocks;
import dev.onceward.dlq.index.Letter;
import dev.onceward.handler.Coordinates;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/** The rows of {@code dead_letters} as an import needs them: what they prove, new copies for old rows, new rows. */
final class ImportRows {
    private static final String EVIDENCE =
            "SELECT w.n, " + ImportProof.TOOK_EFFECT + ", " + ImportProof.WOULD_BE_TOO_OLD + ", "
                    + ImportProof.ERASED
                    + " FROM (SELECT ?::text AS consumer_name, u.* FROM unnest(?, ?, ?, ?, ?, ?, ?, ?, ?) WITH ORDINALITY"
                    + " AS u(message_id, payload_hash, edited_hash, topic_id, origin_topic, origin_partition,"
                    + " origin_offset, is_first, reason, n)) w";
    // Guarded by the copy that was found to be gone: somebody else may have put it back, too.
    // In key order, like all that changes several rows: no two of them wait in a circle.
    private static final String MOVE = "UPDATE {dead_letters} d SET dlt_topic = k.new_topic,"
            + " dlt_partition = k.new_partition, dlt_offset = k.new_offset FROM (SELECT r.consumer_name, r.topic,"
            + " r.partition, r.record_offset, r.topic_id, w.new_topic, w.new_partition, w.new_offset"
            + " FROM unnest(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) AS w(topic, partition, record_offset, topic_id,"
            + " record_timestamp, payload_hash, old_topic, old_partition, old_offset, new_topic, new_partition, new_offset)"
            + " JOIN {dead_letters} r ON r.consumer_name = ? AND r.topic = w.topic AND r.partition = w.partition"
            + " AND r.record_offset = w.record_offset AND r.topic_id = w.topic_id"
            + " AND r.record_timestamp = w.record_timestamp AND r.payload_hash = w.payload_hash"
            + " AND r.dlt_topic = w.old_topic AND r.dlt_partition = w.old_partition AND r.dlt_offset = w.old_offset"
            + " AND r.status <> 'RESOLVED' AND r.erased_at IS NULL"
            + " ORDER BY r.topic, r.partition, r.record_offset, r.topic_id FOR UPDATE OF r) k"
            + " WHERE d.consumer_name = k.consumer_name AND d.topic = k.topic AND d.partition = k.partition"
            + " AND d.record_offset = k.record_offset AND d.topic_id = k.topic_id"
            + " RETURNING d.topic, d.partition, d.record_offset, d.topic_id";
    // asserted_by is left out: whoever asserted something, did so of the letter that was there then.
    // dead_at is what it was: an old failure is not to become the newest of its message, which is the one that counts.
    // But never in the future, whatever the file says: no replay would see it.
    private static final String ADD = "INSERT INTO {dead_letters} (consumer_name, topic, partition, record_offset,"
            + " topic_id, record_timestamp, payload_hash, origin_topic, origin_partition, origin_offset,"
            + " origin_timestamp, message_id, record_key, status, dlt_topic, dlt_partition, dlt_offset, reason,"
            + " error_class, error_message, error_stacktrace, attempts, first_failed_at, failed_at, dead_at, worker_id,"
            + " generation, replays, replayed_at, edited_payload_hash, discarded_at, discarded_by, discard_reason,"
            + " edited_at, edited_by) SELECT w.consumer_name, w.topic, w.partition, w.record_offset, w.topic_id,"
            + " w.record_timestamp, w.payload_hash, w.origin_topic, w.origin_partition, w.origin_offset,"
            + " w.origin_timestamp, w.message_id, w.record_key, w.status, w.dlt_topic, w.dlt_partition, w.dlt_offset,"
            + " CASE WHEN t.too_old THEN 'TOO_OLD' ELSE w.reason END, w.error_class,"
            + " CASE WHEN t.too_old THEN 'imported, and was ' || w.reason || ': ' || w.error_message"
            + " ELSE w.error_message END, w.error_stacktrace, w.attempts, w.first_failed_at, w.failed_at,"
            + " least(coalesce(w.dead_at, w.failed_at), clock_timestamp()), w.worker_id, w.generation,"
            + " w.replays, w.replayed_at, w.edited_hash, w.discarded_at, w.discarded_by, w.discard_reason,"
            + " w.edited_at, w.edited_by"
            + " FROM (SELECT ?::text AS consumer_name, u.* FROM unnest(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
            + " ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) AS u(topic, partition, record_offset,"
            + " topic_id, record_timestamp, payload_hash, origin_topic, origin_partition, origin_offset,"
            + " origin_timestamp, message_id, record_key, status, dlt_topic, dlt_partition, dlt_offset, reason,"
            + " error_class, error_message, error_stacktrace, attempts, first_failed_at, failed_at, dead_at, worker_id,"
            + " generation, replays, replayed_at, edited_hash, discarded_at, discarded_by, discard_reason, edited_at,"
            + " edited_by, is_first)) w"
            + " CROSS JOIN LATERAL (SELECT " + ImportProof.WOULD_BE_TOO_OLD + " AS too_old) t"
            + " WHERE NOT " + ImportProof.TOOK_EFFECT + " AND NOT " + ImportProof.ERASED
            + " ORDER BY w.topic, w.partition, w.record_offset, w.topic_id ON CONFLICT DO NOTHING"
            + " RETURNING topic, partition, record_offset, topic_id, reason";

    private final Connections connections;
    private final String consumer;

    ImportRows(Connections connections, String consumer) {
        this.connections = connections;
        this.consumer = consumer;
    }

    /** What the tables tell of the messages of these letters. */
    List<Evidence> evidence(List<Letter> letters) throws SQLException {
        Evidence[] all = new Evidence[letters.size()];
        try (PreparedStatement statement = ArrayParameters.prepare(connections, EVIDENCE)) {
            ArrayParameters.of(connections, statement, letters)
                    .text(consumer)
                    .column("text", Letter::messageId)
                    .column("int8", letter -> letter.record().payloadHash())
                    .column("int8", letter -> letter.history().editedPayloadHash())
                    .column("uuid", letter -> letter.record().topicId())
                    .coordinates(letter -> letter.origin().coordinates())
                    .column("bool", ImportRows::isFirst)
                    .column("text", letter -> letter.failure().reason());
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    all[row.getInt(1) - 1] = new Evidence(row.getBoolean(2), row.getBoolean(3), row.getBoolean(4));
                }
            }
        }
        return List.of(all);
    }

    /** Names the new copies in the rows of the old ones; returns the rows that were changed. */
    Map<Key, ImportKind> move(List<Published> published) throws SQLException {
        return published.isEmpty() ? Map.of() : Deadlocks.retried(() -> tryToMove(published));
    }

    /** Makes rows; returns those that were made. The others are known by now, or have taken effect. */
    Map<Key, ImportKind> add(List<Published> published) throws SQLException {
        return published.isEmpty() ? Map.of() : Deadlocks.retried(() -> tryToAdd(published));
    }

    private Map<Key, ImportKind> tryToMove(List<Published> published) throws SQLException {
        try (PreparedStatement statement = ArrayParameters.prepare(connections, MOVE)) {
            ArrayParameters.of(connections, statement, published)
                    .coordinates(copy -> copy.row().record().coordinates())
                    .column("uuid", copy -> copy.row().record().topicId())
                    .column("int8", copy -> copy.row().record().timestamp())
                    .column("int8", copy -> copy.row().record().payloadHash())
                    .coordinates(copy -> Objects.requireNonNull(copy.row().copy()))
                    .coordinates(Published::place)
                    .text(consumer);
            Map<Key, ImportKind> moved = new HashMap<>();
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    moved.put(Key.read(row), ImportKind.RESTORED);
                }
            }
            return moved;
        }
    }

    private Map<Key, ImportKind> tryToAdd(List<Published> published) throws SQLException {
        try (PreparedStatement statement = ArrayParameters.prepare(connections, ADD)) {
            ArrayParameters<Published> arrays =
                    ArrayParameters.of(connections, statement, published).text(consumer);
            identity(arrays);
            failure(arrays);
            history(arrays);
            Map<Key, ImportKind> made = new HashMap<>();
            try (ResultSet row = statement.executeQuery()) {
                Map<Key, String> reasons = reasons(published);
                while (row.next()) {
                    Key key = Key.read(row);
                    boolean same = row.getString(5).equals(reasons.get(key));
                    made.put(key, same ? ImportKind.ADDED : ImportKind.ADDED_TOO_OLD);
                }
            }
            return made;
        }
    }

    private static Map<Key, String> reasons(List<Published> published) {
        Map<Key, String> reasons = new HashMap<>();
        for (Published copy : published) {
            reasons.put(Key.of(copy.letter()), copy.letter().failure().reason());
        }
        return reasons;
    }

    private static void identity(ArrayParameters<Published> arrays) throws SQLException {
        arrays.coordinates(copy -> copy.letter().record().coordinates())
                .column("uuid", copy -> copy.letter().record().topicId())
                .column("int8", copy -> copy.letter().record().timestamp())
                .column("int8", copy -> copy.letter().record().payloadHash())
                .coordinates(copy -> copy.letter().origin().coordinates())
                .column("int8", copy -> copy.letter().origin().timestamp())
                .column("text", copy -> copy.letter().messageId())
                .column("bytea", copy -> copy.letter().key())
                .column("text", copy -> status(copy.letter()))
                .coordinates(Published::place);
    }

    private static void failure(ArrayParameters<Published> arrays) throws SQLException {
        arrays.column("text", copy -> copy.letter().failure().reason())
                .column("text", copy -> copy.letter().failure().errorClass())
                .column("text", copy -> copy.letter().failure().errorMessage())
                .column("text", copy -> copy.item().entry().stacktrace())
                .column("int4", copy -> copy.letter().failure().attempts())
                .times(copy -> copy.letter().failure().firstFailedAt())
                .times(copy -> copy.letter().failure().failedAt())
                .times(copy -> copy.letter().history().deadAt())
                .column("text", copy -> copy.letter().failure().workerId())
                .column("int8", copy -> copy.letter().failure().generation());
    }

    private static void history(ArrayParameters<Published> arrays) throws SQLException {
        arrays.column("int4", copy -> copy.letter().history().replays())
                .times(copy -> copy.letter().history().replayedAt())
                .column("int8", copy -> copy.letter().history().editedPayloadHash())
                .times(copy -> copy.letter().history().discardedAt())
                .column("text", copy -> copy.letter().history().discardedBy())
                .column("text", copy -> copy.letter().history().discardReason())
                .times(copy -> copy.letter().history().editedAt())
                .column("text", copy -> copy.letter().history().editedBy())
                .column("bool", copy -> isFirst(copy.letter()));
    }

    /** What was replayed may not have arrived: it waits for an operator again. */
    private static String status(Letter letter) {
        return letter.stored() == DeadLetterStatus.DISCARDED
                ? DeadLetterStatus.DISCARDED.name()
                : DeadLetterStatus.DEAD.name();
    }

    private static boolean isFirst(Letter letter) {
        return letter.record().coordinates().equals(letter.origin().coordinates());
    }

    /** Of a row of this consumer. */
    record Key(Coordinates record, UUID topicId) {
        static Key of(Letter letter) {
            return new Key(letter.record().coordinates(), letter.record().topicId());
        }

        private static Key read(ResultSet row) throws SQLException {
            return new Key(
                    new Coordinates(row.getString(1), row.getInt(2), row.getLong(3)), row.getObject(4, UUID.class));
        }
    }

    /**
     * What the tables tell of a message.
     *
     * @param tookEffect it did
     * @param becomesTooOld without a row nobody can tell, and its reason would say the contrary
     * @param erased without a row it must be taken for one whose data were erased
     */
    record Evidence(boolean tookEffect, boolean becomesTooOld, boolean erased) {}
}
