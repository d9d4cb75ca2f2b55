package dev.onceward.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationsTest {

    @ParameterizedTest
    @CsvSource({
        "0s, PT0S",
        "200ms, PT0.2S",
        "30s, PT30S",
        "5m, PT5M",
        "2h, PT2H",
        "14d, P14D",
        "0ms, PT0S",
        "90s, PT1M30S",
        "PT1M30S, PT1M30S",
        "pt0.5s, PT0.5S",
        "P1DT1H, P1DT1H",
        "PT-5S, PT-5S",
    })
    void readsBothForms(String text, Duration duration) {
        assertThat(Durations.parse(text)).isEqualTo(duration);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "5",
                "s",
                "5 s",
                "5S",
                "1.5s",
                "-5s",
                "+5s",
                "5m30s",
                "5min",
                "5w",
                "1_000ms",
                "P",
                "PT",
                "P1M",
                "P1Y",
                "٣s",
                "99999999999999999999s",
                "9223372036854775807d",
                "PT99999999999999999999S",
                "never",
            })
    void refusesTheRest(String text) {
        assertThatThrownBy(() -> Durations.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("is not a duration; write 200ms, 30s, 5m, 2h, 14d, or PT30S");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"0s", "1ms", "1500ms", "1s", "61s", "1m", "90m", "25h", "1d", "14d", "PT0.0000001S", "PT-5S"})
    void writesWhatItReads(String text) {
        assertThat(Durations.format(Durations.parse(text))).isEqualTo(text);
    }
}
