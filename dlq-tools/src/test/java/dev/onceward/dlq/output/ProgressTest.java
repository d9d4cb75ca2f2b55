package dev.onceward.dlq.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ProgressTest {
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final AtomicLong clock = new AtomicLong();

    @Test
    void isABarOnATerminal() {
        Progress progress = progress(new Terminal(true, true, true, 80, true));

        clock.addAndGet(Duration.ofSeconds(1).toNanos());
        progress.show(500);

        assertThat(err.toString(StandardCharsets.UTF_8))
                .endsWith("[████████████            ] 500 of 1,000 sent, 500/s, 1s left");

        progress.say("a message");

        assertThat(err.toString(StandardCharsets.UTF_8)).endsWith("\r\u001b[Ka message\n");
    }

    @Test
    void isALineEveryFewSecondsElsewhere() {
        Progress progress = progress(Terminal.NONE);

        clock.addAndGet(Duration.ofSeconds(4).toNanos());
        progress.show(10);
        clock.addAndGet(Duration.ofSeconds(1).toNanos());
        progress.show(20);
        progress.show(30);

        assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo("20 of 1,000 sent, 4.0/s, 4m 5s left\n");
    }

    private Progress progress(Terminal terminal) {
        Console console = new Console(
                new BufferedReader(new StringReader("")),
                System.out,
                new PrintStream(err, true, StandardCharsets.UTF_8),
                Map.of(),
                terminal,
                new Secrets());
        return new Progress(console, "sent", 1_000, clock::get);
    }
}
