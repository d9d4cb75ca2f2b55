package dev.onceward.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.examples.demo.Verdict.Check;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class VerdictTest {

    private static final Strike STRIKE =
            new Strike(PlannedFault.Kind.KILL, "worker-1.1 killed", new Load.Measure(0.5, 12));

    private final Scenario scenario = Scenarios.of(2_000, 3, 2, 1, 0);
    private final Plan plan = Plan.of(scenario);
    private final EffectTally effects = new EffectTally(plan);
    private final List<Strike> strikes = new ArrayList<>(Collections.nCopies(3, STRIKE));

    @BeforeEach
    void eachTookEffect() {
        IntStream.range(0, plan.messages())
                .mapToObj(plan::message)
                .filter(message -> !message.bad())
                .forEach(this::effect);
    }

    @Test
    void holdsWhereEverythingIsAsPlanned() {
        assertThat(failed(findings(2, 1, 36))).isEmpty();
    }

    @Test
    void doubledEffectFails() {
        effect(plan.message(IntStream.range(0, 1_000)
                .filter(index -> !plan.message(index).bad())
                .findFirst()
                .orElseThrow()));
        assertThat(failed(findings(2, 1, 0))).containsExactly("effects in the ledger", "doubled");
    }

    @Test
    void fewerTakeoversThanKillsFail() {
        assertThat(failed(findings(1, 1, 0))).containsExactly("unclean takeovers");
    }

    @Test
    void frozenTransactionThatIsNotProvenAbsentFails() {
        assertThat(failed(findings(2, 0, 0)))
                .containsExactly("transactions fenced", "of the frozen, not proven absent");
    }

    @Test
    void moreCopiesThanFaultsExplainFail() {
        assertThat(failed(findings(2, 1, 37))).containsExactly("further copies in its topic");
    }

    @Test
    void faultWithoutLoadFails() {
        strikes.set(1, new Strike(PlannedFault.Kind.KILL, "worker-1.1 killed", new Load.Measure(0.5, 0)));
        assertThat(failed(findings(2, 1, 0))).containsExactly("faults under load");
        strikes.set(1, new Strike(PlannedFault.Kind.KILL, "worker-1.1 killed", new Load.Measure(0.91, 12)));
        assertThat(failed(findings(2, 1, 0))).containsExactly("faults under load");
    }

    @Test
    void faultThatDidNotStrikeFails() {
        strikes.remove(0);
        assertThat(failed(findings(2, 1, 0))).containsExactly("faults under load");
    }

    @Test
    void workerThatEndedByItselfFails() {
        Verdict verdict = Verdict.of(scenario, plan, findings(2, 1, 0), strikes, 1);
        assertThat(verdict.holds()).isFalse();
        assertThat(verdict.table())
                .filteredOn(line -> line.contains("FAILED"))
                .singleElement()
                .asString()
                .contains("by themselves");
    }

    private List<String> failed(Findings findings) {
        Verdict verdict = Verdict.of(scenario, plan, findings, strikes, 0);
        List<String> failed = verdict.checks().stream()
                .filter(check -> !check.holds())
                .map(Check::name)
                .toList();
        assertThat(verdict.holds()).isEqualTo(failed.isEmpty());
        return failed;
    }

    private Findings findings(long takeovers, long fenced, long copies) {
        return new Findings(
                plan.records(),
                plan.uniqueGood(),
                35,
                plan.uniqueGood(),
                effects,
                0,
                new DeadLetterTally(35, 0, copies),
                takeovers,
                1,
                fenced);
    }

    private void effect(PlannedMessage message) {
        effects.accept(message.id(), message.key(), message.sequence(), message.amount());
    }
}
