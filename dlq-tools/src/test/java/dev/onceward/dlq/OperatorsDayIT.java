package dev.onceward.dlq;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.onceward.dlq.output.Terminal;
import dev.onceward.handler.PermanentException;
import dev.onceward.testsupport.Backends;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A thousand dead letters of three kinds, and an operator who finds out why, tries a few, replays most and discards the
 * rest. With {@code -Ddlq.print=true} it prints what the operator sees, with the names that people would give: the README
 * shows it.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class OperatorsDayIT {
    private static final int MESSAGES = 1_000;
    private static final boolean PRINT = Boolean.getBoolean("dlq.print");
    private static final Terminal TERMINAL = new Terminal(true, true, false, 110, false);

    private final Payments payments =
            PRINT ? new Payments(2, Backends.shared().kafka(), "billing", "payments") : new Payments(2);

    @AfterEach
    void close() {
        payments.close();
    }

    @Test
    void endsWithExactEffectsAndATrueIndex() throws IOException {
        payments.failWith(OperatorsDayIT::fault);
        for (int i = 0; i < MESSAGES; i++) {
            payments.send("account-" + i % 50, "payment-" + i, String.valueOf(i));
        }
        payments.flush();
        payments.startWorker();
        Payments.await()
                .until(() -> payments.count("SELECT count(*) FROM dead_letters WHERE status = 'DEAD'") == MESSAGES);

        // Another service reads the same topic, and has read all of it by now.
        try (KafkaConsumer<byte[], byte[]> other = otherGroup()) {
            List<String> seen = new ArrayList<>();
            Payments.await().until(() -> {
                seen.addAll(poll(other));
                return seen.size() >= MESSAGES;
            });

            anOperatorsDay();

            // Its group stands at the end, and nothing more has come or will: all that was sent again is finished.
            seen.addAll(poll(other));
            Map<TopicPartition, Long> ends = other.endOffsets(other.assignment());
            assertThat(other.assignment())
                    .hasSize(2)
                    .allSatisfy(
                            partition -> assertThat(other.position(partition)).isEqualTo(ends.get(partition)));
            assertThat(seen)
                    .containsExactlyInAnyOrderElementsOf(IntStream.range(0, MESSAGES)
                            .mapToObj(i -> "payment-" + i)
                            .toList());
        }
    }

    private void anOperatorsDay() throws IOException {
        assertThat(operator("", "stats").out())
                .contains("1,000 dead letters", "IllegalStateException", "IllegalArgumentException")
                .contains("PermanentException", "ATTEMPTS_EXHAUSTED", "80%", "10%");
        assertThat(operator("", "list", "--limit", "3").out().lines()).hasSize(4);
        inOtherPlaces();
        assertThat(operator("", "show", "payment-0", "--payload").exitCode()).isZero();

        // Two of the three causes are mended. The third kind of payments is refunded by hand.
        payments.failWith(id -> refunded(id) ? new PermanentException("currency XXX") : null);
        String[] mended = {"replay", "--reason", "ATTEMPTS_EXHAUSTED"};
        assertThat(operator("", with(mended, "--dry-run")).err()).contains("900 messages would be sent");
        Runs.Run replay = operator("y\n", with(mended, "--canary", "5", "--wait"));
        assertThat(replay.exitCode()).as(replay.err()).isZero();
        assertThat(replay.err()).contains("5 canary", "895 replayed");
        assertThat(replay.out()).contains("900 messages sent", "900 took effect, 0 dead again");
        assertThat(operator("", "discard", "--all", "--because", "refunded by hand, see T-4711", "--yes")
                        .out())
                .contains("100 dead letters discarded");

        assertThat(payments.entries()).isEqualTo(900);
        assertThat(payments.distinctEntries()).isEqualTo(900);
        assertThat(payments.count("SELECT count(*) FROM entries WHERE message_id ~ '7$'"))
                .isZero();
        assertThat(statuses()).containsExactlyInAnyOrder("RESOLVED 900", "DISCARDED 100");
        assertThat(payments.records(payments.topic)).hasSize(MESSAGES);
        assertThat(operator("", "list").err()).contains("No dead letters.");
    }

    /** Cut where it must be, never the origin, by which other commands know it, and nothing at all where it is no terminal. */
    private void inOtherPlaces() {
        String narrow = operator(terminal(80), "", "list", "--limit", "3").out();
        String wide = operator(terminal(200), "", "list", "--limit", "3").out();
        String piped = operator(Terminal.NONE, "", "list", "--limit", "3").out();

        assertThat(narrow.lines().skip(1))
                .hasSize(3)
                .allSatisfy(line -> assertThat(line)
                        .hasSizeLessThanOrEqualTo(80)
                        .matches(payments.topic + "/[01]/[0-9]+ +payment-.* DEAD .*…"));
        for (String whole : List.of(wide, piped)) {
            assertThat(whole.lines().skip(1))
                    .hasSize(3)
                    .allSatisfy(line -> assertThat(line).matches(".*(answers 503|is negative|that we know)"));
        }
    }

    private static Terminal terminal(int width) {
        return new Terminal(true, true, true, width, true);
    }

    private KafkaConsumer<byte[], byte[]> otherGroup() {
        KafkaConsumer<byte[], byte[]> other = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        payments.bootstrap,
                        "group.id",
                        "reports-" + payments.name,
                        "auto.offset.reset",
                        "earliest",
                        // Its group must live through the operator's day without a poll.
                        "max.poll.interval.ms",
                        240_000),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        other.subscribe(List.of(payments.topic));
        return other;
    }

    /** Ids of what comes within half a second. */
    private static List<String> poll(KafkaConsumer<byte[], byte[]> consumer) {
        List<String> ids = new ArrayList<>();
        consumer.poll(Duration.ofMillis(500))
                .forEach(record -> ids.add(
                        new String(record.headers().lastHeader("message-id").value(), StandardCharsets.UTF_8)));
        return ids;
    }

    private static String[] with(String[] command, String... more) {
        return Stream.of(command, more).flatMap(Stream::of).toArray(String[]::new);
    }

    private static @Nullable RuntimeException fault(String id) {
        if (refunded(id)) {
            return new PermanentException("currency XXX is not one that we know");
        }
        return id.endsWith("3")
                ? new IllegalArgumentException("amount is negative")
                : new IllegalStateException("tariff service answers 503");
    }

    private static boolean refunded(String id) {
        return id.endsWith("7");
    }

    private List<String> statuses() throws IOException {
        return new ObjectMapper()
                .readTree(payments.dlq("stats", "--by", "status", "--status", "all", "-o", "json")
                        .out())
                .valueStream()
                .map(group ->
                        group.get("value").asText() + " " + group.get("count").asText())
                .toList();
    }

    private Runs.Run operator(String input, String... arguments) {
        return operator(TERMINAL, input, arguments);
    }

    private Runs.Run operator(Terminal terminal, String input, String... arguments) {
        Runs.Run run = payments.dlq(terminal, input, arguments);
        if (PRINT) {
            String where = terminal.output() ? terminal.width() + " columns" : "a pipe";
            System.out.println("# " + where + "\n$ dlq " + String.join(" ", arguments) + "\n" + run.out() + run.err());
        }
        return run;
    }
}
