package dev.onceward.failure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ThrowablesTest {

    @Test
    void givesTheTextOfAThrowable() {
        assertThat(Throwables.text(new IllegalStateException("why"))).isEqualTo("java.lang.IllegalStateException: why");
        assertThat(Throwables.message(new IllegalStateException("why"))).isEqualTo("why");
        assertThat(Throwables.message(new IllegalStateException())).isEqualTo("java.lang.IllegalStateException");
    }

    @Test
    void givesTheClassOfAThrowableThatThrows() {
        assertThat(Throwables.text(new Mute())).isEqualTo(Mute.class.getName());
        assertThat(Throwables.message(new Mute())).isEqualTo(Mute.class.getName());
    }

    @Test
    void standsInForWhatALoggerCouldNotPrint() {
        IllegalStateException fine = new IllegalStateException("fine");

        assertThat(Throwables.loggable(fine)).isSameAs(fine);
        assertThat(Throwables.loggable(new RuntimeException("around", new Mute())))
                .hasMessageContaining("java.lang.RuntimeException")
                .hasNoCause();
    }

    @Test
    void neverSuppressesAThrowableInItself() {
        RuntimeException failure = new RuntimeException();
        Throwables.suppress(failure, failure);
        assertThat(failure.getSuppressed()).isEmpty();

        Throwables.suppress(failure, new IllegalStateException());
        assertThat(failure.getSuppressed()).hasSize(1);
    }

    @SuppressWarnings("serial")
    private static final class Mute extends RuntimeException {
        @Override
        public String getMessage() {
            throw new IllegalStateException("no message");
        }
    }
}
