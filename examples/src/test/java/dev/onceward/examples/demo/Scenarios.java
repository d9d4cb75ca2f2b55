package dev.onceward.examples.demo;

import dev.onceward.testsupport.BackendsMode;

/** Scenarios for tests. */
final class Scenarios {

    private Scenarios() {}

    static Scenario defaults(long seed) {
        return new Scenario(20_000, 3, 2, 1, 1, seed, BackendsMode.EMBEDDED, true);
    }

    static Scenario of(int messages, int workers, int kills, int pauses, int dbRestarts) {
        return new Scenario(messages, workers, kills, pauses, dbRestarts, 7, BackendsMode.EMBEDDED, true);
    }
}
