package dev.onceward.message;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PayloadHashTest {

    @Test
    void isTheBeginningOfSha256AndStaysSo() {
        // Published test vectors: a change would make every message processed before look like a reused id.
        assertThat(PayloadHash.of("abc".getBytes(UTF_8))).isEqualTo(0xba7816bf8f01cfeaL);
        assertThat(PayloadHash.of(new byte[0])).isEqualTo(0xe3b0c44298fc1c14L);
    }

    @Test
    void zeroMeansNoValueAndNothingElse() {
        assertThat(PayloadHash.of(null)).isZero();
        assertThat(PayloadHash.neverZero(0)).isNotZero();
        assertThat(PayloadHash.neverZero(-7)).isEqualTo(-7);
    }

    @Test
    void seesEveryByte() {
        byte[] value = new byte[1000];
        long before = PayloadHash.of(value);
        value[999] = 1;
        assertThat(PayloadHash.of(value)).isNotEqualTo(before);
    }
}
