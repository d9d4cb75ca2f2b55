package dev.onceward.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SizesTest {

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 1", "1048576, 1048576", "512KiB, 524288", "8MiB, 8388608", "1GiB, 1073741824"})
    void readsUnitsOrBytes(String text, long bytes) {
        assertThat(Sizes.parse(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "MiB",
                "8MB",
                "8M",
                "8mib",
                "8 MiB",
                "1.5MiB",
                "-1",
                "+1",
                "1_000",
                "8KiBKiB",
                "٣",
                "99999999999999999999",
                "9999999999GiB"
            })
    void refusesTheRest(String text) {
        assertThatThrownBy(() -> Sizes.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("is not a size; write 512KiB, 8MiB, 1GiB, or a number of bytes");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1", "1000", "1KiB", "1025", "24MiB", "1536KiB", "64GiB"})
    void writesWhatItReads(String text) {
        assertThat(Sizes.format(Sizes.parse(text))).isEqualTo(text);
    }
}
