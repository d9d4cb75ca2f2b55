package dev.onceward.engine;

import dev.onceward.effect.GroupLimits;
import dev.onceward.effect.GroupOutcome;
import dev.onceward.effect.GroupTransaction;
import dev.onceward.effect.Member;
import dev.onceward.effect.MemberResult;
import dev.onceward.effect.Seams;
import dev.onceward.effect.TransactionWatch;
import dev.onceward.effect.TransactionWatch.Phase;
import dev.onceward.engine.SimDatabase.Tx;
import dev.onceward.failure.Classifier;
import dev.onceward.handler.Effect;
import dev.onceward.handler.FailureClass;
import dev.onceward.postgres.Claim;
import dev.onceward.postgres.Fence;
import dev.onceward.postgres.Opened;
import dev.onceward.postgres.TransactionStatus;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;

/** The transaction of a group on the model of the database. Claims are judged, and time is watched, by the real thing. */
final class SimTransaction implements GroupTransaction {
    private final SimDatabase database;
    private final SimWorker worker;
    private final GroupLimits limits;
    private final TransactionWatch watch;
    private final Classifier classifier = new Classifier(null);
    private int current;
    private int called;
    private long runStart;

    SimTransaction(SimDatabase database, SimWorker worker, GroupLimits limits, TransactionWatch watch) {
        this.database = database;
        this.worker = worker;
        this.limits = limits;
        this.watch = watch;
    }

    @Override
    public TransactionStatus status(GroupOutcome.InDoubt doubt) {
        throw new UnsupportedOperationException("handlers of the model run no SQL");
    }

    @Override
    public GroupOutcome run(List<Member> members) {
        Tx tx;
        try {
            tx = database.begin(worker);
        } catch (SQLException e) {
            return new GroupOutcome.RuntimeFailed(e, classifier.ofRuntime(e));
        }
        current = -1;
        called = 0;
        runStart = now();
        GroupOutcome outcome;
        try {
            outcome = execute(tx, members);
        } catch (SQLException e) {
            outcome = new GroupOutcome.RuntimeFailed(e, classifier.ofRuntime(e));
        }
        Optional<Phase> expired = watch.end();
        if (outcome instanceof GroupOutcome.Committed) {
            return outcome;
        }
        boolean connected = !tx.gone;
        database.rollback(tx);
        if (expired.isPresent()) {
            return onExpiry(expired.get(), members, outcome);
        }
        return outcome instanceof GroupOutcome.Failed failed
                ? new GroupOutcome.Failed(failed.culprit(), failed.error(), failed.failure(), connected)
                : outcome;
    }

    private GroupOutcome execute(Tx tx, List<Member> members) throws SQLException {
        Seams.opening(watch, connection(tx), tx.pid, Seams.commitDeadline(limits, now()));
        Set<Fence> fences = new TreeSet<>(members.stream().map(Member::fence).toList());
        database.statement(tx, "open");
        for (Fence fence : fences) {
            database.lockShared(tx, fence.fenceKey(), SimSettings.LOCK);
        }
        Opened opened = open(tx, members, fences);
        if (!opened.stale().isEmpty()) {
            return new GroupOutcome.Stale(opened.stale());
        }
        Optional<List<MemberResult>> results = Seams.judge(members, opened);
        if (results.isEmpty()) {
            return new GroupOutcome.RuntimeFailed(new SQLException("gone", "40001"), FailureClass.CONTENTION);
        }
        if (database.bug == Bug.CLAIM_IGNORED) {
            results = Optional.of(Collections.nCopies(members.size(), MemberResult.APPLIED));
        }
        Optional<GroupOutcome> stopped = handle(tx, members, results.get());
        if (stopped.isPresent()) {
            return stopped.get();
        }
        return commit(tx, members, results.get());
    }

    private Opened open(Tx tx, List<Member> members, Set<Fence> fences) throws SQLException {
        Set<Fence> stale = new HashSet<>();
        fences.stream().filter(fence -> !database.isOwn(fence)).forEach(stale::add);
        Set<String> claimed = new HashSet<>();
        Map<String, Opened.Existing> existing = new HashMap<>();
        List<Claim> claims = new ArrayList<>(Seams.claims(members));
        claims.sort((a, b) -> a.messageId().compareTo(b.messageId()));
        for (Claim claim : claims) {
            if (stale.contains(claim.fence())) {
                continue;
            }
            if (database.claim(tx, claim, SimSettings.LOCK)) {
                claimed.add(claim.messageId());
                if (database.bug == Bug.CLAIM_OUTSIDE) {
                    database.claims.put(claim.messageId(), claim);
                }
            } else {
                Claim there = database.claims.get(claim.messageId());
                existing.put(
                        claim.messageId(),
                        new Opened.Existing(
                                there.payloadHash(),
                                there.fence().fenceKey(),
                                there.sourceOffset(),
                                there.fence().generation()));
            }
        }
        List<Opened.KnownDeadLetter> letters = new ArrayList<>();
        database.dead
                .values()
                .forEach(row -> letters.add(new Opened.KnownDeadLetter(
                        String.valueOf(row.letter().messageId()),
                        row.letter().record().payloadHash(),
                        null,
                        row.status(),
                        true)));
        return new Opened(tx.pid, "1", stale, claimed, existing, letters, Map.of());
    }

    private Optional<GroupOutcome> handle(Tx tx, List<Member> members, List<MemberResult> results) throws SQLException {
        runStart = now();
        for (int i = 0; i < members.size(); i++) {
            if (results.get(i) != MemberResult.APPLIED) {
                continue;
            }
            if (i > 0 && Seams.overBudget(limits, runStart, now())) {
                return Optional.of(new GroupOutcome.OverBudget(called, now() - runStart));
            }
            current = i;
            Member member = members.get(i);
            if (!Seams.enterHandler(watch, i, limits.handlerDeadline(now()))) {
                return Optional.of(new GroupOutcome.OverBudget(called, now() - runStart));
            }
            called++;
            try {
                member.handling().call(List.of(member.message()), NoEffect.INSTANCE);
                database.statement(tx, "effect");
            } catch (SimOver e) {
                throw e;
            } catch (Throwable e) {
                if (database.bug == Bug.OFFSET_COMPLETED_ON_EXCEPTION) {
                    continue;
                }
                return Optional.of(new GroupOutcome.Failed(OptionalInt.of(i), e, classifier.ofHandler(e)));
            }
            tx.writes.add(() -> database.verdicts.effect(member));
        }
        current = -1;
        return Seams.enter(watch, Phase.SENDING, Seams.groupDeadline(limits, runStart, members.size()))
                ? Optional.empty()
                : Optional.of(new GroupOutcome.OverBudget(called, now() - runStart));
    }

    private GroupOutcome commit(Tx tx, List<Member> members, List<MemberResult> results) throws SQLException {
        for (int i = 0; i < members.size(); i++) {
            Member member = members.get(i);
            MemberResult result = results.get(i);
            if (result != MemberResult.ID_REUSED && result != MemberResult.TOO_OLD) {
                tx.writes.add(() -> after(member));
            }
        }
        database.statement(tx, "after effects");
        if (!Seams.enter(watch, Phase.COMMITTING, Seams.commitDeadline(limits, now()))) {
            return new GroupOutcome.OverBudget(called, now() - runStart);
        }
        if (database.simulation.fault(80)) {
            SQLException refused = new SQLException("serialisation failure", "40001");
            return new GroupOutcome.Failed(OptionalInt.empty(), refused, classifier.ofHandler(refused));
        }
        try {
            database.commit(tx);
        } catch (SQLException e) {
            return database.bug == Bug.UNKNOWN_COMMIT_COUNTS
                    ? new GroupOutcome.Failed(OptionalInt.of(0), e, FailureClass.TRANSIENT)
                    : new GroupOutcome.Unknown(e);
        }
        return new GroupOutcome.Committed(
                results, Collections.nCopies(members.size(), 1_000_000L), 1_000_000L * called, now() - runStart);
    }

    private void after(Member member) {
        database.attempts.remove(member.record().coordinates());
        database.dead.replaceAll(
                (at, row) -> member.message().id().equals(row.letter().messageId())
                                && row.letter().record().payloadHash()
                                        == member.record().payloadHash()
                        ? new SimDatabase.Dead(row.letter(), "RESOLVED", row.copy())
                        : row);
    }

    private GroupOutcome onExpiry(Phase phase, List<Member> members, GroupOutcome outcome) {
        Throwable cause = new SQLException("ended by the watchdog", "08006");
        return switch (phase) {
            case IDLE, DECODING -> outcome;
            case OPENING -> new GroupOutcome.RuntimeFailed(cause, FailureClass.INFRASTRUCTURE);
            case COMMITTING -> new GroupOutcome.Unknown(cause);
            case HANDLER, SENDING ->
                members.size() > 1 && (phase == Phase.SENDING || current < 0)
                        ? new GroupOutcome.OverBudget(called, now() - runStart)
                        : new GroupOutcome.Failed(
                                OptionalInt.of(members.size() == 1 ? 0 : current),
                                Seams.timeout(limits, cause),
                                FailureClass.TIME_LIMIT);
        };
    }

    private long now() {
        return database.simulation.now();
    }

    private Connection connection(Tx tx) {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> {
                    if (method.getName().equals("abort") && !tx.gone) {
                        database.kill(tx);
                    }
                    return null;
                });
    }

    /** The model writes effects by itself. */
    private static final class NoEffect {
        static final Effect INSTANCE = (Effect) Proxy.newProxyInstance(
                Effect.class.getClassLoader(), new Class<?>[] {Effect.class}, (proxy, method, args) -> {
                    throw new UnsupportedOperationException(method.getName());
                });
    }
}
