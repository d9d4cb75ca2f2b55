package dev.onceward.engine;

import java.time.Duration;

/** How many messages a lane puts into a group: as many as fit the time budget by the handler time measured lately. */
final class GroupSizer {
    // New measurements weigh a fifth: one slow message does not shrink groups, a slow minute does.
    private static final double WEIGHT = 0.2;

    private final int maxSize;
    private final double budgetNanos;
    private double perMessageNanos;

    GroupSizer(int maxSize, Duration budget) {
        this.maxSize = maxSize;
        this.budgetNanos = budget.toNanos();
    }

    int size() {
        if (perMessageNanos <= 0) {
            return maxSize;
        }
        return (int) Math.max(1, Math.min(maxSize, budgetNanos / perMessageNanos));
    }

    /** A group of {@code messages} took {@code nanos} in handlers and declared updates. */
    void measured(int messages, long nanos) {
        double each = (double) nanos / messages;
        perMessageNanos = perMessageNanos <= 0 ? each : perMessageNanos + WEIGHT * (each - perMessageNanos);
    }

    /** A group of {@code messages} was given up over its budget: each takes at least so long. */
    void overBudget(int messages, long nanos) {
        perMessageNanos = Math.max(perMessageNanos, (double) nanos / messages);
    }
}
