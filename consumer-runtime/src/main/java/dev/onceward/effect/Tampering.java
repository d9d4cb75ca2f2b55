package dev.onceward.effect;

import dev.onceward.effect.Claims.Verdict;
import dev.onceward.handler.FailureClass;
import dev.onceward.postgres.TransactionStatus;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.TransactionState;

/**
 * Finds out whether a handler got round its guard and ended the transaction it was given. Then every claim of the group
 * is committed, also those of members that have not run, and nothing may be taken for what it seems: a member that is
 * run again would be found processed.
 */
final class Tampering {
    // The settings' view is slow, so it is asked only where there is something to find out: what the session began
    // with.
    private static final String STATE = "SELECT pg_current_xact_id_if_assigned()::text,"
            + " CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN"
            + " (SELECT reset_val NOT IN ('off', 'local') FROM pg_settings WHERE name = 'synchronous_commit')"
            + " ELSE false END";

    private final Connection connection;
    private final List<Member> members;
    private final List<Verdict> verdicts;
    private final @Nullable String transactionId;
    private final HandlerEffect effect;
    private @Nullable Set<Integer> unsent;
    private boolean asynchronous;

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

    /**
     * Before COMMIT, which would commit another transaction if this one had ended; and which would not be safe when it
     * is answered if a handler had made it asynchronous, by a function that no reading of its texts finds. That one
     * fails: the roll-back undoes the setting, also where it was meant for the whole session.
     */
    Optional<GroupOutcome> beforeCommit() throws SQLException {
        if (!effect.mustBeChecked()) {
            return Optional.empty();
        }
        boolean same = sameTransaction();
        if (effect.usedOwnSql() && !same) {
            return Optional.of(by(effect.lastWithOwnSql()));
        }
        return asynchronous
                ? Optional.of(new GroupOutcome.Failed(
                        members.size() == 1 ? OptionalInt.of(0) : OptionalInt.empty(),
                        new IllegalStateException(Refusal.ofAsynchronousCommit()),
                        FailureClass.TRANSIENT))
                : Optional.empty();
    }

    /**
     * After a failure: rolls back, and asks the server whether that was in vain because a handler had committed before.
     * Empty without an answer; nothing needs to be asked where the handlers only declared updates.
     */
    Optional<TransactionStatus> statusAfterRollback() {
        if (!effect.usedOwnSql() || transactionId == null) {
            return Optional.of(TransactionStatus.ABORTED);
        }
        try {
            connection.rollback();
            return Optional.of(TransactionStatus.of(connection, transactionId));
        } catch (SQLException | RuntimeException e) {
            return Optional.empty();
        }
    }

    /**
     * What a failure is in truth. Where the server did not answer (the connection was lost, or ended because its time was
     * over) the question is still open: if it were passed over, a claim that a handler had committed would be taken for
     * proof of the effect of a message that has not run.
     */
    GroupOutcome corrected(GroupOutcome failure, Optional<TransactionStatus> status) {
        if (!effect.usedOwnSql() || transactionId == null || failure instanceof GroupOutcome.Tampered) {
            return failure;
        }
        GroupOutcome.Tampered tampered = by(effect.lastWithOwnSql());
        if (status.isEmpty() || status.get() == TransactionStatus.IN_PROGRESS) {
            return inDoubt(failure, transactionId, tampered);
        }
        return status.get() == TransactionStatus.COMMITTED ? tampered : failure;
    }

    /**
     * What a failure is while the handler is still running, on a thread that was given up. Called by another one, so the
     * present member counts as having run SQL of its own, whether that is visible here or not.
     */
    GroupOutcome unanswered(GroupOutcome failure) {
        int culprit = Math.max(effect.presentMember(), effect.lastWithOwnSql());
        return transactionId == null ? failure : inDoubt(failure, transactionId, by(culprit));
    }

    private GroupOutcome inDoubt(GroupOutcome failure, String id, GroupOutcome.Tampered ifCommitted) {
        int claiming = verdicts.indexOf(Verdict.RUN);
        return claiming < 0
                ? failure
                : new GroupOutcome.InDoubt(failure, id, members.get(claiming).claim(), ifCommitted);
    }

    private boolean sameTransaction() throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(STATE);
                ResultSet row = statement.executeQuery()) {
            row.next();
            asynchronous = row.getBoolean(2);
            return Objects.equals(transactionId, row.getString(1));
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
