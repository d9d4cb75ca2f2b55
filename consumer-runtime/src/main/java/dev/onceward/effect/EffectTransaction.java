package dev.onceward.effect;

import dev.onceward.effect.TransactionWatch.Phase;
import dev.onceward.failure.Classifier;
import dev.onceward.postgres.Database;
import dev.onceward.postgres.Opening;
import dev.onceward.postgres.TransactionStatus;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;

/**
 * One group in one database transaction: fence and claims, handlers, declared updates, COMMIT.
 *
 * <p>Why an effect is there once. The claim, unique in (consumer, message id), is inserted by the same transaction that
 * writes the effect: of two transactions that try, one waits for the other and then finds its claim. Why a stale worker
 * writes nothing: {@link Opening}. Why a lost answer of COMMIT does no harm: the group is run again, and a claim found
 * with this record's own coordinates and generation says that it had committed; while the old server process is still
 * at it, the INSERT of the new one waits for it. Why a duplicate is not completed too early: its original was committed
 * when this transaction's snapshot was taken, and this transaction writes a WAL record of its own, so that its COMMIT
 * waits for the synchronous standby behind the original's.
 */
public final class EffectTransaction implements GroupTransaction {
    private static final Duration STATUS_LIMIT = Duration.ofSeconds(5);

    private final Database database;
    private final TransactionParts parts;

    public EffectTransaction(
            Database database,
            Opening opening,
            AfterEffects afterEffects,
            Classifier classifier,
            GroupLimits limits,
            TransactionWatch watch,
            Jdbi jdbi,
            Clock clock) {
        this.database = database;
        this.parts = new TransactionParts(opening, afterEffects, classifier, limits, watch, jdbi, clock);
    }

    /** Never throws, and gives the connection back (or breaks it) in every case. */
    @Override
    public GroupOutcome run(List<Member> members) {
        Connection connection;
        try {
            connection = database.open();
        } catch (SQLException | RuntimeException e) {
            return new GroupOutcome.RuntimeFailed(e, parts.classifier().ofRuntime(e));
        }
        GroupRun run = new GroupRun(parts, connection, members);
        GroupOutcome outcome;
        try {
            outcome = run.execute();
        } catch (Throwable e) { // an Error must not leave the connection behind either
            outcome = run.failed(e);
        }
        Optional<Phase> expired = parts.watch().end();
        return run.finish(outcome, expired);
    }

    /** Asks on a connection of its own. */
    @Override
    public TransactionStatus status(GroupOutcome.InDoubt doubt) throws SQLException {
        return TransactionStatus.ofLost(database, STATUS_LIMIT, doubt.transactionId(), doubt.claim());
    }
}
