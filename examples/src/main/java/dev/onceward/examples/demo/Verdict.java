package dev.onceward.examples.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Whether the guarantees held.
 *
 * @param checks one for each thing that was to be seen
 */
record Verdict(List<Check> checks) {

    /**
     * One thing that was to be seen.
     *
     * @param expected in words
     */
    record Check(String name, long found, String expected, boolean holds) {}

    /**
     * Judges.
     *
     * @param endedByThemselves worker processes that ended though nobody ended them
     */
    static Verdict of(Scenario scenario, Plan plan, Findings findings, List<Strike> strikes, int endedByThemselves) {
        EffectTally effects = findings.effects();
        DeadLetterTally deadLetters = findings.deadLetters();
        long underLoad = strikes.stream().filter(Strike::underLoad).count();
        List<Check> checks = new ArrayList<>();
        checks.add(equal("records in the topic", findings.produced(), plan.records(), "as sent"));
        checks.add(equal("unique good messages", findings.uniqueGood(), plan.uniqueGood(), "as sent"));
        checks.add(equal("effects in the ledger", effects.effects(), findings.uniqueGood(), "one for each"));
        checks.add(none("lost", effects.lost()));
        checks.add(none("doubled", effects.doubled()));
        checks.add(none("out of order in their account", effects.outOfOrder()));
        checks.add(none("effects of no good message", effects.foreign()));
        checks.add(none("accounts not right to the cent", findings.accountsOff()));
        checks.add(equal("claims", findings.claims(), findings.uniqueGood(), "one for each"));
        checks.add(equal("dead letters, row and record", deadLetters.matching(), findings.bad(), "one per bad record"));
        checks.add(none("dead letters wrong or missing", deadLetters.wrong()));
        checks.add(atMost("further copies in its topic", deadLetters.duplicates(), mostCopies(scenario)));
        checks.add(equal("faults under load", underLoad, scenario.faults(), "all"));
        checks.add(atLeast("unclean takeovers", findings.takeovers(), scenario.kills(), "kills"));
        if (scenario.pauses() > 0) {
            checks.add(atLeast("transactions fenced", findings.fenced(), 1, "of the frozen"));
            checks.add(none("of the frozen, not proven absent", findings.frozen() - findings.fenced()));
        }
        checks.add(none("workers ended by themselves", endedByThemselves));
        return new Verdict(List.copyOf(checks));
    }

    /** A lane publishes one dead letter at a time, and a fault may come between the publishing and its record. */
    private static long mostCopies(Scenario scenario) {
        return (long) Scenario.LANES * scenario.workers() * scenario.faults();
    }

    boolean holds() {
        return checks.stream().allMatch(Check::holds);
    }

    /** For reading. */
    List<String> table() {
        List<String> lines = new ArrayList<>();
        for (Check check : checks) {
            lines.add(String.format(
                    Locale.ROOT,
                    "  %-34s %,12d   %-28s %s",
                    check.name(),
                    check.found(),
                    check.expected(),
                    check.holds() ? "ok" : "FAILED"));
        }
        return lines;
    }

    private static Check none(String name, long found) {
        return new Check(name, found, "none", found == 0);
    }

    private static Check equal(String name, long found, long expected, String why) {
        return new Check(name, found, String.format(Locale.ROOT, "= %,d  %s", expected, why), found == expected);
    }

    private static Check atLeast(String name, long found, long least, String what) {
        return new Check(name, found, String.format(Locale.ROOT, ">= %,d  %s", least, what), found >= least);
    }

    private static Check atMost(String name, long found, long most) {
        return new Check(name, found, String.format(Locale.ROOT, "<= %,d  lanes x faults", most), found <= most);
    }
}
