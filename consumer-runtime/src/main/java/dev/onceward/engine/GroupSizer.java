package dev.onceward.engine;

import java.time.Duration;

/** How many messages a lane puts into a group: as many as fit the time budget by the handler time measured lately. */
final class GroupSizer {
    // New measurements weigh a fifth: one slow message does not shrink groups, a slow minute does.
    private static final double WEIGHT = 0.2;

    private final int maxSize;
    private final double budgetNanos;
    private double perMessageNanos;
    private int untilMeasured = 1;

    GroupSizer(int maxSize, Duration budget) {
        this.maxSize = maxSize;
        this.budgetNanos = budget.toNanos();
    }

    /**
     * 1 until something is known: what would be too much at once would have been for nothing. Groups of nothing but
     * duplicates (after a restart, whole backlogs are) double it.
     */
    int size() {
        if (perMessageNanos <= 0) {
            return untilMeasured;
        }
        return (int) Math.max(1, Math.min(maxSize, budgetNanos / perMessageNanos));
    }

    /**
     * A group took so long in handlers and declared updates.
     *
     * @param run messages of it whose handler was called: a group of duplicates says nothing about the handler
     */
    void measured(int run, long nanos) {
        if (run > 0) {
            double each = (double) nanos / run;
            perMessageNanos = perMessageNanos <= 0 ? each : perMessageNanos + WEIGHT * (each - perMessageNanos);
        } else {
            untilMeasured = Math.min(maxSize, untilMeasured * 2);
        }
    }

    /**
     * A group was given up over its budget: each takes at least so long.
     *
     * @param run messages of it whose handler was called until then
     */
    void overBudget(int run, long nanos) {
        perMessageNanos = Math.max(perMessageNanos, (double) nanos / Math.max(1, run));
    }
}
