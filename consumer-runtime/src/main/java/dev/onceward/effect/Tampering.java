package dev.onceward.effect;

import dev.onceward.effect.Claims.Verdict;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.TransactionState;

/**
 * Finds out whether a handler got round its guard and ended the transaction it was given. Then every claim of the group
 * is committed, also those of members that have not run, and nothing may be taken for what it seems: a member that is
 * run again would be found processed.
 */
final class Tampering {
    private final Connection connection;
    private final List<Member> members;
    private final List<Verdict> verdicts;
    private final @Nullable String transactionId;
    private final HandlerEffect effect;
    private @Nullable Set<Integer> unsent;

    Tampering(
            Connection connection,
            List<Member> members,
            List<Verdict> verdicts,
            @Nullable String transactionId,
            HandlerEffect effect) {
        this.connection = connection;
        this.members = members;
        this.verdicts = verdicts;
        this.transactionId = transactionId;
        this.effect = effect;
    }

    /** After a handler that returned: the driver knows without asking the server whether the transaction is still there. */
    Optional<GroupOutcome> afterHandler(int member, TransactionState state) throws SQLException {
        boolean ended = state == TransactionState.IDLE || (effect.mayHaveEndedTransaction() && !sameTransaction());
        return ended ? Optional.of(by(member)) : Optional.empty();
    }

    /** What is sent from here on would go into another transaction, if this one has ended. */
    void sending() {
        unsent = effect.onlyDeclared();
    }

    /** Before COMMIT, which would commit another transaction if this one had ended. */
    Optional<GroupOutcome> beforeCommit() throws SQLException {
        return effect.usedOwnSql() && !sameTransaction() ? Optional.of(by(effect.lastWithOwnSql())) : Optional.empty();
    }

    /**
     * After a failure: rolls back, and asks the server whether that was in vain because a handler had committed before.
     * Without an answer nothing is known, and the failure stands as it is.
     */
    Optional<GroupOutcome> afterFailure() {
        if (!effect.usedOwnSql() || transactionId == null) {
            return Optional.empty();
        }
        try {
            connection.rollback();
            return committed() ? Optional.of(by(effect.lastWithOwnSql())) : Optional.empty();
        } catch (SQLException | RuntimeException e) {
            return Optional.empty();
        }
    }

    private boolean sameTransaction() throws SQLException {
        try (PreparedStatement statement =
                        connection.prepareStatement("SELECT pg_current_xact_id_if_assigned()::text");
                ResultSet row = statement.executeQuery()) {
            row.next();
            return Objects.equals(transactionId, row.getString(1));
        }
    }

    private boolean committed() throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT pg_xact_status(?::text::xid8)")) {
            statement.setString(1, transactionId);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return "committed".equals(row.getString(1));
            }
        }
    }

    private GroupOutcome.Tampered by(int culprit) {
        Set<Integer> unapplied = new HashSet<>(unsent != null ? unsent : effect.onlyDeclared());
        for (int i = culprit + 1; i < members.size(); i++) {
            // A batch handler is called once, for its later members too.
            boolean called = members.get(culprit).handling() instanceof Handling.Batch
                    && members.get(culprit).handling().equals(members.get(i).handling());
            if (!called) {
                unapplied.add(i);
            }
        }
        // Only claims of this transaction: that of a member found processed before has its effect.
        unapplied.removeIf(i -> verdicts.get(i) != Verdict.RUN);
        return new GroupOutcome.Tampered(culprit, Set.copyOf(unapplied));
    }
}
