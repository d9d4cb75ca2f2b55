package dev.onceward.effect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.effect.Claims.Verdict;
import dev.onceward.handler.Coordinates;
import dev.onceward.handler.Message;
import dev.onceward.message.RecordIdentity;
import dev.onceward.postgres.Fence;
import dev.onceward.postgres.Opened;
import dev.onceward.postgres.Opened.Existing;
import dev.onceward.postgres.Opened.KnownDeadLetter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;

/** Copies of one id in one group; A, B and C are hashes of payloads. */
class ClaimsTest {
    private static final long A = 1;
    private static final long B = 2;
    private static final long C = 3;
    private static final Fence FENCE = new Fence(7, 3);
    private static final Existing STORED_A = new Existing(A, FENCE.fenceKey(), 0, 3);

    @Test
    void whereTheIdIsNewTheFirstRunsAndItsCopiesAreComparedWithIt() {
        assertThat(judge(claimed(List.of()), A, A, B))
                .containsExactly(Verdict.RUN, Verdict.DUPLICATE, Verdict.ID_REUSED);
    }

    @Test
    void whereTheIdWasClaimedBeforeEachCopyIsComparedWithThatClaim() {
        assertThat(judge(existing(STORED_A), B, A)).containsExactly(Verdict.ID_REUSED, Verdict.DUPLICATE);
        assertThat(judge(existing(STORED_A), A, B, A))
                .containsExactly(Verdict.DUPLICATE, Verdict.ID_REUSED, Verdict.DUPLICATE);
        assertThat(judge(existing(STORED_A), B, B, C))
                .containsExactly(Verdict.ID_REUSED, Verdict.ID_REUSED, Verdict.ID_REUSED);
    }

    @Test
    void aRecordThatComesAgainBehindACopyOfItselfIsStillKnownAsItself() {
        Existing second = new Existing(A, FENCE.fenceKey(), 11, 2);
        assertThat(judge(existing(second), A, A)).containsExactly(Verdict.DUPLICATE, Verdict.REDELIVERED);
    }

    @Test
    void aCopyOfWhatDoesNotRunDoesNotRunEither() {
        Opened pruned = new Opened(1, "1", Set.of(), Set.of("m"), Map.of(), List.of(), Map.of(FENCE.fenceKey(), 100L));
        assertThat(judge(pruned, A, A, B)).containsExactly(Verdict.TOO_OLD, Verdict.TOO_OLD, Verdict.ID_REUSED);

        KnownDeadLetter resolved = new KnownDeadLetter("m", A, null, "RESOLVED", false);
        assertThat(judge(claimed(List.of(resolved)), A, A)).containsExactly(Verdict.DUPLICATE, Verdict.DUPLICATE);
    }

    @Test
    void onlyADeadLetterThatProvesItUnprocessedLetsRunWhatMayHaveBeenPruned() {
        Map<Integer, Long> pruned = Map.of(FENCE.fenceKey(), 100L);
        for (boolean proves : List.of(true, false)) {
            KnownDeadLetter letter = new KnownDeadLetter("m", A, B, "DEAD", proves);
            Opened opened = new Opened(1, "1", Set.of(), Set.of("m"), Map.of(), List.of(letter), pruned);
            Verdict verdict = proves ? Verdict.RUN : Verdict.TOO_OLD;
            assertThat(judge(opened, A)).containsExactly(verdict);
            assertThat(judge(opened, B)).containsExactly(verdict);
            assertThat(judge(opened, C)).containsExactly(Verdict.TOO_OLD);
        }
    }

    @Test
    void aClaimThatIsGoneAgainRepeatsTheTransaction() {
        Opened nothing = new Opened(1, null, Set.of(), Set.of(), Map.of(), List.of(), Map.of());
        assertThat(new Claims(List.of(member(10, A), member(11, A))).judge(nothing))
                .isEmpty();
    }

    /** Members of one id at offsets from 10 on. */
    private static List<Verdict> judge(Opened opened, long... hashes) {
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < hashes.length; i++) {
            members.add(member(10 + i, hashes[i]));
        }
        return new Claims(members).judge(opened).orElseThrow();
    }

    private static Opened claimed(List<KnownDeadLetter> letters) {
        return new Opened(1, "1", Set.of(), Set.of("m"), Map.of(), letters, Map.of());
    }

    private static Opened existing(Existing claim) {
        return new Opened(1, null, Set.of(), Set.of(), Map.of("m", claim), List.of(), Map.of());
    }

    private static Member member(long offset, long hash) {
        Coordinates coordinates = new Coordinates("payments", 0, offset);
        return new Member(
                new RecordIdentity(coordinates, new UUID(1, 1), 0, hash),
                new Message<>("billing", "m", coordinates, Instant.EPOCH, "k", "v", new RecordHeaders(), 1, false),
                new Handling.Single((message, effect) -> {}),
                FENCE,
                false);
    }
}
