package dev.onceward.testsupport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PostgresBinariesIT {

    @TempDir
    Path temporary;

    /** Two at the same time, as by test JVMs that start together; then one that finds a file gone, as cleaners leave it. */
    @Test
    void unpacksOnceAndAgainWhenItIsNoLongerWhole() throws IOException {
        CompletableFuture<Path> other = CompletableFuture.supplyAsync(() -> PostgresBinaries.unpacked(temporary));
        Path unpacked = PostgresBinaries.unpacked(temporary);
        assertThat(other.join()).isEqualTo(unpacked);
        assertThat(unpacked.resolve("bin/postgres")).isExecutable();
        assertThat(children(unpacked.getParent())).containsExactly(unpacked);

        Path lost = unpacked.resolve("share/postgresql/postgres.bki");
        Files.delete(lost);
        assertThat(PostgresBinaries.unpacked(temporary)).isEqualTo(unpacked);
        assertThat(lost).exists();
        assertThat(children(unpacked.getParent())).containsExactly(unpacked);
    }

    private static List<Path> children(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }
}
