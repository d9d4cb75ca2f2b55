package dev.onceward.dlq.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TerminalTest {
    @Test
    void believesTheLauncherAboutTheStreams() {
        Terminal terminal = Terminal.detect(Map.of("DLQ_TERMINALS", "12", "COLUMNS", "132"));

        assertThat(terminal).isEqualTo(new Terminal(false, true, true, 132, true));
    }

    @Test
    void hasColourUnlessSomebodyObjects() {
        assertThat(Terminal.detect(Map.of("NO_COLOR", "1")).colour()).isFalse();
        assertThat(Terminal.detect(Map.of("NO_COLOR", "")).colour()).isTrue();
        assertThat(Terminal.detect(Map.of("TERM", "dumb")).colour()).isFalse();
    }

    @Test
    void is80ColumnsWideWhereNobodyKnows() {
        assertThat(Terminal.detect(Map.of()).width()).isEqualTo(80);
        assertThat(Terminal.detect(Map.of("COLUMNS", "0")).width()).isEqualTo(80);
        assertThat(Terminal.detect(Map.of("COLUMNS", "wide")).width()).isEqualTo(80);
        assertThat(Terminal.detect(Map.of("COLUMNS", "3")).width()).isEqualTo(20);
    }

    @Test
    void durationsHaveTwoUnits() {
        assertThat(People.duration(Duration.ofSeconds(7))).isEqualTo("7s");
        assertThat(People.duration(Duration.ofMillis(450))).isEqualTo("450ms");
        assertThat(People.duration(Duration.ofSeconds(192))).isEqualTo("3m 12s");
        assertThat(People.duration(Duration.ofMinutes(125))).isEqualTo("2h 5m");
        assertThat(People.duration(Duration.ofHours(99))).isEqualTo("4d 3h");
        assertThat(People.duration(Duration.ofSeconds(-7))).isEqualTo("-7s");
    }
}
