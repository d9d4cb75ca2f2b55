package dev.onceward.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PostgresOptionsTest {

    @Test
    void defaults() {
        assertThat(PostgresOptions.durable().effective())
                .isEqualTo(Map.of(
                        "fsync", "on",
                        "max_connections", "200",
                        "autovacuum", "on",
                        "timezone", "UTC",
                        "lc_messages", "C",
                        "dynamic_shared_memory_type", "mmap"));
        assertThat(PostgresOptions.fast().effective()).containsEntry("fsync", "off");
    }

    @Test
    void settingsGoOverDefaults() {
        assertThat(PostgresOptions.durable().with("max_connections", "10").effective())
                .containsEntry("max_connections", "10");
    }

    @Test
    void valuesAreQuoted() {
        assertThat(PostgresOptions.asConfiguration(new TreeMap<>(Map.of("a.b", "it's", "c", "x\\y"))))
                .isEqualTo("a.b = 'it''s'\nc = 'x\\\\y'\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "two words", "a=b", "1a", "a\nb"})
    void namesAreChecked(String name) {
        assertThatThrownBy(() -> PostgresOptions.fast().with(name, "on"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + name + "'");
    }

    @Test
    void valuesAreOfOneLine() {
        assertThatThrownBy(() -> PostgresOptions.fast().with("a", "on\nfsync = on"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("setting a ");
    }
}
