package dev.onceward.testsupport;

import static dev.onceward.testsupport.ServerLifecycle.State.CLOSED;
import static dev.onceward.testsupport.ServerLifecycle.State.FROZEN;
import static dev.onceward.testsupport.ServerLifecycle.State.RUNNING;
import static dev.onceward.testsupport.ServerLifecycle.State.STOPPED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ServerLifecycleTest {

    private final ServerLifecycle lifecycle = new ServerLifecycle("Kafka");

    @Test
    void goesThroughALife() {
        assertThat(lifecycle.is(RUNNING)).isTrue();
        lifecycle.to(FROZEN);
        assertThat(lifecycle.isUp()).isTrue();
        lifecycle.to(RUNNING);
        lifecycle.to(STOPPED);
        assertThat(lifecycle.isUp()).isFalse();
        lifecycle.to(RUNNING);
        lifecycle.to(CLOSED);
    }

    @Test
    void refusesWhatMakesNoSense() {
        lifecycle.to(STOPPED);
        assertThatThrownBy(() -> lifecycle.to(FROZEN))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Kafka is STOPPED and cannot become FROZEN");
        assertThatThrownBy(() -> lifecycle.require(RUNNING)).isInstanceOf(IllegalStateException.class);
        lifecycle.to(CLOSED);
        for (ServerLifecycle.State next : ServerLifecycle.State.values()) {
            assertThatThrownBy(() -> lifecycle.to(next)).isInstanceOf(IllegalStateException.class);
        }
    }
}
