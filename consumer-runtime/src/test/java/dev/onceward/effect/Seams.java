package dev.onceward.effect;

import dev.onceward.effect.Claims.Verdict;
import dev.onceward.effect.TransactionWatch.Phase;
import dev.onceward.postgres.Claim;
import dev.onceward.postgres.Opened;
import java.sql.Connection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** What a model of a group's transaction needs of the real one: the judgement on claims, the watch over time. */
public final class Seams {
    private Seams() {}

    public static List<Claim> claims(List<Member> members) {
        return new Claims(members).toInsert();
    }

    public static Optional<List<MemberResult>> judge(List<Member> members, Opened opened) {
        return new Claims(members)
                .judge(opened)
                .map(verdicts -> verdicts.stream().map(Verdict::result).toList());
    }

    public static void opening(TransactionWatch watch, Connection connection, int pid, long deadline) {
        watch.opening(connection, deadline);
        watch.backend(pid);
    }

    public static boolean enterHandler(TransactionWatch watch, int member, long deadline) {
        return watch.enterHandler(OptionalInt.of(member), deadline);
    }

    public static boolean enter(TransactionWatch watch, Phase phase, long deadline) {
        return watch.enter(phase, deadline);
    }

    public static boolean overBudget(GroupLimits limits, long start, long now) {
        return limits.overBudget(start, now);
    }

    public static Exception timeout(GroupLimits limits, Throwable cause) {
        return new HandlerTimeoutException(limits.handler(), cause);
    }

    public static long commitDeadline(GroupLimits limits, long now) {
        return limits.commitDeadline(now);
    }

    public static long groupDeadline(GroupLimits limits, long start, int size) {
        return limits.groupDeadline(start, size);
    }
}
