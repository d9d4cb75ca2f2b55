package dev.onceward.migrations;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The jar as it is delivered, in a JVM of its own: nothing that it needs may be missing from it. */
@Timeout(value = 1, unit = TimeUnit.MINUTES)
class CommandJarIT {
    private static final Path JAR = Path.of(Objects.requireNonNull(System.getProperty("commandJar")));

    private final TestDatabase database = TestDatabase.create();

    @Test
    void migratesADatabase() throws Exception {
        Process command = start("--db-url", database.url(), "--user", "postgres");

        assertThat(output(command)).isEqualTo("Schema \"public\" is at version 3: 3 applied now.\n");
        assertThat(command.waitFor()).isEqualTo(MigrateMain.OK);
        Migrations.verify(database.asSuperuser(), "public");
    }

    private static Process start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-jar", JAR.toString()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    private static String output(Process process) throws IOException {
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
}
