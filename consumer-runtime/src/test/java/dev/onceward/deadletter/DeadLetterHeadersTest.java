package dev.onceward.deadletter;

import static dev.onceward.deadletter.Letters.bytes;
import static dev.onceward.deadletter.Letters.texts;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.HeaderNames;
import dev.onceward.handler.Coordinates;
import dev.onceward.message.Origin;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DeadLetterHeadersTest {
    private static final byte[] NOT_UTF8 = {(byte) 0xff, 0, (byte) 0xc3};

    private static Headers of(DeadLetter letter, ConsumerRecord<byte[], byte[]> record, DiagnosticSize size) {
        return DeadLetterHeaders.of(letter, record.headers(), "billing", size);
    }

    @Test
    void diagnosticsStandBehindTheOriginalHeaders() {
        ConsumerRecord<byte[], byte[]> record = Letters.record("orders", 3, 42, new RecordHeader("trace", bytes("t")));
        DeadLetter letter = Letters.of(record, new ErrorText("java.sql.SQLException", "no such account", "at x"));

        assertThat(texts(of(letter, record, DiagnosticSize.FULL)))
                .containsExactly(
                        "trace=t",
                        "__dlq.errors.topic=orders",
                        "__dlq.errors.partition=3",
                        "__dlq.errors.offset=42",
                        "__dlq.errors.group=billing",
                        "__dlq.errors.delivery.count=5",
                        "__dlq.errors.message=no such account",
                        "onceward.dlq.message-id=pay-1",
                        "onceward.dlq.reason=ATTEMPTS_EXHAUSTED",
                        "onceward.dlq.exception=java.sql.SQLException",
                        "onceward.dlq.stacktrace=at x",
                        "onceward.dlq.first-failed-at=2025-03-01T10:00:00.123Z",
                        "onceward.dlq.failed-at=2025-03-01T10:01:00Z",
                        "onceward.dlq.original-timestamp=1740000000000",
                        "onceward.dlq.worker=worker-1",
                        "onceward.dlq.generation=7",
                        "onceward.dlq.replays=0");
    }

    @Test
    void originalHeadersKeepBytesOrderDuplicatesAndNull() {
        Header[] original = {
            new RecordHeader("b", bytes("1")),
            new RecordHeader("a", NOT_UTF8),
            new RecordHeader("b", null),
            new RecordHeader("", new byte[0]),
            new RecordHeader("b", bytes("1"))
        };
        ConsumerRecord<byte[], byte[]> record = Letters.record("orders", 0, 1, original);

        for (DiagnosticSize size : DiagnosticSize.values()) {
            assertThat(List.of(of(Letters.of(record), record, size).toArray()).subList(0, original.length))
                    .containsExactly(original);
        }
    }

    @Test
    void anEarlierFailureIsReplacedAndAReplayForgotten() {
        ConsumerRecord<byte[], byte[]> record = Letters.record(
                "replay.billing",
                0,
                9,
                new RecordHeader("onceward.dlq.reason", bytes("PERMANENT")),
                new RecordHeader("a", bytes("1")),
                new RecordHeader("onceward.dlq.reason", bytes("TOO_OLD")),
                new RecordHeader("onceward.replay.original-topic", bytes("orders")),
                new RecordHeader("onceward.replay.of-tomorrow", bytes("?")),
                new RecordHeader("__dlq.errors.message", bytes("before")),
                new RecordHeader("z", bytes("2")));
        DeadLetter letter = Letters.of(record, new Origin(new Coordinates("orders", 3, 42), 1, 2), Letters.error());

        Headers headers = of(letter, record, DiagnosticSize.FULL);

        assertThat(texts(headers))
                .startsWith("a=1", "z=2")
                .contains(
                        "__dlq.errors.topic=orders",
                        "__dlq.errors.partition=3",
                        "__dlq.errors.offset=42",
                        "__dlq.errors.message=no such account",
                        "onceward.dlq.reason=ATTEMPTS_EXHAUSTED",
                        "onceward.dlq.original-timestamp=1",
                        "onceward.dlq.replays=2");
        assertThat(headers.toArray()).extracting(Header::key).doesNotHaveDuplicates();
        assertThat(headers.toArray()).noneMatch(header -> header.key().startsWith(HeaderNames.REPLAY_PREFIX));
    }

    @Test
    void twentyRoundsAddNothing() {
        ConsumerRecord<byte[], byte[]> record = Letters.record("orders", 0, 1, new RecordHeader("a", bytes("1")));
        List<String> first = texts(of(Letters.of(record), record, DiagnosticSize.FULL));
        List<String> last = first;
        for (int round = 0; round < 20; round++) {
            ConsumerRecord<byte[], byte[]> again = Letters.record(
                    "orders",
                    0,
                    1,
                    of(Letters.of(record), record, DiagnosticSize.FULL).toArray());
            last = texts(of(Letters.of(again), again, DiagnosticSize.FULL));
            record = again;
        }
        assertThat(last).isEqualTo(first);
    }

    @Test
    void withoutIdOrTraceThereIsNoSuchHeader() {
        ConsumerRecord<byte[], byte[]> record = Letters.record("orders", 0, 1);
        DeadLetter full = Letters.of(record, ErrorText.of("X", "m"));
        DeadLetter letter = new DeadLetter(
                full.record(),
                full.origin(),
                null,
                full.reason(),
                full.errorClass(),
                full.errorMessage(),
                full.stacktrace(),
                full.attempts(),
                full.firstFailedAt(),
                full.failedAt(),
                full.workerId(),
                full.generation());

        assertThat(of(letter, record, DiagnosticSize.FULL).toArray())
                .extracting(Header::key)
                .doesNotContain("onceward.dlq.message-id", "onceward.dlq.stacktrace")
                .contains("onceward.dlq.exception");
    }

    @Test
    void textsAreBoundedWhereverTheyComeFrom() {
        ConsumerRecord<byte[], byte[]> record = Letters.record("orders", 0, 1);
        String endless = "€\u0000".repeat(100_000);
        Headers headers = of(Letters.of(record, new ErrorText(endless, endless, endless)), record, DiagnosticSize.FULL);

        assertThat(size(headers)).isLessThan(12_000);
        assertThat(texts(headers)).noneMatch(text -> text.contains("\u0000"));
    }

    @ParameterizedTest
    @EnumSource(DiagnosticSize.class)
    void eachSizeIsSmallerThanTheOneBefore(DiagnosticSize size) {
        ConsumerRecord<byte[], byte[]> record = Letters.record("orders", 0, 1, new RecordHeader("a", bytes("1")));
        DeadLetter letter = Letters.of(
                record, new ErrorText("X", "m".repeat(3_000), Letters.error().stacktrace()));

        size.smaller()
                .ifPresentOrElse(
                        smaller -> assertThat(size(of(letter, record, smaller)))
                                .isLessThan(size(of(letter, record, size))),
                        () -> assertThat(texts(of(letter, record, size))).containsExactly("a=1"));
    }

    @Test
    void theLastDiagnosticsNameTheOrigin() {
        ConsumerRecord<byte[], byte[]> record = Letters.record("orders", 3, 42);

        assertThat(texts(of(Letters.of(record), record, DiagnosticSize.ORIGIN)))
                .containsExactly("__dlq.errors.topic=orders", "__dlq.errors.partition=3", "__dlq.errors.offset=42");
    }

    private static int size(Headers headers) {
        int size = 0;
        for (Header header : headers) {
            size += header.key().length() + (header.value() == null ? 0 : header.value().length);
        }
        return size;
    }
}
