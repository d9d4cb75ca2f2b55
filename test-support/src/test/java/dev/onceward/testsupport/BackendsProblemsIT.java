package dev.onceward.testsupport;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIf;

/** What a team sees that has set something wrong, in a JVM of its own for each: the shared servers are started only once. */
class BackendsProblemsIT {

    @Test
    @DisabledIf("hasDocker")
    void containersWithoutAnEngine() {
        assertThat(told("-Donceward.backends=containers"))
                .contains("onceward.backends=containers needs a Docker engine")
                .contains("-Donceward.backends=embedded");
    }

    @Test
    void modeThatDoesNotExist() {
        assertThat(told("-Donceward.backends=none")).contains("embedded, containers, external");
    }

    @Test
    void externalWithoutAddresses() {
        assertThat(told("-Donceward.backends=external")).contains("onceward.backends.jdbc-url is missing");
    }

    @Test
    void externalThatDoesNotAnswer() {
        int port = FreePorts.next();
        assertThat(told(
                        "-Donceward.backends=external",
                        "-Donceward.backends.kafka=127.0.0.1:" + port,
                        "-Donceward.backends.jdbc-url=jdbc:postgresql://127.0.0.1:" + port + "/postgres",
                        "-Donceward.backends.user=tester"))
                .contains("127.0.0.1:" + port)
                .contains("refused");
    }

    private static String told(String... jvmOptions) {
        List<String> lines = new CopyOnWriteArrayList<>();
        try (ProcessControl program = ProcessControl.java(Programs.UserOfSharedServers.class)
                .jvmOptions(jvmOptions)
                .environment("DOCKER_HOST", "tcp://127.0.0.1:" + FreePorts.next())
                .onOutput(lines::add)
                .onErrors(line -> {}) // what the libraries think of it, at length
                .start()) {
            program.awaitExit(Duration.ofSeconds(60));
        }
        return String.join("\n", lines);
    }

    /** Where an engine listens at the usual place, it is found in spite of what the environment says. */
    static boolean hasDocker() {
        return Files.exists(Path.of("/var/run/docker.sock"))
                || Files.exists(Path.of(System.getProperty("user.home"), ".docker", "run", "docker.sock"));
    }
}
