package dev.onceward.dlq.replay;

import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.connect.Deadlocks;
import dev.onceward.dlq.index.Letter;
import dev.onceward.handler.Coordinates;
import dev.onceward.postgres.Tables;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Records an edit, before its record is sent.
 *
 * <p>Why before: the runtime runs a replay whose claim may have been pruned only if a dead letter of this payload proves
 * it unprocessed, and resolves the dead letters of the payload that took effect. Both go by {@code payload_hash} and
 * {@code edited_payload_hash}, and the effect may be quicker than anything that is written after sending.
 *
 * <p>Why each row of the message gets the hash, not only the one that is edited: the rows of earlier failures, and those
 * of another copy of the message with the same id and payload, are resolved by the edited payload, too. A row that stayed
 * open would prove the message unprocessed once the claim of the edited payload is pruned. No hash that was sent is
 * forgotten by this: a payload that failed is the {@code payload_hash} of the row of that failure.
 *
 * <p>Why two edits at once do not both send: the lock is held until the letter is marked REPLAYED. The second one does not
 * get it, or finds another status or hash than it has read. The lock is that of a transaction on a connection of its own:
 * it goes with a process that is killed, works through a pooler, and no worker waits for it.
 *
 * <p>If the producer itself refuses the record, nothing was handed over, for certain, and the hash is taken back: the
 * original can be replayed as if nobody had edited it. A refusal of the broker is not that certain, since an attempt before
 * it may have been appended without an acknowledgement; the hash stays then.
 *
 * <p>Killed after recording, before or after sending: the row is DEAD with the hash of a payload that may be in the replay
 * topic. A plain replay is refused then, since the original might take effect in the place of what was edited; edited again,
 * the same way or another, it is sent. Whatever is in the topic in the end, under one id, in whatever order: the first that
 * takes effect claims the id. The same payload is a duplicate after it; another one becomes a dead letter ID_REUSED, or
 * TOO_OLD if its hash is not known any more, and neither has an effect. The status stays true: a row is RESOLVED by the
 * claim of its own payload or of the edited one that it names, and a newer dead letter of the origin says that a payload
 * which was sent did not take effect.
 */
final class EditMarks implements AutoCloseable {
    private static final String LOCK = "SELECT pg_try_advisory_xact_lock(hashtextextended(?, 0))";
    // A row's own payload needs no second mention: the original after all must not make an edit before it forgotten.
    // What the rows said before is returned, should nothing be sent after all.
    private static final String SET =
            "WITH old AS MATERIALIZED (SELECT d.topic, d.partition, d.record_offset, d.topic_id,"
                    + " d.edited_payload_hash, d.edited_by, d.edited_at FROM {dead_letters} d WHERE d.consumer_name = ? AND %s"
                    + " ORDER BY d.topic, d.partition, d.record_offset, d.topic_id FOR UPDATE)"
                    + " UPDATE {dead_letters} d SET edited_payload_hash ="
                    + " CASE WHEN d.payload_hash = ? THEN d.edited_payload_hash ELSE ? END, edited_by = ?,"
                    + " edited_at = clock_timestamp() FROM old o WHERE d.consumer_name = ? AND d.topic = o.topic"
                    + " AND d.partition = o.partition AND d.record_offset = o.record_offset AND d.topic_id = o.topic_id"
                    + " RETURNING o.*, d.edited_at";
    private static final String THE_ROW = SET.replace(
            "%s",
            "d.topic = ? AND d.partition = ? AND d.record_offset = ?"
                    + " AND d.topic_id = ? AND d.status = 'DEAD' AND d.edited_payload_hash IS NOT DISTINCT FROM ?"
                    + " AND d.erased_at IS NULL");
    private static final String ORIGIN =
            "d.origin_topic = ? AND d.origin_partition = ? AND d.origin_offset = ?" + " AND d.origin_timestamp = ?";
    private static final String THE_OTHERS = SET.replace(
            "%s",
            "d.status <> 'RESOLVED' AND NOT (d.topic = ? AND"
                    + " d.partition = ? AND d.record_offset = ? AND d.topic_id = ?) AND (" + ORIGIN
                    + " OR d.message_id = ? AND d.payload_hash IN (SELECT o.payload_hash FROM {dead_letters} o"
                    + " WHERE o.consumer_name = ? AND " + ORIGIN.replace("d.", "o.") + "))");
    // Unless somebody else has edited it since, who then has said what may have been sent.
    private static final String TAKE_BACK = "UPDATE {dead_letters} d SET edited_payload_hash = ?, edited_by = ?,"
            + " edited_at = ? WHERE d.consumer_name = ? AND d.topic = ? AND d.partition = ? AND d.record_offset = ?"
            + " AND d.topic_id = ? AND d.edited_at = ?";

    private final Connections connections;
    private final Tables tables;
    private final Edit edit;
    private @Nullable Connection lock;
    private List<Before> before = List.of();

    EditMarks(Connections connections, Edit edit) {
        this.connections = connections;
        this.tables = connections.tables();
        this.edit = edit;
    }

    /** Commits the new hash; returns why it must not be sent, {@code null}: it may. */
    @Nullable
    String record() throws SQLException {
        if (!before.isEmpty()) {
            return null; // the second try of a record that Kafka did not take
        }
        if (!lock()) {
            return "somebody else is sending an edit of it at this moment";
        }
        before = Deadlocks.retried(this::inTransaction);
        return before.isEmpty()
                ? "it has changed since it was read; look at it with dlq show, and edit it again"
                : null;
    }

    /** As if there had been no edit: nothing was sent, for certain. */
    void takeBack() throws SQLException {
        Deadlocks.retried(() -> {
            Connection connection = connections.database();
            try (PreparedStatement statement = connection.prepareStatement(tables.sql(TAKE_BACK))) {
                for (Before row : before) {
                    statement.setObject(1, row.hash(), Types.BIGINT);
                    statement.setString(2, row.by());
                    statement.setObject(3, row.at());
                    statement.setString(4, edit.letter().consumer());
                    setKey(statement, 5, row.record(), row.topicId());
                    statement.setObject(9, row.now());
                    statement.addBatch();
                }
                return statement.executeBatch();
            }
        });
        before = List.of();
    }

    private boolean lock() throws SQLException {
        Letter letter = edit.letter();
        String message = Objects.requireNonNullElse(letter.messageId(), letter.name());
        lock = connections.newDatabase();
        lock.setAutoCommit(false);
        try (PreparedStatement statement = lock.prepareStatement(LOCK)) {
            statement.setString(1, "dlq edit " + connections.schema() + " " + letter.consumer() + " " + message);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getBoolean(1);
            }
        }
    }

    /** Returns what the rows said before; of none if the letter's own is not as it was read. */
    private List<Before> inTransaction() throws SQLException {
        Connection connection = connections.database();
        connection.setAutoCommit(false);
        boolean done = false;
        try {
            List<Before> rows = new ArrayList<>(updateTheRow(connection));
            if (!rows.isEmpty()) {
                rows.addAll(updateTheOthers(connection));
                connection.commit();
                done = true;
            }
            return rows;
        } finally {
            if (!done) {
                connection.rollback();
            }
            connection.setAutoCommit(true);
        }
    }

    private List<Before> updateTheRow(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(tables.sql(THE_ROW))) {
            statement.setString(1, edit.letter().consumer());
            setKey(
                    statement,
                    2,
                    edit.letter().record().coordinates(),
                    edit.letter().record().topicId());
            statement.setObject(6, edit.letter().history().editedPayloadHash(), Types.BIGINT);
            return update(statement, 7);
        }
    }

    private List<Before> updateTheOthers(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(tables.sql(THE_OTHERS))) {
            statement.setString(1, edit.letter().consumer());
            setKey(
                    statement,
                    2,
                    edit.letter().record().coordinates(),
                    edit.letter().record().topicId());
            setOrigin(statement, 6);
            statement.setString(10, edit.letter().messageId());
            statement.setString(11, edit.letter().consumer());
            setOrigin(statement, 12);
            return update(statement, 16);
        }
    }

    private List<Before> update(PreparedStatement statement, int index) throws SQLException {
        statement.setLong(index, edit.hash());
        statement.setLong(index + 1, edit.hash());
        statement.setString(index + 2, edit.by());
        statement.setString(index + 3, edit.letter().consumer());
        List<Before> rows = new ArrayList<>();
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                rows.add(new Before(
                        new Coordinates(row.getString(1), row.getInt(2), row.getLong(3)),
                        row.getObject(4, UUID.class),
                        row.getObject(5, Long.class),
                        row.getString(6),
                        row.getObject(7, OffsetDateTime.class),
                        row.getObject(8, OffsetDateTime.class)));
            }
        }
        return rows;
    }

    private static void setKey(PreparedStatement statement, int index, Coordinates record, UUID topicId)
            throws SQLException {
        statement.setString(index, record.topic());
        statement.setInt(index + 1, record.partition());
        statement.setLong(index + 2, record.offset());
        statement.setObject(index + 3, topicId);
    }

    private void setOrigin(PreparedStatement statement, int index) throws SQLException {
        Coordinates origin = edit.letter().origin().coordinates();
        statement.setString(index, origin.topic());
        statement.setInt(index + 1, origin.partition());
        statement.setLong(index + 2, origin.offset());
        statement.setLong(index + 3, edit.letter().origin().timestamp());
    }

    /** Lets the next edit go on. */
    @Override
    public void close() throws SQLException {
        if (lock != null) {
            lock.close();
            lock = null;
        }
    }

    /** What a row said before the edit, and when it was changed. */
    private record Before(
            Coordinates record,
            UUID topicId,
            @Nullable Long hash,
            @Nullable String by,
            @Nullable OffsetDateTime at,
            OffsetDateTime now) {}
}
