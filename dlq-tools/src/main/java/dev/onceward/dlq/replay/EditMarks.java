package dev.onceward.dlq.replay;

import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.index.Letter;
import dev.onceward.handler.Coordinates;
import dev.onceward.postgres.Tables;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Objects;
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
    private static final String SET = "UPDATE {dead_letters} d SET edited_payload_hash ="
            + " CASE WHEN d.payload_hash = ? THEN d.edited_payload_hash ELSE ? END, edited_by = ?,"
            + " edited_at = clock_timestamp() WHERE d.consumer_name = ?";
    private static final String THE_ROW = SET + " AND d.topic = ? AND d.partition = ? AND d.record_offset = ?"
            + " AND d.topic_id = ? AND d.status = 'DEAD' AND d.edited_payload_hash IS NOT DISTINCT FROM ?"
            + " AND d.erased_at IS NULL";
    private static final String ORIGIN =
            "d.origin_topic = ? AND d.origin_partition = ? AND d.origin_offset = ?" + " AND d.origin_timestamp = ?";
    private static final String THE_OTHERS = SET + " AND d.status <> 'RESOLVED' AND (" + ORIGIN
            + " OR d.message_id = ? AND d.payload_hash IN (SELECT o.payload_hash FROM {dead_letters} o"
            + " WHERE o.consumer_name = ? AND " + ORIGIN.replace("d.", "o.") + "))";
    private static final int TRIES = 5;

    private final Connections connections;
    private final Tables tables;
    private final Edit edit;
    private @Nullable Connection lock;
    private boolean recorded;

    EditMarks(Connections connections, Edit edit) {
        this.connections = connections;
        this.tables = connections.tables();
        this.edit = edit;
    }

    /** Commits the new hash; returns why it must not be sent, {@code null}: it may. */
    @Nullable
    String record() throws SQLException {
        if (recorded) {
            return null; // the second try of a record that Kafka did not take
        }
        if (!lock()) {
            return "somebody else is sending an edit of it at this moment";
        }
        for (int attempt = 1; !recorded; attempt++) {
            try {
                recorded = inTransaction();
                if (!recorded) {
                    return "it has changed since it was read; look at it with dlq show, and edit it again";
                }
            } catch (SQLException e) {
                // A deadlock with a worker that resolves several rows of the message.
                if (!"40P01".equals(e.getSQLState()) || attempt == TRIES) {
                    throw e;
                }
            }
        }
        return null;
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

    private boolean inTransaction() throws SQLException {
        Connection connection = connections.database();
        connection.setAutoCommit(false);
        boolean done = false;
        try {
            done = updateTheRow(connection);
            if (done) {
                updateTheOthers(connection);
                connection.commit();
            }
            return done;
        } finally {
            if (!done) {
                connection.rollback();
            }
            connection.setAutoCommit(true);
        }
    }

    private boolean updateTheRow(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(tables.sql(THE_ROW))) {
            Coordinates record = edit.letter().record().coordinates();
            setHash(statement);
            statement.setString(5, record.topic());
            statement.setInt(6, record.partition());
            statement.setLong(7, record.offset());
            statement.setObject(8, edit.letter().record().topicId());
            statement.setObject(9, edit.letter().history().editedPayloadHash(), java.sql.Types.BIGINT);
            return statement.executeUpdate() == 1;
        }
    }

    private void updateTheOthers(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(tables.sql(THE_OTHERS))) {
            setHash(statement);
            setOrigin(statement, 5);
            statement.setString(9, edit.letter().messageId());
            statement.setString(10, edit.letter().consumer());
            setOrigin(statement, 11);
            statement.executeUpdate();
        }
    }

    private void setHash(PreparedStatement statement) throws SQLException {
        statement.setLong(1, edit.hash());
        statement.setLong(2, edit.hash());
        statement.setString(3, edit.by());
        statement.setString(4, edit.letter().consumer());
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
}
