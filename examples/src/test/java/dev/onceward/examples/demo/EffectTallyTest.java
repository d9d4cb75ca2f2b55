package dev.onceward.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EffectTallyTest {

    private final Plan plan = Plan.of(Scenarios.of(1_000, 3, 0, 0, 0));
    private final EffectTally tally = new EffectTally(plan);
    private final Map<Integer, BigDecimal> balances = new HashMap<>();
    private List<PlannedMessage> good;

    @BeforeEach
    void fill() {
        good = IntStream.range(0, plan.messages())
                .mapToObj(plan::message)
                .filter(message -> !message.bad())
                .toList();
        IntStream.range(0, plan.accounts()).forEach(account -> balances.put(account, BigDecimal.ZERO));
    }

    @Test
    void findsNothingWhereEachTookEffectOnce() {
        good.forEach(this::effect);

        assertThat(tally.effects()).isEqualTo(970);
        assertThat(tally.lost()).isZero();
        assertThat(tally.doubled()).isZero();
        assertThat(tally.outOfOrder()).isZero();
        assertThat(tally.foreign()).isZero();
        assertThat(tally.accountsOff(balances)).isZero();
    }

    @Test
    void findsWhatIsLost() {
        good.stream().skip(3).forEach(this::effect);

        assertThat(tally.lost()).isEqualTo(3);
        assertThat(tally.accountsOff(balances)).isBetween(1L, 3L);
    }

    @Test
    void findsWhatIsDoubled() {
        good.forEach(this::effect);
        effect(good.get(5));
        effect(good.get(5));

        assertThat(tally.doubled()).isEqualTo(2);
        assertThat(tally.lost()).isZero();
        assertThat(tally.outOfOrder()).isZero();
        assertThat(tally.accountsOff(balances)).isEqualTo(1);
    }

    @Test
    void findsWhatOvertook() {
        PlannedMessage later = good.stream()
                .filter(message -> message.sequence() == 2
                        && !plan.message(first(message).index()).bad())
                .findFirst()
                .orElseThrow();
        effect(later);
        effect(first(later));

        assertThat(tally.outOfOrder()).isEqualTo(1);
        assertThat(tally.doubled()).isZero();
    }

    @Test
    void findsEffectsOfBadAndUnknownMessagesAndOtherContent() {
        PlannedMessage bad = IntStream.range(0, plan.messages())
                .mapToObj(plan::message)
                .filter(PlannedMessage::bad)
                .findFirst()
                .orElseThrow();
        effect(bad);
        tally.accept("payment-9999999", 0, 1, BigDecimal.ONE);
        tally.accept("something", 0, 1, BigDecimal.ONE);
        PlannedMessage message = good.get(0);
        tally.accept(
                message.id(),
                message.key(),
                message.sequence(),
                message.amount().add(new BigDecimal("0.01")));

        assertThat(tally.foreign()).isEqualTo(4);
        assertThat(tally.lost()).isEqualTo(970);
    }

    @Test
    void findsABalanceThatIsACentOff() {
        good.forEach(this::effect);
        balances.merge(17, new BigDecimal("0.01"), BigDecimal::add);
        balances.remove(18);

        assertThat(tally.accountsOff(balances)).isEqualTo(2);
    }

    private PlannedMessage first(PlannedMessage message) {
        return IntStream.range(0, plan.messages())
                .mapToObj(plan::message)
                .filter(other -> other.key() == message.key() && other.sequence() == 1)
                .findFirst()
                .orElseThrow();
    }

    private void effect(PlannedMessage message) {
        tally.accept(message.id(), message.key(), message.sequence(), message.amount());
        balances.merge(message.key(), message.amount(), BigDecimal::add);
    }
}
