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
import java.util.List;
import java.util.stream.Stream;

/**
 * Marks letters as replayed, after the broker has acknowledged them and never before: a letter marked and not sent would
 * be lost from sight, one sent and not marked is sent once more, and the claim of its message keeps the effect once.
 */
final class ReplayMarks {
    // By the key of the row, not by origin: if the replay has failed again already, that newer row must stay DEAD.
    // Guarded by the status it had: another replay may have been quicker. What took effect already is RESOLVED, which
    // is
    // never left, and was replayed all the same. In key order: two replays of the same letters would deadlock.
    private static final String MARK = "UPDATE {dead_letters} d SET"
            + " status = CASE d.status WHEN 'RESOLVED' THEN 'RESOLVED' ELSE 'REPLAYED' END, replays = d.replays + 1,"
            + " replayed_at = clock_timestamp()"
            + " FROM (SELECT r.consumer_name, r.topic, r.partition, r.record_offset, r.topic_id"
            + " FROM unnest(?, ?, ?, ?, ?) AS m(topic, partition, record_offset, topic_id, status)"
            + " JOIN {dead_letters} r ON r.consumer_name = ? AND r.topic = m.topic AND r.partition = m.partition"
            + " AND r.record_offset = m.record_offset AND r.topic_id = m.topic_id AND r.status IN (m.status, 'RESOLVED')"
            + " ORDER BY r.topic, r.partition, r.record_offset, r.topic_id FOR UPDATE OF r) k"
            + " WHERE d.consumer_name = k.consumer_name AND d.topic = k.topic AND d.partition = k.partition"
            + " AND d.record_offset = k.record_offset AND d.topic_id = k.topic_id RETURNING 1";
    private static final String ASSERT =
            "UPDATE {dead_letters} SET asserted_by = ? WHERE consumer_name = ? AND topic = ?"
                    + " AND partition = ? AND record_offset = ? AND topic_id = ? AND status = ? AND erased_at IS NULL";

    private final Connection connection;
    private final Tables tables;
    private final String consumer;

    ReplayMarks(Connections connections, String consumer) {
        this.connection = connections.database();
        this.tables = connections.tables();
        this.consumer = consumer;
    }

    /**
     * Records who says that it was never processed: before it is sent, since its effect may be quicker than any mark.
     * Returns whether the letter is still as it was read; if not, nobody has asserted anything about what it is now.
     */
    boolean assertUnprocessed(Letter letter, String who) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(tables.sql(ASSERT))) {
            Coordinates record = letter.record().coordinates();
            statement.setString(1, who);
            statement.setString(2, consumer);
            statement.setString(3, record.topic());
            statement.setInt(4, record.partition());
            statement.setLong(5, record.offset());
            statement.setObject(6, letter.record().topicId());
            statement.setString(7, letter.stored().name());
            return statement.executeUpdate() == 1;
        }
    }

    /** Returns how many rows this call has marked; the others were marked, or resolved, by somebody else. */
    int mark(List<Letter> sent) throws SQLException {
        if (sent.isEmpty()) {
            return 0;
        }
        return Deadlocks.retried(() -> tryToMark(sent));
    }

    private int tryToMark(List<Letter> sent) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(tables.sql(MARK))) {
            List<Coordinates> records =
                    sent.stream().map(letter -> letter.record().coordinates()).toList();
            array(statement, 1, "text", records.stream().map(Coordinates::topic));
            array(statement, 2, "int4", records.stream().map(Coordinates::partition));
            array(statement, 3, "int8", records.stream().map(Coordinates::offset));
            array(
                    statement,
                    4,
                    "uuid",
                    sent.stream().map(letter -> letter.record().topicId()));
            array(
                    statement,
                    5,
                    "text",
                    sent.stream().map(letter -> letter.stored().name()));
            statement.setString(6, consumer);
            int marked = 0;
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    marked++;
                }
            }
            return marked;
        }
    }

    private void array(PreparedStatement statement, int index, String type, Stream<?> values) throws SQLException {
        statement.setArray(index, connection.createArrayOf(type, values.toArray()));
    }
}
