package dev.onceward.testsupport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** Run by root: everything else here has run as an ordinary user if it was started by one, and as root if not. */
class OrdinaryUserIT {

    private static final String NOBODY = "65534";

    private Path readable;

    @BeforeEach
    void createDirectories() {
        readable = WorkDirectory.create("ordinary-user");
    }

    @AfterEach
    void deleteDirectories() {
        WorkDirectory.delete(readable);
    }

    @Test
    @EnabledIf("dev.onceward.testsupport.ChildPostgresIT#isRoot")
    void startsFreezesKillsAndRestartsServers() throws Exception {
        Path temporary = Files.createDirectory(readable.resolve("tmp"));
        Files.setAttribute(temporary, "unix:uid", Integer.parseInt(NOBODY));
        String classPath = copiedClassPath();
        Files.setPosixFilePermissions(readable, PosixFilePermissions.fromString("rwxr-xr-x"));

        Process program = new ProcessBuilder(
                        "setpriv",
                        "--reuid=" + NOBODY,
                        "--regid=" + NOBODY,
                        "--clear-groups",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Djava.io.tmpdir=" + temporary,
                        "-cp",
                        classPath,
                        Programs.UserOfServers.class.getName())
                .directory(temporary.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            String output = new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(program.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(output).startsWith("nobody has 127.0.0.1:");
            assertThat(program.exitValue()).isZero();
        } finally {
            program.destroyForcibly();
        }
    }

    /** The originals may lie in root's home, which nobody else may read. */
    private String copiedClassPath() throws IOException {
        List<Path> copies = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            Path source = Path.of(entry);
            Path target = readable.resolve(copies.size() + "-" + source.getFileName());
            try (Stream<Path> files = Files.walk(source)) {
                for (Path file : files.toList()) {
                    Files.copy(file, target.resolve(source.relativize(file).toString()));
                }
            }
            copies.add(target);
        }
        return copies.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }
}
