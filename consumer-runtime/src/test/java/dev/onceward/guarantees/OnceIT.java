package dev.onceward.guarantees;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OnceIT {

    @Test
    void eachMessageTakesEffectOnceThoughManyAreSentTwice() {
        try (Ledger ledger = new Ledger(3)) {
            for (int i = 0; i < 2_000; i++) {
                ledger.send("account-" + i % 50, "m" + i, "10");
                if (i % 10 == 0) {
                    ledger.send("account-" + i % 50, "m" + i, "10");
                }
            }
            ledger.flush();
            ledger.start(Ledger.HANDLER);
            Ledger.await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(2_200));
            assertThat(ledger.entries()).isEqualTo(2_000);
            assertThat(ledger.distinctEntries()).isEqualTo(2_000);
        }
    }

    @Test
    void aMessageThatFailsForEverIsDeadLettered() {
        try (Ledger ledger = new Ledger(1)) {
            for (int i = 0; i < 100; i++) {
                ledger.send("account-" + i % 5, "m" + i, i == 17 ? "bad" : "10");
            }
            ledger.flush();
            ledger.start((message, effect) -> {
                Ledger.HANDLER.handle(message, effect);
                if ("bad".equals(message.value())) {
                    throw new IllegalStateException("cannot");
                }
            });
            Ledger.await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(100));
            assertThat(ledger.entries()).isEqualTo(99);
            assertThat(ledger.deadLetters()).isEqualTo(1);
            assertThat(ledger.count("SELECT attempts FROM dead_letters")).isEqualTo(5);
            assertThat(ledger.count("SELECT count(*) FROM message_attempts")).isZero();
        }
    }

    @Test
    void aHandlerThatLeavesItsThreadInterruptedHoldsUpNothing() {
        try (Ledger ledger = new Ledger(1)) {
            for (int i = 0; i < 20; i++) {
                ledger.send("account-" + i % 2, "m" + i, "10");
            }
            ledger.flush();
            ledger.start((message, effect) -> {
                Ledger.HANDLER.handle(message, effect);
                Thread.currentThread().interrupt();
            });
            Ledger.await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(20));
            assertThat(ledger.entries()).isEqualTo(20);
            assertThat(ledger.distinctEntries()).isEqualTo(20);
        }
    }
}
