package dev.onceward.dlq.actions;

import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.dlq.connect.ArrayParameters;
import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.connect.Deadlocks;
import dev.onceward.dlq.index.Letter;
import dev.onceward.postgres.Tables;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Marks dead letters as given up by an operator, and takes that back. Nothing is deleted. Every row of the message that
 * waits for an operator is marked, not only the newest: an older one must not come back to sight when that is resolved.
 */
public final class Discarding {
    /** What can be discarded. What is PENDING is about to be published, and a worker will say so. */
    public static final Set<DeadLetterStatus> DISCARDABLE =
            EnumSet.of(DeadLetterStatus.DEAD, DeadLetterStatus.REPLAYED);

    // Guarded by what it was: a worker may have resolved it since it was read, and RESOLVED is never left. In the order
    // of the key, as all that change several rows: in different orders they would deadlock.
    private static final String ROWS =
            " FROM (SELECT r.consumer_name, r.topic, r.partition, r.record_offset, r.topic_id,"
                    + " m.n FROM unnest(?, ?, ?, ?) WITH ORDINALITY AS m(topic, partition, record_offset, record_timestamp, n)"
                    + " JOIN {dead_letters} r ON r.consumer_name = ? AND r.origin_topic = m.topic"
                    + " AND r.origin_partition = m.partition AND r.origin_offset = m.record_offset"
                    + " AND r.origin_timestamp = m.record_timestamp AND %s"
                    + " ORDER BY r.topic, r.partition, r.record_offset, r.topic_id FOR UPDATE OF r) k"
                    + " WHERE d.consumer_name = k.consumer_name AND d.topic = k.topic AND d.partition = k.partition"
                    + " AND d.record_offset = k.record_offset AND d.topic_id = k.topic_id RETURNING k.n";
    private static final String DISCARD = "UPDATE {dead_letters} d SET status = 'DISCARDED',"
            + " discarded_at = clock_timestamp(), discarded_by = ?, discard_reason = ?"
            + ROWS.formatted("r.status IN ('DEAD', 'REPLAYED')");
    // Who discarded it stays, as what was; the trail of actions tells who restored it. One that was sent before may be
    // sent again: its message takes effect once.
    private static final String RESTORE = "UPDATE {dead_letters} d SET status = 'DEAD'"
            + ROWS.formatted("r.status = 'DISCARDED' AND r.erased_at IS NULL");

    private final Connection connection;
    private final Tables tables;

    /** Over the command's own connection. */
    public Discarding(Connections connections) {
        this.connection = connections.database();
        this.tables = connections.tables();
    }

    /**
     * Discards letters of one consumer, at once.
     *
     * @return how many are discarded now by this call; the others were resolved, or discarded by somebody else
     */
    public int discard(List<Letter> letters, Actor actor, String reason) throws SQLException {
        return Deadlocks.retried(() -> {
            try (PreparedStatement statement = connection.prepareStatement(tables.sql(DISCARD))) {
                return change(
                        statement,
                        ArrayParameters.of(connection, statement, letters)
                                .text(actor.toString())
                                .text(reason),
                        letters);
            }
        });
    }

    /** Returns how many are back by this call. */
    public int restore(List<Letter> letters) throws SQLException {
        return Deadlocks.retried(() -> {
            try (PreparedStatement statement = connection.prepareStatement(tables.sql(RESTORE))) {
                return change(statement, ArrayParameters.of(connection, statement, letters), letters);
            }
        });
    }

    /** Counts letters, of which each may have several rows. */
    private static int change(PreparedStatement statement, ArrayParameters<Letter> parameters, List<Letter> letters)
            throws SQLException {
        parameters
                .coordinates(letter -> letter.origin().coordinates())
                .column("int8", letter -> letter.origin().timestamp())
                .text(letters.get(0).consumer());
        Set<Long> changed = new HashSet<>();
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                changed.add(row.getLong(1));
            }
        }
        return changed.size();
    }
}
