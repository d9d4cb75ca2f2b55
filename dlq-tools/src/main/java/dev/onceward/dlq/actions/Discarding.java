package dev.onceward.dlq.actions;

import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.index.Letter;
import dev.onceward.handler.Coordinates;
import dev.onceward.postgres.Tables;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.Set;

/**
 * Marks dead letters as given up by an operator, and takes that back. Nothing is deleted. Every row of the message that
 * waits for an operator is marked, not only the newest: an older one must not come back to sight when that is resolved.
 */
public final class Discarding {
    /** What can be discarded. What is PENDING is about to be published, and a worker will say so. */
    public static final Set<DeadLetterStatus> DISCARDABLE =
            EnumSet.of(DeadLetterStatus.DEAD, DeadLetterStatus.REPLAYED);

    // Guarded by what it was: a worker may have resolved it since it was read, and RESOLVED is never left.
    private static final String ORIGIN = " WHERE consumer_name = ? AND origin_topic = ? AND origin_partition = ?"
            + " AND origin_offset = ? AND origin_timestamp = ?";
    private static final String DISCARD = "UPDATE {dead_letters} SET status = 'DISCARDED',"
            + " discarded_at = clock_timestamp(), discarded_by = ?, discard_reason = ?" + ORIGIN
            + " AND status IN ('DEAD', 'REPLAYED')";
    // Who discarded it stays, as what was; the trail of actions tells who restored it. One that was sent before may be
    // sent
    // again: its message takes effect once.
    private static final String RESTORE =
            "UPDATE {dead_letters} SET status = 'DEAD'" + ORIGIN + " AND status = 'DISCARDED'";

    private final Connection connection;
    private final Tables tables;

    /** Over the command's own connection. */
    public Discarding(Connections connections) {
        this.connection = connections.database();
        this.tables = connections.tables();
    }

    /** Returns whether it is discarded now by this call; if not, it was resolved or discarded by somebody else. */
    public boolean discard(Letter letter, Actor actor, String reason) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(tables.sql(DISCARD))) {
            statement.setString(1, actor.toString());
            statement.setString(2, reason);
            setOrigin(statement, 3, letter);
            return statement.executeUpdate() > 0;
        }
    }

    /** Returns whether it is back by this call. */
    public boolean restore(Letter letter) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(tables.sql(RESTORE))) {
            setOrigin(statement, 1, letter);
            return statement.executeUpdate() > 0;
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
}
