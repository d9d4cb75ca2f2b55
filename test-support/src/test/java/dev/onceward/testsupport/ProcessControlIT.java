package dev.onceward.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProcessControlIT {

    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

    @Test
    void deliversLinesAndExitCode() {
        List<String> output = new CopyOnWriteArrayList<>();
        List<String> errors = new CopyOnWriteArrayList<>();
        try (ProcessControl process = ProcessControl.java(Programs.Echo.class)
                .arguments("one", "", "with \"quotes\", back\\slash and\nline", "ümläut")
                .jvmOptions("-Dgreeting=hello world", "-Dstdout.encoding=UTF-8")
                .environment("ONCEWARD_TEST", "from outside")
                .onOutput(output::add)
                .onErrors(errors::add)
                .start()) {
            assertThat(process.awaitExit(Duration.ofSeconds(20))).isEqualTo(3);
        }
        assertThat(output)
                .containsExactly(
                        "one", "", "with \"quotes\", back\\slash and", "line", "ümläut", "hello world", "from outside");
        assertThat(errors).containsExactly("an error");
    }

    @Test
    void killsAtOnce() throws Exception {
        try (ProcessControl process = ticking()) {
            nextTick();
            process.kill9();
            assertThat(process.isAlive()).isFalse();
            assertThat(process.awaitExit(Duration.ofSeconds(1))).isEqualTo(137);
            process.kill9();
        }
    }

    @Test
    void frozenDoesNothingUntilResumed() throws Exception {
        try (ProcessControl process = ticking()) {
            nextTick();
            process.freeze();
            assertThat(process.isAlive()).isTrue();
            await().pollDelay(Duration.ofMillis(100)).until(() -> drained());
            assertThat(lines.poll(300, TimeUnit.MILLISECONDS)).isNull();
            process.resume();
            nextTick();
        }
    }

    @Test
    void frozenCanBeKilled() throws Exception {
        try (ProcessControl process = ticking()) {
            nextTick();
            process.freeze();
            process.kill9();
            assertThat(process.exitCode().get(1, TimeUnit.SECONDS)).isEqualTo(137);
        }
    }

    @Test
    void terminateRunsShutdownHooks() throws Exception {
        try (ProcessControl process = ticking()) {
            nextTick();
            process.terminate();
            assertThat(process.awaitExit(Duration.ofSeconds(20))).isEqualTo(143);
            assertThat(lines).contains("hook");
        }
    }

    @Test
    void awaitExitIsBounded() throws Exception {
        try (ProcessControl process = ticking()) {
            nextTick();
            assertThatThrownBy(() -> process.awaitExit(Duration.ofMillis(50)))
                    .isInstanceOf(BackendException.class)
                    .hasMessageContaining("PT0.05S");
        }
    }

    @Test
    void listenerThatFailsGetsTheNextLine() throws Exception {
        try (ProcessControl process = ProcessControl.java(Programs.Ticker.class)
                .onOutput(line -> {
                    lines.add(line);
                    throw new IllegalStateException("on purpose");
                })
                .start()) {
            nextTick();
            nextTick();
            assertThat(process.isAlive()).isTrue();
        }
    }

    /** The parent is killed while its child is frozen: what would help itself inside the child cannot. */
    @Test
    void endsWithItsParentEvenWhenFrozen() throws Exception {
        try (ProcessControl parent = ProcessControl.java(Programs.ParentOfFrozen.class)
                .onOutput(lines::add)
                .start()) {
            long child = Long.parseLong(lines.poll(30, TimeUnit.SECONDS));
            long ticking = Long.parseLong(lines.poll(30, TimeUnit.SECONDS));
            assertThat(ProcessHandle.of(child)).isPresent();
            assertThat(ProcessHandle.of(ticking)).isPresent();

            // Only the parent itself: kill9() would take its children with it.
            ProcessHandle.of(parent.pid()).orElseThrow().destroyForcibly();

            await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
                assertThat(ProcessHandle.of(child)).isEmpty();
                assertThat(ProcessHandle.of(ticking)).isEmpty();
            });
        }
    }

    private ProcessControl ticking() {
        return ProcessControl.java(Programs.Ticker.class).onOutput(lines::add).start();
    }

    private void nextTick() throws InterruptedException {
        assertThat(lines.poll(20, TimeUnit.SECONDS)).isNotNull();
    }

    private boolean drained() {
        lines.clear();
        return true;
    }
}
