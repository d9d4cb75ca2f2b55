package dev.onceward.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.examples.demo.PlannedMessage.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PlanTest {

    private final Plan plan = Plan.of(Scenarios.defaults(42));

    @Test
    void isTheSameForTheSameSeedOnly() {
        assertThat(records(plan)).isEqualTo(records(Plan.of(Scenarios.defaults(42))));
        assertThat(plan.faults()).isEqualTo(Plan.of(Scenarios.defaults(42)).faults());
        assertThat(records(plan)).isNotEqualTo(records(Plan.of(Scenarios.defaults(43))));
    }

    @Test
    void sendsEveryMessageAndOneInTwentyTwice() {
        assertThat(plan.messages()).isEqualTo(20_000);
        assertThat(plan.records()).isEqualTo(21_000);
        Map<Integer, Integer> copies = new HashMap<>();
        records(plan).forEach(message -> copies.merge(message.index(), 1, Integer::sum));
        assertThat(copies).hasSize(20_000);
        assertThat(copies.values()).allMatch(count -> count <= 2);
    }

    @Test
    void hasThirtyBadMessagesSomeOfThemTwice() {
        assertThat(plan.uniqueGood()).isEqualTo(19_970);
        Map<Kind, Set<Integer>> messages = new HashMap<>();
        Map<Kind, Integer> records = new HashMap<>();
        for (PlannedMessage message : records(plan)) {
            messages.computeIfAbsent(message.kind(), kind -> new HashSet<>()).add(message.index());
            records.merge(message.kind(), 1, Integer::sum);
        }
        assertThat(messages.get(Kind.UNDECODABLE)).hasSize(10);
        assertThat(messages.get(Kind.UNKNOWN_ACCOUNT)).hasSize(15);
        assertThat(messages.get(Kind.OVER_LIMIT)).hasSize(5);
        for (Kind kind : List.of(Kind.UNDECODABLE, Kind.UNKNOWN_ACCOUNT, Kind.OVER_LIMIT)) {
            assertThat(records.get(kind)).isGreaterThan(messages.get(kind).size());
        }
    }

    @Test
    void firstCopiesOfAnAccountAreSentInTheOrderOfTheirSequence() {
        Map<Integer, Integer> sequences = new HashMap<>();
        Set<Integer> sent = new HashSet<>();
        for (PlannedMessage message : records(plan)) {
            if (sent.add(message.index())) {
                int before = sequences.getOrDefault(message.key(), 0);
                assertThat(message.sequence()).isEqualTo(before + 1);
                sequences.put(message.key(), message.sequence());
            }
        }
    }

    @Test
    void loadsAllPartitionsEvenlyThroughoutTheRun() {
        int[] counts = new int[plan.partitions()];
        List<PlannedMessage> records = records(plan);
        for (int position = 0; position < records.size(); position++) {
            counts[plan.partition(records.get(position))]++;
            if (position % 1_000 == 999) {
                double mean = (position + 1.0) / plan.partitions();
                assertThat(IntStream.of(counts)).allMatch(count -> count > mean * 0.8 && count < mean * 1.2);
            }
        }
    }

    @Test
    void amountsAreRefusedOnlyWhereTheyShouldBe() {
        assertThat(records(plan))
                .allSatisfy(message -> assertThat(message.amount().compareTo(Plan.LIMIT) > 0)
                        .isEqualTo(message.kind() == Kind.OVER_LIMIT));
    }

    @Test
    void badAccountsAreNone() {
        assertThat(records(plan))
                .allSatisfy(message ->
                        assertThat(message.payment().account() < 0).isEqualTo(message.kind() == Kind.UNKNOWN_ACCOUNT));
    }

    @Test
    void faultsStrikeOneAfterTheOtherBetweenTenAndNinetyPercent() {
        Plan large = Plan.of(Scenarios.of(200_000, 3, 20, 5, 3));
        assertThat(large.faults()).hasSize(28);
        assertThat(large.faults()).extracting(PlannedFault::at).isSorted().allMatch(at -> at > 0.1 && at < 0.85);
        assertThat(large.faults())
                .extracting(PlannedFault::kind)
                .filteredOn(kind -> kind == PlannedFault.Kind.KILL)
                .hasSize(20);
    }

    @Test
    void idsNameTheirMessage() {
        assertThat(PlannedMessage.indexOf(PlannedMessage.id(0))).isZero();
        assertThat(PlannedMessage.indexOf(PlannedMessage.id(9_999_999))).isEqualTo(9_999_999);
        assertThat(List.of("", "payment-", "payment-12", "other-0000001", "payment-000000x"))
                .allMatch(id -> PlannedMessage.indexOf(id) == -1);
    }

    private static List<PlannedMessage> records(Plan plan) {
        return new ArrayList<>(
                IntStream.range(0, plan.records()).mapToObj(plan::record).toList());
    }
}
