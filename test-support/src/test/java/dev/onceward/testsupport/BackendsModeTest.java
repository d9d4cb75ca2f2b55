package dev.onceward.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BackendsModeTest {

    @ParameterizedTest
    @EnumSource
    void isReadAsItIsWritten(BackendsMode mode) {
        assertThat(BackendsMode.parse(mode.text())).isEqualTo(mode);
    }

    @Test
    void anotherValueIsRefusedWithWhatIsAllowed() {
        assertThatThrownBy(() -> BackendsMode.parse("docker"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("onceward.backends=docker is not known; it may be embedded, containers, external");
    }
}
