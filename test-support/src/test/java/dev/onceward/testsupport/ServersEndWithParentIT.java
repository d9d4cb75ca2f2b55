package dev.onceward.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServersEndWithParentIT {

    @TempDir
    Path temporary;

    /** A test JVM that is killed, as continuous integration does at a timeout, with PostgreSQL frozen at that moment. */
    @Test
    void killedParentLeavesNeitherProcessesNorFiles() throws Exception {
        BlockingQueue<String> pids = new LinkedBlockingQueue<>();
        try (ProcessControl parent = ProcessControl.java(Programs.ParentOfServers.class)
                .jvmOptions("-Djava.io.tmpdir=" + temporary)
                .onOutput(pids::add)
                .start()) {
            List<ProcessHandle> servers = List.of(handle(pids), handle(pids));
            List<ProcessHandle> all = servers.stream()
                    .flatMap(server -> Stream.concat(Stream.of(server), server.descendants()))
                    .toList();
            assertThat(all).hasSizeGreaterThan(4).allMatch(ProcessHandle::isAlive);
            assertThat(workDirectories()).hasSize(3);

            // Only the parent itself: kill9() would take its children with it.
            ProcessHandle.of(parent.pid()).orElseThrow().destroyForcibly();

            await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                assertThat(all).noneMatch(ProcessHandle::isAlive);
                assertThat(workDirectories()).isEmpty();
            });
        }
    }

    private static ProcessHandle handle(BlockingQueue<String> pids) throws InterruptedException {
        String pid = pids.poll(60, TimeUnit.SECONDS);
        assertThat(pid).isNotNull();
        return ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
    }

    /** Of the servers; what was unpacked stays. */
    private List<Path> workDirectories() throws IOException {
        try (Stream<Path> files = Files.list(temporary)) {
            return files.filter(file -> file.getFileName().toString().matches("onceward-(kafka|postgres)-\\d+"))
                    .toList();
        }
    }
}
