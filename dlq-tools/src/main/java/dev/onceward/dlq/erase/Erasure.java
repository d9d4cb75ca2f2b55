package dev.onceward.dlq.erase;

import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.connect.Deadlocks;
import dev.onceward.dlq.exit.RefusedException;
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
import java.util.Optional;
import java.util.UUID;
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
    private static final String ROWS =
            "SELECT d.topic, d.partition, d.record_offset, d.topic_id, d.status, d.record_key,"
                    + " d.dlt_topic, d.dlt_partition, d.dlt_offset, d.dead_at, d.erased_at IS NOT NULL FROM {dead_letters} d"
                    + ORIGIN + " ORDER BY d.topic, d.partition, d.record_offset, d.topic_id";
    private static final String TOOK_EFFECT = "(d.status = 'RESOLVED' OR EXISTS (SELECT FROM {processed_messages} p"
            + " WHERE p.consumer_name = d.consumer_name AND p.message_id = d.message_id"
            + " AND p.payload_hash IN (d.payload_hash, d.edited_payload_hash)))";
    // What took effect is RESOLVED, also where its row did not say so yet: the claim that tells will be pruned one day.
    // An older reason for discarding it may name somebody, too. By the key of the row and not by its origin: a lock on
    // the
    // rows that are there keeps no new one away, and a replay that fails meanwhile has a row of the same origin. A
    // worker
    // is about to publish that one, and nobody has written a tombstone for it.
    private static final String ERASE = "UPDATE {dead_letters} d SET record_key = NULL, error_message = '(erased)',"
            + " error_stacktrace = '', erased_at = clock_timestamp(), erased_by = ?,"
            + " status = CASE WHEN " + TOOK_EFFECT + " THEN 'RESOLVED' ELSE 'DISCARDED' END,"
            + " resolved_at = CASE WHEN " + TOOK_EFFECT
            + " THEN coalesce(d.resolved_at, clock_timestamp()) ELSE d.resolved_at END,"
            + " discarded_at = CASE WHEN " + TOOK_EFFECT + " THEN d.discarded_at ELSE clock_timestamp() END,"
            + " discarded_by = CASE WHEN " + TOOK_EFFECT + " THEN d.discarded_by ELSE ? END,"
            + " discard_reason = CASE WHEN " + TOOK_EFFECT + " AND d.discard_reason IS NULL THEN NULL ELSE ? END"
            + " WHERE d.consumer_name = ? AND d.topic = ? AND d.partition = ? AND d.record_offset = ? AND d.topic_id = ?"
            + " AND d.erased_at IS NULL";
    private static final String OTHERS = "SELECT DISTINCT d.origin_topic, d.origin_partition, d.origin_offset"
            + " FROM {dead_letters} d WHERE d.consumer_name = ? AND d.message_id = ? AND d.erased_at IS NULL"
            + " AND (d.origin_topic, d.origin_partition, d.origin_offset, d.origin_timestamp) <> (?, ?, ?, ?)"
            + " ORDER BY 1, 2, 3";
    private static final String NOT_ALLOWED = "42501";

    private final Connection connection;
    private final Tables tables;
    private final AttemptTexts attempts;

    /** Over the command's own connection. */
    public Erasure(Connections connections) {
        this.connection = connections.database();
        this.tables = connections.tables();
        this.attempts = new AttemptTexts(connections);
    }

    /** The letter with its rows as they are now. */
    public ErasedLetter look(Letter letter) throws SQLException {
        return look(letter, "");
    }

    private ErasedLetter look(Letter letter, String lock) throws SQLException {
        List<ErasableRow> rows = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(tables.sql(ROWS + lock))) {
            statement.setString(1, letter.consumer());
            setOrigin(statement, 2, letter);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    rows.add(read(row));
                }
            }
        }
        return new ErasedLetter(letter, rows);
    }

    /** Other letters under the same message id that still have their data: what else may be somebody's. */
    public List<String> othersOfTheSameId(Letter letter) throws SQLException {
        List<String> names = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(tables.sql(OTHERS))) {
            statement.setString(1, letter.consumer());
            statement.setString(2, letter.messageId());
            setOrigin(statement, 3, letter);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    names.add(row.getString(1) + "/" + row.getInt(2) + "/" + row.getLong(3));
                }
            }
        }
        return names;
    }

    /**
     * Whether this role may do it, which must be known before a tombstone is written. The statements themselves, for a row
     * that is not there: the server looks at the rights before it looks for rows.
     *
     * @throws RefusedException it may not
     */
    public void checkRights() throws SQLException {
        try {
            erase(
                    "",
                    new ErasableRow(
                            new Coordinates("-", 0, 0), new UUID(0, 0), DeadLetterStatus.DEAD, null, null, null, false),
                    "",
                    "");
            attempts.checkRights();
        } catch (SQLException e) {
            if (NOT_ALLOWED.equals(e.getSQLState())) {
                throw new RefusedException("this role may not erase (" + e.getMessage()
                        + "): nothing was erased. dlq doctor says what grants it");
            }
            throw e;
        }
    }

    /**
     * Erases all of them, or none.
     *
     * @return why none: something has come in between; empty: all are erased
     */
    public Optional<String> erase(List<ErasedLetter> letters, String who, String why) throws SQLException {
        return Deadlocks.retried(() -> inTransaction(letters, who, why));
    }

    /** Names of those that have data again: a replay that was under way when they were erased has failed. */
    public List<String> failedAgain(List<ErasedLetter> letters) throws SQLException {
        List<String> names = new ArrayList<>();
        for (ErasedLetter letter : letters) {
            if (!look(letter.letter()).isDone()) {
                names.add(letter.letter().name());
            }
        }
        return names;
    }

    private Optional<String> inTransaction(List<ErasedLetter> letters, String who, String why) throws SQLException {
        connection.setAutoCommit(false);
        boolean done = false;
        try {
            Optional<String> refusal = Optional.ofNullable(eraseAll(letters, who, why));
            if (refusal.isEmpty()) {
                connection.commit();
                done = true;
            }
            return refusal;
        } finally {
            if (!done) {
                connection.rollback();
            }
            connection.setAutoCommit(true);
        }
    }

    private @Nullable String eraseAll(List<ErasedLetter> letters, String who, String why) throws SQLException {
        for (ErasedLetter planned : letters) {
            Letter letter = planned.letter();
            ErasedLetter now = look(letter, " FOR UPDATE OF d");
            // A replay that failed again in between has a copy of its own, for which no tombstone was written.
            if (!now.hasRowsOf(planned)
                    || now.rows().stream().anyMatch(row -> row.status() == DeadLetterStatus.PENDING)) {
                return letter.name() + " has failed again in the meantime";
            }
            for (ErasableRow row : now.rows()) {
                if (!row.erased() && erase(letter.consumer(), row, who, why) != 1) {
                    return letter.name() + " has changed in the meantime";
                }
            }
        }
        attempts.erase(letters.stream().map(ErasedLetter::letter).toList());
        return null;
    }

    private int erase(String consumer, ErasableRow row, String who, String why) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(tables.sql(ERASE))) {
            statement.setString(1, who);
            statement.setString(2, who);
            statement.setString(3, why);
            statement.setString(4, consumer);
            statement.setString(5, row.record().topic());
            statement.setInt(6, row.record().partition());
            statement.setLong(7, row.record().offset());
            statement.setObject(8, row.topicId());
            return statement.executeUpdate();
        }
    }

    private static void setOrigin(PreparedStatement statement, int index, Letter letter) throws SQLException {
        Coordinates origin = letter.origin().coordinates();
        statement.setString(index, origin.topic());
        statement.setInt(index + 1, origin.partition());
        statement.setLong(index + 2, origin.offset());
        statement.setLong(index + 3, letter.origin().timestamp());
    }

    private static ErasableRow read(ResultSet row) throws SQLException {
        String topic = row.getString(7);
        OffsetDateTime deadAt = row.getObject(10, OffsetDateTime.class);
        return new ErasableRow(
                new Coordinates(row.getString(1), row.getInt(2), row.getLong(3)),
                row.getObject(4, UUID.class),
                DeadLetterStatus.valueOf(row.getString(5)),
                row.getBytes(6),
                topic == null ? null : new Coordinates(topic, row.getInt(8), row.getLong(9)),
                deadAt == null ? null : deadAt.toInstant(),
                row.getBoolean(11));
    }
}
