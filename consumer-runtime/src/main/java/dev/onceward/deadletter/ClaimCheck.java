package dev.onceward.deadletter;

import dev.onceward.catalog.DeadLetterReason;
import dev.onceward.postgres.Database;
import dev.onceward.postgres.Parameters;
import dev.onceward.postgres.UnprocessedProof;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Looks for the claim of a message that is given up without one having been looked for: it could not be decoded, or the
 * worker ended before it ran. Its dead letter will count as proof that it had not taken effect, so it must say if that
 * cannot be told.
 */
final class ClaimCheck {
    // One statement, one snapshot: pruning deletes a claim and raises pruned_through in one transaction, so that either
    // the claim is seen or that it may be gone.
    private static final String CHECK = "SELECT"
            + " (SELECT payload_hash FROM {processed_messages} WHERE consumer_name = ? AND message_id = ?),"
            + " EXISTS (SELECT FROM {partition_generations} WHERE consumer_name = ? AND topic = ? AND partition = ?"
            + " AND pruned_through >= ?),"
            + " EXISTS (SELECT FROM {dead_letters} WHERE consumer_name = ? AND message_id = ?"
            + " AND (payload_hash = ? OR edited_payload_hash = ?) AND " + UnprocessedProof.SQL + ")";

    private final Database database;

    ClaimCheck(Database database) {
        this.database = database;
    }

    /** The letter as it may be recorded: with another reason if it would prove what is not so. */
    DeadLetter checked(Connection connection, DeadLetter letter) throws SQLException {
        return letter.messageId() == null || !mayNotHaveRun(letter.reason())
                ? letter
                : letter.withReason(reason(connection, letter));
    }

    private static boolean mayNotHaveRun(DeadLetterReason reason) {
        return reason == DeadLetterReason.UNDECODABLE || reason == DeadLetterReason.ATTEMPTS_EXHAUSTED;
    }

    private DeadLetterReason reason(Connection connection, DeadLetter letter) throws SQLException {
        long hash = letter.record().payloadHash();
        try (PreparedStatement statement = database.prepare(connection, CHECK)) {
            new Parameters(connection, statement)
                    .text(database.consumer())
                    .text(letter.messageId())
                    .text(database.consumer())
                    .coordinates(letter.record())
                    .text(database.consumer())
                    .text(letter.messageId())
                    .number(hash)
                    .number(hash);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                long claimed = row.getLong(1);
                if (!row.wasNull()) {
                    // With its own payload: resolved as soon as it is published.
                    return claimed == hash ? DeadLetterReason.TOO_OLD : DeadLetterReason.ID_REUSED;
                }
                boolean pruned = row.getBoolean(2);
                return (letter.isReplay() || pruned) && !row.getBoolean(3) ? DeadLetterReason.TOO_OLD : letter.reason();
            }
        }
    }
}
