package dev.onceward.testsupport.guarantees;

import java.util.ArrayList;
import java.util.List;

/** Counts what a check looks at and finds. */
final class Tally {
    private final String guarantee;
    private final List<String> first = new ArrayList<>();
    private long checked;
    private long violations;

    Tally(String guarantee) {
        this.guarantee = guarantee;
    }

    void checked(long more) {
        checked += more;
    }

    void violation(String what) {
        violations++;
        if (first.size() < Finding.TOLD) {
            first.add(what);
        }
    }

    Finding finding() {
        return new Finding(guarantee, checked, violations, first);
    }
}
