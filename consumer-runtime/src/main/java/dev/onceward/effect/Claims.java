package dev.onceward.effect;

import dev.onceward.postgres.Claim;
import dev.onceward.postgres.Opened;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Which members of a group are to run, and what the others are, as the opening of the transaction found it. */
final class Claims {
    private final List<Member> members;

    Claims(List<Member> members) {
        this.members = members;
    }

    /** One claim for each id: a second copy in the group is judged by the first. */
    List<Claim> toInsert() {
        Map<String, Claim> byId = new HashMap<>();
        members.forEach(member -> byId.putIfAbsent(member.message().id(), member.claim()));
        return List.copyOf(byId.values());
    }

    /**
     * The verdict on each member. Empty if a claim that stood in the way is gone again,
     * so that the transaction has to be repeated.
     */
    Optional<List<Verdict>> judge(Opened opened) {
        List<Verdict> verdicts = new ArrayList<>(members.size());
        Map<String, Member> first = new HashMap<>();
        for (Member member : members) {
            Member earlier = first.putIfAbsent(member.message().id(), member);
            Verdict verdict = earlier == null ? judge(member, opened) : judgeCopy(member, earlier, opened);
            if (verdict == Verdict.REPEAT) {
                return Optional.empty();
            }
            verdicts.add(verdict);
        }
        return Optional.of(verdicts);
    }

    /**
     * A second copy in the same group. Where the id was claimed before this transaction, the stored claim judges it, as if
     * it had come alone: the first copy may be one that reused the id. Where the first copy claimed the id just now, it is
     * a duplicate of that one, unless that one does not run either.
     */
    private static Verdict judgeCopy(Member member, Member earlier, Opened opened) {
        if (!opened.claimed().contains(member.message().id())) {
            return judge(member, opened);
        }
        if (member.record().payloadHash() != earlier.record().payloadHash()) {
            return Verdict.ID_REUSED;
        }
        return judge(earlier, opened) == Verdict.TOO_OLD ? Verdict.TOO_OLD : Verdict.DUPLICATE;
    }

    private static Verdict judge(Member member, Opened opened) {
        String id = member.message().id();
        long hash = member.record().payloadHash();
        if (opened.claimed().contains(id)) {
            // A dead letter that was resolved counts as a claim for ever, also after the claim was pruned.
            boolean resolved = opened.deadLetters().stream()
                    .anyMatch(letter -> letter.messageId().equals(id) && letter.resolved() && letter.isFor(hash));
            if (resolved) {
                return Verdict.DUPLICATE;
            }
            return tooOld(member, opened) ? Verdict.TOO_OLD : Verdict.RUN;
        }
        Opened.Existing existing = opened.existing().get(id);
        if (existing == null) {
            return Verdict.REPEAT; // whoever had claimed it rolled back or was pruned since
        }
        boolean sameRecord = existing.fenceKey() == member.fence().fenceKey()
                && existing.sourceOffset() == member.record().coordinates().offset();
        if (existing.payloadHash() != hash) {
            return Verdict.ID_REUSED;
        }
        if (!sameRecord) {
            return Verdict.DUPLICATE;
        }
        return existing.generation() == member.fence().generation() ? Verdict.APPLIED_BEFORE : Verdict.REDELIVERED;
    }

    /**
     * Whether it took effect cannot be told any more: offsets were reset to before what may have been pruned, or a
     * replay (of an old export, say) has none. A dead letter of the message helps only if it proves it unprocessed: one
     * that was written because nobody could tell does not.
     */
    private static boolean tooOld(Member member, Opened opened) {
        long through = opened.prunedThrough().getOrDefault(member.fence().fenceKey(), -1L);
        if (!member.message().replay() && member.record().coordinates().offset() > through) {
            return false;
        }
        return opened.deadLetters().stream()
                .noneMatch(letter -> letter.provesUnprocessed()
                        && letter.messageId().equals(member.message().id())
                        && letter.isFor(member.record().payloadHash()));
    }

    /** What to do with a member. */
    enum Verdict {
        RUN,
        APPLIED_BEFORE,
        REDELIVERED,
        DUPLICATE,
        ID_REUSED,
        TOO_OLD,
        REPEAT;

        MemberResult result() {
            return this == RUN ? MemberResult.APPLIED : MemberResult.valueOf(name());
        }
    }
}
