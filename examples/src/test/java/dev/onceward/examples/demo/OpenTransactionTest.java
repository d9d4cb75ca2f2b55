package dev.onceward.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OpenTransactionTest {

    private static final long EPOCH = 1L << 32;

    @Test
    void completesAnIdWithTheEpoch() {
        assertThat(OpenTransaction.fullXid(790, 800)).isEqualTo(790);
        assertThat(OpenTransaction.fullXid(790, 3 * EPOCH + 800)).isEqualTo(3 * EPOCH + 790);
    }

    @Test
    void idMayBeALittleLater() {
        assertThat(OpenTransaction.fullXid(801, 800)).isEqualTo(801);
        assertThat(OpenTransaction.fullXid(5, 3 * EPOCH - 10)).isEqualTo(3 * EPOCH + 5);
    }

    @Test
    void idFromBeforeTheWrapBelongsToTheEpochBefore() {
        assertThat(OpenTransaction.fullXid(EPOCH - 5, 3 * EPOCH + 800)).isEqualTo(3 * EPOCH - 5);
    }
}
