package dev.onceward.dlq.erase;

import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.index.Letter;
import dev.onceward.handler.Coordinates;
import dev.onceward.postgres.Tables;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Removes what the database knows of a message's content: the key, the error texts. What stays is the fact: where it came
 * from, its id, when and for which reason it failed, the hash of its payload. The id must stay: without it no claim could
 * be found any more, so that the status would not be true, and the runtime could not tell a copy of the message from one
 * that was never processed. For one thread.
 */
public final class Erasure {
    private static final String ORIGIN = " WHERE d.consumer_name = ? AND d.origin_topic = ? AND d.origin_partition = ?"
            + " AND d.origin_offset = ? AND d.origin_timestamp = ?";
    private static final String ROWS = "SELECT d.topic, d.partition, d.record_offset, d.status, d.record_key,"
            + " d.dlt_topic, d.dlt_partition, d.dlt_offset, d.dead_at, d.erased_at IS NOT NULL FROM {dead_letters} d"
            + ORIGIN + " ORDER BY d.topic, d.partition, d.record_offset, d.topic_id";
    private static final String TOOK_EFFECT = "(d.status = 'RESOLVED' OR EXISTS (SELECT FROM {processed_messages} p"
            + " WHERE p.consumer_name = d.consumer_name AND p.message_id = d.message_id"
            + " AND p.payload_hash IN (d.payload_hash, d.edited_payload_hash)))";
    // What took effect is RESOLVED, also where its row did not say so yet: the claim that tells will be pruned one day.
    // An older reason for discarding it may name somebody, too.
    private static final String ERASE = "UPDATE {dead_letters} d SET record_key = NULL, error_message = '(erased)',"
            + " error_stacktrace = '', erased_at = clock_timestamp(), erased_by = ?,"
            + " status = CASE WHEN " + TOOK_EFFECT + " THEN 'RESOLVED' ELSE 'DISCARDED' END,"
            + " resolved_at = CASE WHEN " + TOOK_EFFECT
            + " THEN coalesce(d.resolved_at, clock_timestamp()) ELSE d.resolved_at END,"
            + " discarded_at = CASE WHEN " + TOOK_EFFECT + " THEN d.discarded_at ELSE clock_timestamp() END,"
            + " discarded_by = CASE WHEN " + TOOK_EFFECT + " THEN d.discarded_by ELSE ? END,"
            + " discard_reason = CASE WHEN " + TOOK_EFFECT
            + " AND d.discard_reason IS NULL THEN NULL ELSE ? END"
            + ORIGIN + " AND d.erased_at IS NULL";
    // A replay of it, or another copy, may be tried at this moment. If it fails once more it has a text again.
    private static final String ATTEMPTS =
            "UPDATE {message_attempts} SET last_error = '(erased)'" + " WHERE consumer_name = ? AND message_id = ?";
    private static final int TRIES = 5;

    private final Connection connection;
    private final Tables tables;

    /** Over the command's own connection. */
    public Erasure(Connections connections) {
        this.connection = connections.database();
        this.tables = connections.tables();
    }

    /** The letter with its rows as they are now. */
    public ErasedLetter look(Letter letter) throws SQLException {
        return look(letter, "");
    }

    private ErasedLetter look(Letter letter, String lock) throws SQLException {
        List<ErasableRow> rows = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(tables.sql(ROWS + lock))) {
            setOrigin(statement, 1, letter);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    rows.add(read(row));
                }
            }
        }
        return new ErasedLetter(letter, rows);
    }

    /**
     * Erases all of them, or none.
     *
     * @return why none: something has come in between; {@code null}: all are erased
     */
    public @Nullable String erase(List<ErasedLetter> letters, String who, String why) throws SQLException {
        for (int attempt = 1; ; attempt++) {
            connection.setAutoCommit(false);
            boolean done = false;
            try {
                String refusal = inTransaction(letters, who, why);
                if (refusal == null) {
                    connection.commit();
                    done = true;
                }
                return refusal;
            } catch (SQLException e) {
                // A deadlock with a worker that resolves several rows of the message.
                if (!"40P01".equals(e.getSQLState()) || attempt == TRIES) {
                    throw e;
                }
            } finally {
                if (!done) {
                    connection.rollback();
                }
                connection.setAutoCommit(true);
            }
        }
    }

    private @Nullable String inTransaction(List<ErasedLetter> letters, String who, String why) throws SQLException {
        for (ErasedLetter planned : letters) {
            ErasedLetter now = look(planned.letter(), " FOR UPDATE OF d");
            // A replay that failed again in between has a copy of its own, for which no tombstone was written.
            if (!now.hasRowsOf(planned)
                    || now.rows().stream().anyMatch(row -> row.status() == DeadLetterStatus.PENDING)) {
                return planned.letter().name() + " has failed again in the meantime: nothing was erased. Run the same"
                        + " command again";
            }
            erase(planned.letter(), who, why);
        }
        return null;
    }

    private void erase(Letter letter, String who, String why) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(tables.sql(ERASE))) {
            statement.setString(1, who);
            statement.setString(2, who);
            statement.setString(3, why);
            setOrigin(statement, 4, letter);
            statement.executeUpdate();
        }
        if (letter.messageId() != null) {
            try (PreparedStatement statement = connection.prepareStatement(tables.sql(ATTEMPTS))) {
                statement.setString(1, letter.consumer());
                statement.setString(2, letter.messageId());
                statement.executeUpdate();
            }
        }
    }

    private static void setOrigin(PreparedStatement statement, int index, Letter letter) throws SQLException {
        Coordinates origin = letter.origin().coordinates();
        statement.setString(index, letter.consumer());
        statement.setString(index + 1, origin.topic());
        statement.setInt(index + 2, origin.partition());
        statement.setLong(index + 3, origin.offset());
        statement.setLong(index + 4, letter.origin().timestamp());
    }

    private static ErasableRow read(ResultSet row) throws SQLException {
        String topic = row.getString(6);
        OffsetDateTime deadAt = row.getObject(9, OffsetDateTime.class);
        return new ErasableRow(
                new Coordinates(row.getString(1), row.getInt(2), row.getLong(3)),
                DeadLetterStatus.valueOf(row.getString(4)),
                row.getBytes(5),
                topic == null ? null : new Coordinates(topic, row.getInt(7), row.getLong(8)),
                deadAt == null ? null : deadAt.toInstant(),
                row.getBoolean(10));
    }
}
