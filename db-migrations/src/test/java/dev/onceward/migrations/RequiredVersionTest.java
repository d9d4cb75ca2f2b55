package dev.onceward.migrations;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RequiredVersionTest {
    private static final Path SQL = Path.of("src/main/resources/dev/onceward/migrations/sql");
    private static final Pattern NAME = Pattern.compile("V([1-9][0-9]*)__[a-z0-9_]+\\.sql");

    @Test
    void isTheNumberOfTheNewestMigration() throws IOException {
        List<Integer> versions;
        try (Stream<Path> files = Files.list(SQL)) {
            versions = files.map(file -> NAME.matcher(file.getFileName().toString()))
                    .peek(name -> assertThat(name.matches()).as(name.toString()).isTrue())
                    .map((Matcher name) -> Integer.valueOf(name.group(1)))
                    .sorted()
                    .toList();
        }
        assertThat(versions)
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, SchemaVersion.REQUIRED).boxed().toList());
    }
}
