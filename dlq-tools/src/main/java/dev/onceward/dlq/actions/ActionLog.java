package dev.onceward.dlq.actions;

import dev.onceward.dlq.connect.Connections;
import dev.onceward.postgres.Tables;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * The trail of what operators did, in {@code dlq_actions}: one row per command, written before anything is changed and
 * finished at the end. A row that stays RUNNING is that of a command that was killed. For one thread.
 */
public final class ActionLog {
    // The role in the database too: it is what the server itself has checked.
    private static final String BEGIN =
            "INSERT INTO {dlq_actions} (actor, host, consumer_name, command, filter, selected)"
                    + " VALUES (? || ' (' || current_user || ')', ?, ?, ?, ?, ?) RETURNING action_id";
    private static final String FINISH = "UPDATE {dlq_actions} SET done = ?, failed = ?, outcome = ?, detail = ?,"
            + " finished_at = clock_timestamp() WHERE action_id = ? AND outcome = 'RUNNING'";
    private static final int MAX_DETAIL = 4_000;

    private final Connection connection;
    private final Tables tables;
    private final Actor actor;

    /** Over the command's own connection, which must commit each statement by itself. */
    public ActionLog(Connections connections, Actor actor) {
        this.connection = connections.database();
        this.tables = connections.tables();
        this.actor = actor;
    }

    /** Who acts. */
    public Actor actor() {
        return actor;
    }

    /**
     * Writes the row; committed when this returns.
     *
     * @param command the command's name
     * @param filter what it was told to act on
     * @param selected how many that is; negative: not known
     */
    public Action begin(String consumer, String command, String filter, long selected) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(tables.sql(BEGIN))) {
            statement.setString(1, actor.user());
            statement.setString(2, actor.host());
            statement.setString(3, consumer);
            statement.setString(4, command);
            statement.setString(5, filter.replace("\u0000", ""));
            statement.setObject(6, selected < 0 ? null : selected, java.sql.Types.BIGINT);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return new Action(row.getLong(1));
            }
        }
    }

    /** How an action ended. */
    public enum Outcome {
        /** All was done. */
        DONE,
        /** Some could not be done. */
        PARTLY,
        /** Nothing was done, it would have been wrong. */
        REFUSED,
        /** The operator stopped it. */
        INTERRUPTED
    }

    /** A row that is RUNNING. */
    public final class Action {
        private final long id;

        private Action(long id) {
            this.id = id;
        }

        /** Finishes the row. The first call counts. */
        public void finish(Outcome outcome, long done, long failed, String detail) throws SQLException {
            try (PreparedStatement statement = connection.prepareStatement(tables.sql(FINISH))) {
                statement.setLong(1, done);
                statement.setLong(2, failed);
                statement.setString(3, outcome.name());
                String text = detail.replace("\u0000", "");
                statement.setString(4, text.length() > MAX_DETAIL ? text.substring(0, MAX_DETAIL) : text);
                statement.setLong(5, id);
                statement.executeUpdate();
            }
        }

        /**
         * Finishes the row of an action that failed in the middle. The database may be what has failed: the row then
         * stays RUNNING, which says as much.
         */
        public void finishAfter(Throwable failure, long done, long failed, String detail) {
            finishAfter(failure, Outcome.PARTLY, done, failed, detail);
        }

        void finishAfter(Throwable failure, Outcome outcome, long done, long failed, String detail) {
            try {
                finish(outcome, done, failed, detail);
            } catch (SQLException e) {
                failure.addSuppressed(e);
            }
        }
    }
}
