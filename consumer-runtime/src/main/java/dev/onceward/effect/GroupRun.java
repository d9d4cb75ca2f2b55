package dev.onceward.effect;

import dev.onceward.crash.CrashPoint;
import dev.onceward.effect.Claims.Verdict;
import dev.onceward.effect.TransactionWatch.Phase;
import dev.onceward.failure.Classifier;
import dev.onceward.failure.SqlStates;
import dev.onceward.failure.Throwables;
import dev.onceward.handler.FailureClass;
import dev.onceward.handler.Message;
import dev.onceward.handler.MessageFailedException;
import dev.onceward.postgres.Database;
import dev.onceward.postgres.Opened;
import dev.onceward.postgres.Opening;
import dev.onceward.postgres.TransactionStatus;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.LongStream;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.postgresql.util.PSQLException;

/** The run of one group in its transaction; its fields are what the steps share. */
final class GroupRun {
    /** The connection; shutdown and crash; time limits of the session; "completion unknown"; resources; internal. */
    private static final Set<String> OUTCOME_UNKNOWN = Set.of("08", "57P", "25P03", "25P04", "40003", "53", "58", "XX");

    private final Opening opening;
    private final AfterEffects afterEffects;
    private final Classifier classifier;
    private final GroupLimits limits;
    private final TransactionWatch watch;
    private final Jdbi jdbi;
    private final Clock clock;
    private final Connection connection;
    private final List<Member> members;
    private final Claims claims;
    private final long startNanos = System.nanoTime();
    private long runStartNanos = startNanos;
    private final long[] handlerNanos;
    private int current = -1;
    private @Nullable Tampering tampering;
    private int called;
    private boolean commitSent;

    GroupRun(TransactionParts parts, Connection connection, List<Member> members) {
        this.opening = parts.opening();
        this.afterEffects = parts.afterEffects();
        this.classifier = parts.classifier();
        this.limits = parts.limits();
        this.watch = parts.watch();
        this.jdbi = parts.jdbi();
        this.clock = parts.clock();
        this.connection = connection;
        this.members = members;
        this.claims = new Claims(members);
        this.handlerNanos = new long[members.size()];
    }

    GroupOutcome execute() throws SQLException {
        CrashPoint.BEFORE_CLAIM.reached();
        watch.opening(connection, limits.openingDeadline(startNanos));
        Opened opened =
                opening.open(connection, members.stream().map(Member::fence).toList(), claims.toInsert());
        watch.backend(opened.backendPid());
        CrashPoint.AFTER_CLAIM.reached();
        if (!opened.stale().isEmpty()) {
            return new GroupOutcome.Stale(opened.stale());
        }
        Optional<List<Verdict>> verdicts = claims.judge(opened);
        if (verdicts.isEmpty()) {
            return contention("a claim that stood in the way is gone");
        }
        return handle(opened, verdicts.get());
    }

    private GroupOutcome handle(Opened opened, List<Verdict> verdicts) throws SQLException {
        runStartNanos = System.nanoTime();
        HandlerEffect effect = new HandlerEffect(connection, jdbi);
        Tampering guard = new Tampering(connection, members, verdicts, opened.transactionId(), effect);
        tampering = guard;
        watch.handlersRun(guard);
        try {
            Optional<GroupOutcome> stopped = callHandlers(verdicts, effect, guard);
            if (stopped.isPresent()) {
                return stopped.get();
            }
            current = -1;
            if (!watch.enter(Phase.SENDING, limits.groupDeadline(runStartNanos, members.size()))) {
                return new GroupOutcome.OverBudget(called, elapsed());
            }
            guard.sending();
            effect.flush();
        } catch (DeclaredUpdateException e) {
            return blame(e);
        } finally {
            effect.close();
        }
        long runNanos = elapsed();
        afterEffects.write(connection, members, verdicts, opened);
        Optional<GroupOutcome> ended = guard.beforeCommit();
        return ended.isPresent() ? ended.get() : commit(verdicts, runNanos);
    }

    private Optional<GroupOutcome> callHandlers(List<Verdict> verdicts, HandlerEffect effect, Tampering guard)
            throws SQLException {
        Set<Handling> batchesDone = new HashSet<>();
        for (int i = 0; i < members.size(); i++) {
            Handling handling = members.get(i).handling();
            if (verdicts.get(i) != Verdict.RUN || (handling instanceof Handling.Batch && !batchesDone.add(handling))) {
                continue;
            }
            if (i > 0 && limits.overBudget(runStartNanos, System.nanoTime())) {
                return Optional.of(new GroupOutcome.OverBudget(called, elapsed()));
            }
            current = i;
            Optional<GroupOutcome> stopped = call(handling, messagesFor(i, verdicts), effect, guard);
            if (stopped.isPresent()) {
                return stopped;
            }
        }
        return Optional.empty();
    }

    private List<Message<?, ?>> messagesFor(int index, List<Verdict> verdicts) {
        Member member = members.get(index);
        if (member.handling() instanceof Handling.Single) {
            return List.of(member.message());
        }
        List<Message<?, ?>> batch = new ArrayList<>();
        for (int i = index; i < members.size(); i++) {
            if (verdicts.get(i) == Verdict.RUN && members.get(i).handling().equals(member.handling())) {
                batch.add(members.get(i).message());
            }
        }
        return List.copyOf(batch);
    }

    private Optional<GroupOutcome> call(
            Handling handling, List<Message<?, ?>> messages, HandlerEffect effect, Tampering guard)
            throws SQLException {
        long now = System.nanoTime();
        if (!watch.enterHandler(culpritOf(handling), limits.handlerDeadline(now))) {
            return Optional.of(new GroupOutcome.OverBudget(called, elapsed()));
        }
        effect.begin(current, clock.instant().plus(limits.handler()));
        called += messages.size();
        try {
            handling.call(messages, effect);
            handlerNanos[current] = System.nanoTime() - now;
            CrashPoint.AFTER_HANDLER.reached();
        } catch (MessageFailedException e) {
            Throwable cause = Objects.requireNonNullElse(Throwables.causeOf(e), e);
            return Optional.of(blame(indexOf(e.failedMessage()), cause));
        } catch (Throwable e) { // an Error of a handler is a failure of its message, never of the lane
            return Optional.of(effect.failedUpdate().map(this::blame).orElseGet(() -> blame(culpritOf(handling), e)));
        }
        // A declared update of an earlier member may have failed while this handler read; whether it let that pass
        // or not.
        Optional<DeclaredUpdateException> failed = effect.failedUpdate();
        return failed.isPresent() ? failed.map(this::blame) : checkTransaction(handling, effect, guard);
    }

    private Optional<GroupOutcome> checkTransaction(Handling handling, HandlerEffect effect, Tampering guard)
            throws SQLException {
        BaseConnection driver = Database.driver(connection);
        if (driver.isClosed()) {
            // Whatever the handler did with the error: it was its statement that lost the connection.
            return Optional.of(blame(
                    culpritOf(handling), new SQLException("the connection was lost while the handler ran", "08006")));
        }
        TransactionState state = driver.getTransactionState();
        if (state == TransactionState.FAILED) {
            return Optional.of(blame(culpritOf(handling), swallowed(effect)));
        }
        Optional<GroupOutcome> ended = guard.afterHandler(current, state);
        return ended.isPresent() ? ended : endTurn(handling, effect);
    }

    private Optional<GroupOutcome> endTurn(Handling handling, HandlerEffect effect) {
        try {
            effect.endTurn();
            return Optional.empty();
        } catch (SQLException e) {
            return Optional.of(blame(culpritOf(handling), e));
        }
    }

    private Throwable swallowed(HandlerEffect effect) {
        return new IllegalStateException(
                "the handler of " + members.get(current).message()
                        + " swallowed an SQL error: its transaction cannot commit any more."
                        + " Let the exception pass, or use a savepoint.",
                effect.ownSqlError().orElse(null));
    }

    private GroupOutcome commit(List<Verdict> verdicts, long runNanos) {
        current = -1;
        if (!watch.enter(Phase.COMMITTING, limits.commitDeadline(System.nanoTime()))) {
            return new GroupOutcome.OverBudget(called, runNanos);
        }
        CrashPoint.BEFORE_COMMIT.reached();
        commitSent = true;
        try {
            connection.commit();
        } catch (SQLException | RuntimeException e) {
            return refusedByServer(e) ? blame(OptionalInt.empty(), e) : new GroupOutcome.Unknown(e);
        }
        CrashPoint.AFTER_COMMIT.reached();
        return new GroupOutcome.Committed(
                verdicts.stream().map(Verdict::result).toList(),
                LongStream.of(handlerNanos).boxed().toList(),
                runNanos,
                System.nanoTime() - startNanos);
    }

    /**
     * Whether the server itself said that it did not commit: a deferred constraint, a serialisation failure. With
     * anything else (the connection, a shutdown, which may strike while COMMIT waits for a standby and is done
     * locally) the outcome is unknown; taking a known one for unknown does no harm.
     */
    private static boolean refusedByServer(Throwable e) {
        for (Throwable cause : Throwables.causes(e)) {
            if (cause instanceof PSQLException answer && answer.getServerErrorMessage() != null) {
                String state = Objects.requireNonNullElse(answer.getSQLState(), "XX000");
                return OUTCOME_UNKNOWN.stream().noneMatch(state::startsWith);
            }
        }
        // The driver's own word for "the server answered ROLLBACK".
        return SqlStates.find(e).filter("25P02"::equals).isPresent();
    }

    private GroupOutcome blame(DeclaredUpdateException e) {
        OptionalInt culprit = members.size() == 1 ? OptionalInt.of(0) : e.member();
        return blame(culprit, Objects.requireNonNullElse(Throwables.causeOf(e), e));
    }

    private GroupOutcome blame(OptionalInt culprit, Throwable error) {
        return new GroupOutcome.Failed(culprit, error, classifier.ofHandler(error));
    }

    GroupOutcome failed(Throwable error) {
        return new GroupOutcome.RuntimeFailed(error, classifier.ofRuntime(error));
    }

    private GroupOutcome contention(String what) {
        return new GroupOutcome.RuntimeFailed(new SQLException(what, "40001"), FailureClass.CONTENTION);
    }

    private OptionalInt culpritOf(Handling handling) {
        // A batch of one message has its culprit; of a larger one nobody knows.
        return handling instanceof Handling.Single || members.size() == 1
                ? OptionalInt.of(current)
                : OptionalInt.empty();
    }

    private OptionalInt indexOf(@Nullable Message<?, ?> message) { // the team's code may have given it none
        for (int i = 0; i < members.size(); i++) {
            if (message != null && members.get(i).message().coordinates().equals(message.coordinates())) {
                return OptionalInt.of(i);
            }
        }
        return OptionalInt.empty();
    }

    private long elapsed() {
        return System.nanoTime() - runStartNanos;
    }

    /**
     * Gives the connection back, and corrects the outcome where the runtime's own clock ended the transaction: what
     * the driver threw then is only a symptom.
     */
    GroupOutcome finish(GroupOutcome outcome, Optional<Phase> expired) {
        if (outcome instanceof GroupOutcome.Committed) {
            try {
                connection.close();
            } catch (SQLException | RuntimeException e) {
                Database.abort(connection); // it has committed; the pool may do what it likes with the rest
            }
            return outcome;
        }
        Throwable cause = errorOf(outcome);
        Optional<TransactionStatus> status = Optional.empty();
        if (expired.isPresent() || outcome instanceof GroupOutcome.Unknown) {
            Database.abort(connection);
        } else if (tampering != null) {
            status = tampering.statusAfterRollback();
        }
        // Not the messages', and not a conflict: what the session was left with may be the reason, and would be again.
        boolean spoilt = outcome instanceof GroupOutcome.RuntimeFailed own && own.failure() != FailureClass.CONTENTION;
        boolean connected =
                spoilt ? Database.evictAndClose(connection, cause) : Database.rollbackAndClose(connection, cause);
        GroupOutcome failure = failure(outcome, expired, cause, connected);
        // A COMMIT of our own was preceded by a look at the transaction; if its answer is lost, the claims decide.
        return tampering == null || commitSent ? failure : tampering.corrected(failure, status);
    }

    private GroupOutcome failure(GroupOutcome outcome, Optional<Phase> expired, Throwable cause, boolean connected) {
        if (expired.isPresent()) {
            return onExpiry(expired.get(), outcome, cause);
        }
        return outcome instanceof GroupOutcome.Failed f
                ? new GroupOutcome.Failed(f.culprit(), f.error(), f.failure(), connected)
                : outcome;
    }

    private static Throwable errorOf(GroupOutcome outcome) {
        if (outcome instanceof GroupOutcome.Failed failed) {
            return failed.error();
        }
        if (outcome instanceof GroupOutcome.Unknown unknown) {
            return unknown.error();
        }
        return outcome instanceof GroupOutcome.RuntimeFailed failed ? failed.error() : new Throwable();
    }

    private GroupOutcome onExpiry(Phase phase, GroupOutcome outcome, Throwable cause) {
        return switch (phase) {
            case IDLE, DECODING -> outcome;
            case OPENING -> new GroupOutcome.RuntimeFailed(cause, FailureClass.INFRASTRUCTURE);
            case COMMITTING -> new GroupOutcome.Unknown(cause);
            case HANDLER, SENDING -> {
                if (members.size() > 1 && (phase == Phase.SENDING || current < 0)) {
                    yield new GroupOutcome.OverBudget(called, elapsed());
                }
                OptionalInt culprit = members.size() == 1
                        ? OptionalInt.of(0)
                        : members.get(current).handling() instanceof Handling.Single
                                ? OptionalInt.of(current)
                                : OptionalInt.empty();
                yield new GroupOutcome.Failed(
                        culprit, new HandlerTimeoutException(limits.handler(), cause), FailureClass.TIME_LIMIT);
            }
        };
    }
}
