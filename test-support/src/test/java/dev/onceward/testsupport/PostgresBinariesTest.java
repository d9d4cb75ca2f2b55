package dev.onceward.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PostgresBinariesTest {

    @TempDir
    Path temporary;

    @ParameterizedTest
    @CsvSource({
        "Linux, amd64, postgres-linux-x86_64.txz",
        "Linux, aarch64, postgres-linux-arm_64.txz",
        "Mac OS X, aarch64, postgres-darwin-arm_64.txz",
        "Mac OS X, x86_64, postgres-darwin-x86_64.txz"
    })
    void findsTheArchiveForAMachine(String system, String machine, String archive) {
        assertThat(PostgresBinaries.archiveName(system, machine)).isEqualTo(archive);
    }

    @Test
    void runsNothingThatSomebodyElsePutThere() throws IOException {
        Files.createSymbolicLink(
                temporary.resolve("onceward-postgres-" + System.getProperty("user.name")),
                Files.createDirectory(temporary.resolve("elsewhere")));
        assertThatThrownBy(() -> PostgresBinaries.unpacked(temporary))
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("java.io.tmpdir");
    }
}
