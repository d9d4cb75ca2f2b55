package dev.onceward.dlq;

import dev.onceward.catalog.HeaderNames;
import dev.onceward.dlq.index.Letter;
import dev.onceward.dlq.output.Bytes;
import dev.onceward.dlq.output.Console;
import dev.onceward.dlq.output.People;
import dev.onceward.dlq.output.PrettyJson;
import dev.onceward.dlq.output.Printable;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** One dead letter for people. What others wrote is shown without the control characters that a terminal obeys. */
final class LetterPage {
    private static final int LABEL = 14;
    private static final int HEX_LINE = 16;

    private final Console console;
    private final Instant now;
    private final boolean knowsStatus;

    /**
     * With a console to print to.
     *
     * @param now for ages
     * @param knowsStatus whether it is known what became of the letter; if not, nothing is said about it
     */
    LetterPage(Console console, Instant now, boolean knowsStatus) {
        this.console = console;
        this.now = now;
        this.knowsStatus = knowsStatus;
    }

    void print(
            Letter letter,
            String stacktrace,
            @Nullable ConsumerRecord<byte[], byte[]> copy,
            boolean payload,
            boolean hex) {
        line("origin", letter.name());
        line("consumer", letter.consumer());
        line("id", letter.messageId());
        line("key", letter.key() == null ? null : Bytes.toText(letter.key()));
        if (knowsStatus) {
            line("status", status(letter));
        }
        failure(letter.failure());
        if (!letter.origin().coordinates().equals(letter.record().coordinates())) {
            line("failed again", letter.record().coordinates().toString());
        }
        line("dead letter", letter.copy() == null ? null : letter.copy().toString());
        if (letter.origin().timestamp() >= 0) {
            line("message time", time(Instant.ofEpochMilli(letter.origin().timestamp())));
        }
        history(letter.history());
        if (!stacktrace.isEmpty()) {
            section("stack trace");
            console.out().println(Printable.lines(stacktrace).stripTrailing());
        }
        if (copy != null) {
            headers(copy);
            if (payload || hex) {
                payload(copy.value(), hex);
            }
        }
    }

    private void failure(Letter.Failure failure) {
        if (!failure.isTold()) {
            line("published", time(failure.failedAt()));
            line("why", "only the database knows: the record was nearly too large to say so");
            return;
        }
        line("reason", failure.reason());
        line("error", failure.errorClass() + ": " + failure.errorMessage());
        line("attempts", People.count(failure.attempts()));
        line("first failed", time(failure.firstFailedAt()));
        line("given up", time(failure.failedAt()));
        line("worker", failure.workerId() + ", generation " + failure.generation());
    }

    private void history(Letter.History history) {
        if (history.replays() > 0) {
            line(
                    "replays",
                    People.count(history.replays())
                            + (knowsStatus ? "" : " before it failed this time")
                            + (history.replayedAt() == null ? "" : ", the last " + time(history.replayedAt())));
        }
        if (history.assertedBy() != null) {
            line("asserted", "never processed before, by " + history.assertedBy());
        }
        if (history.editedAt() != null) {
            line("edited", time(history.editedAt()) + " by " + history.editedBy());
        }
        if (history.discardedAt() != null) {
            line(
                    "discarded",
                    time(history.discardedAt()) + " by " + history.discardedBy() + ": " + history.discardReason());
        }
        if (history.resolvedAt() != null) {
            line("resolved", time(history.resolvedAt()));
        }
        if (history.erasedAt() != null) {
            line("erased", time(history.erasedAt()));
        }
    }

    private static String status(Letter letter) {
        return letter.status() == letter.stored()
                ? letter.status().name()
                : letter.status() + " (its message took effect after all; the index says " + letter.stored() + ")";
    }

    private void headers(ConsumerRecord<byte[], byte[]> copy) {
        section("headers");
        for (Header header : copy.headers()) {
            // Known already, and as long as a page.
            if (!header.key().equals(HeaderNames.DLQ_STACKTRACE.key())) {
                String value = header.value() == null ? "(null)" : Printable.line(Bytes.toText(header.value()));
                console.out().println(Printable.line(header.key()) + ": " + value);
            }
        }
    }

    private void payload(byte @Nullable [] value, boolean hex) {
        if (value == null) {
            section("payload: null, a tombstone");
            return;
        }
        section("payload, " + People.count(value.length, "byte"));
        Optional<String> text = hex ? Optional.empty() : Bytes.text(value);
        if (text.isPresent()) {
            console.out().println(Printable.lines(PrettyJson.of(text.get()).orElse(text.get())));
        } else {
            hex(value);
        }
    }

    private void hex(byte[] value) {
        HexFormat format = HexFormat.ofDelimiter(" ");
        for (int start = 0; start < value.length; start += HEX_LINE) {
            int end = Math.min(start + HEX_LINE, value.length);
            StringBuilder characters = new StringBuilder();
            for (int i = start; i < end; i++) {
                characters.append(value[i] >= 0x20 && value[i] < 0x7f ? (char) value[i] : '.');
            }
            console.out()
                    .println(String.format("%08x  %-47s  %s", start, format.formatHex(value, start, end), characters));
        }
    }

    private void section(String title) {
        console.out().println();
        console.out().println(title);
    }

    private void line(String label, @Nullable String value) {
        console.out()
                .println((label + " ".repeat(LABEL)).substring(0, LABEL)
                        + (value == null ? "-" : Printable.line(value)));
    }

    private String time(Instant instant) {
        return People.instant(instant) + " (" + People.duration(Duration.between(instant, now)) + " ago)";
    }
}
