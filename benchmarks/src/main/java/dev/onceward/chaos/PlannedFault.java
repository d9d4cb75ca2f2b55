package dev.onceward.chaos;

import java.time.Duration;
import java.util.Random;

/**
 * One fault of a schedule.
 *
 * @param at how long after the beginning; later if what it needs is still hurt by an earlier one
 * @param kind what happens
 * @param pick decides where and how long
 */
record PlannedFault(Duration at, FaultKind kind, long pick) {
    /** The same numbers each time it is asked. */
    Random random() {
        return new Random(pick);
    }
}
