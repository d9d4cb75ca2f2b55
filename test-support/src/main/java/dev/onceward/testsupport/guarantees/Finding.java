package dev.onceward.testsupport.guarantees;

import java.util.List;

/**
 * What a check found.
 *
 * @param guarantee its name
 * @param checked how many things were looked at: effects, records, commits. A check that looked at nothing proves nothing
 * @param violations how many of them break the guarantee; 0: it held
 * @param first some of the violations, in words, with their coordinates
 */
public record Finding(String guarantee, long checked, long violations, List<String> first) {
    /** How many are told in words. */
    static final int TOLD = 20;

    /** Copies. */
    public Finding {
        first = List.copyOf(first);
    }

    /** Whether nothing breaks it. */
    public boolean held() {
        return violations == 0;
    }

    /** For the message of an assertion. */
    @Override
    public String toString() {
        String summary = guarantee + ": " + violations + " violations in " + checked + " checked";
        if (checked == 0) {
            summary += " (there was nothing to check: is the query right?)";
        }
        return first.isEmpty() ? summary : summary + "\n  " + String.join("\n  ", first);
    }
}
