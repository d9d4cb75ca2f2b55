package dev.onceward.migrations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SchemaNameTest {
    @ParameterizedTest
    @ValueSource(strings = {"onceward", "public", "_private", "a1_b2", "user"})
    void takesPlainNames(String name) {
        assertThat(new SchemaName(name).quoted()).isEqualTo('"' + name + '"');
        assertThat(new SchemaName(name).qualify("consumers")).isEqualTo('"' + name + "\".consumers");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "1a",
                "Onceward",
                "my-app",
                "a b",
                "a\"b",
                "a;drop",
                "a.b",
                "a\n",
                "äpfel",
                "information_schema",
                "pg_x"
            })
    void refusesEverythingElse(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new SchemaName(name))
                .withMessageContaining("Schema name \"" + name + "\"");
    }

    @Test
    void refusesWhatTheServerWouldCutOff() {
        assertThat(new SchemaName("a".repeat(63)).value()).hasSize(63);
        assertThatIllegalArgumentException().isThrownBy(() -> new SchemaName("a".repeat(64)));
    }
}
