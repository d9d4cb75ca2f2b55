package dev.onceward.effect;

import dev.onceward.effect.Claims.Verdict;
import dev.onceward.postgres.AttemptTable;
import dev.onceward.postgres.Database;
import dev.onceward.postgres.Opened;
import dev.onceward.postgres.Parameters;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/** The runtime's own writes that belong to the effect: they commit with it, and most groups need none of them. */
public final class AfterEffects {
    // RESOLVED is never left, so rows that have it are not touched again.
    private static final String RESOLVE =
            "UPDATE {dead_letters} SET status = 'RESOLVED', resolved_at = clock_timestamp()"
                    + " WHERE consumer_name = ? AND message_id = ? AND (payload_hash = ? OR edited_payload_hash = ?)"
                    + " AND status <> 'RESOLVED'";
    private static final String UNCLAIM = "DELETE FROM {processed_messages} WHERE consumer_name = ? AND message_id = ?"
            + " AND fence_key = ? AND source_offset = ? AND generation = ?";
    // An xid alone does not make COMMIT wait for the synchronous standby, a WAL record does.
    private static final String WAL_RECORD = "SELECT pg_logical_emit_message(true, 'onceward', '')";

    private final Database database;
    private final AttemptTable attempts;

    public AfterEffects(Database database, AttemptTable attempts) {
        this.database = database;
        this.attempts = attempts;
    }

    void write(Connection connection, List<Member> members, List<Verdict> verdicts, Opened opened) throws SQLException {
        for (int i = 0; i < members.size(); i++) {
            Member member = members.get(i);
            switch (verdicts.get(i)) {
                case RUN, APPLIED_BEFORE, REDELIVERED, DUPLICATE -> {
                    if (member.failedBefore()) {
                        attempts.delete(connection, member.record());
                    }
                    if (resolves(member, opened)) {
                        resolve(connection, member);
                    }
                }
                case TOO_OLD -> unclaim(connection, List.of(member));
                case ID_REUSED, REPEAT -> {}
            }
        }
        if (opened.claimed().isEmpty()) {
            try (PreparedStatement statement = connection.prepareStatement(WAL_RECORD)) {
                statement.execute();
            }
        }
    }

    /** Takes back claims whose messages did not run. */
    public void unclaim(Connection connection, List<Member> members) throws SQLException {
        try (PreparedStatement statement = database.prepare(connection, UNCLAIM)) {
            for (Member member : members) {
                new Parameters(connection, statement)
                        .text(database.consumer())
                        .text(member.message().id())
                        .number(member.fence().fenceKey())
                        .number(member.record().coordinates().offset())
                        .number(member.fence().generation());
                statement.executeUpdate();
            }
        }
    }

    private static boolean resolves(Member member, Opened opened) {
        return opened.deadLetters().stream()
                .anyMatch(letter -> letter.messageId().equals(member.message().id())
                        && !letter.resolved()
                        && letter.isFor(member.record().payloadHash()));
    }

    private void resolve(Connection connection, Member member) throws SQLException {
        try (PreparedStatement statement = database.prepare(connection, RESOLVE)) {
            new Parameters(connection, statement)
                    .text(database.consumer())
                    .text(member.message().id())
                    .number(member.record().payloadHash())
                    .number(member.record().payloadHash());
            statement.executeUpdate();
        }
    }
}
