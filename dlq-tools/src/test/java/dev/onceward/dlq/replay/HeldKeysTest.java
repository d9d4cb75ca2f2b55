package dev.onceward.dlq.replay;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HeldKeysTest {
    private final HeldKeys held = new HeldKeys();

    @Test
    void laterOnesOfTheKeyAreHeldAndNobodyElse() {
        held.hold(Letters.letter(5, "a"));

        assertThat(held.holder(Letters.letter(7, "a"))).isEqualTo("payments/0/5");
        assertThat(held.holder(Letters.letter(7, "b"))).isNull();
        assertThat(held.holder(Letters.letter(7, null))).isNull();
    }

    @Test
    void anEarlierOneMayStillGoWhenTheRunBeginsAgain() {
        held.hold(Letters.letter(5, "a"));

        assertThat(held.holder(Letters.letter(3, "a"))).isNull();

        held.hold(Letters.letter(3, "a"));
        assertThat(held.holder(Letters.letter(4, "a"))).isEqualTo("payments/0/3");
        assertThat(held.holder(Letters.letter(9, "a"))).isEqualTo("payments/0/3");
    }

    @Test
    void withoutAKeyNothingIsHeld() {
        held.hold(Letters.letter(5, null));

        assertThat(held.holder(Letters.letter(7, null))).isNull();
    }
}
