package dev.onceward.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/** What became of a transaction. */
public enum TransactionStatus {
    COMMITTED,
    ABORTED,
    IN_PROGRESS;

    private static final String CLAIMED = "SELECT FROM {processed_messages} WHERE consumer_name = ? AND message_id = ?"
            + " AND fence_key = ? AND source_offset = ? AND generation = ?";
    private static final String NEVER_HEARD_OF = "22023";

    /** What the server says while the session of the transaction lives. */
    public static TransactionStatus of(Connection connection, String transactionId) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT pg_xact_status(?::text::xid8)")) {
            statement.setString(1, transactionId);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                String status = row.getString(1);
                if ("in progress".equals(status)) {
                    return IN_PROGRESS;
                }
                return "committed".equals(status) ? COMMITTED : ABORTED;
            }
        }
    }

    /**
     * Whether a claim is there, once the transaction that wrote it is over. Its id alone would not tell: a server that
     * crashed gives the ids of transactions it lost to others.
     *
     * @param connection in a READ COMMITTED transaction, which must be rolled back if this throws
     */
    private static TransactionStatus ofClaim(
            Database database, Connection connection, String transactionId, Claim claim) throws SQLException {
        if (of(connection, transactionId) == IN_PROGRESS) {
            return IN_PROGRESS;
        }
        try (PreparedStatement statement = database.prepare(connection, CLAIMED)) {
            new Parameters(connection, statement)
                    .text(database.consumer())
                    .text(claim.messageId())
                    .number(claim.fence().fenceKey())
                    .number(claim.sourceOffset())
                    .number(claim.fence().generation());
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? COMMITTED : ABORTED;
            }
        }
    }

    /** As {@link #of}, on a connection of its own, after that of the transaction is lost: told by a claim it wrote. */
    public static TransactionStatus ofLost(Database database, Duration limit, String transactionId, Claim claim)
            throws SQLException {
        try {
            return database.inTransaction(limit, connection -> ofClaim(database, connection, transactionId, claim));
        } catch (SQLException e) {
            if (NEVER_HEARD_OF.equals(e.getSQLState())) {
                return ABORTED; // lost with an earlier primary, or by a crash
            }
            throw e;
        }
    }
}
