package dev.onceward.dlq.transfer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.catalog.HeaderNames;
import dev.onceward.dlq.exit.RefusedException;
import dev.onceward.dlq.index.Letter;
import dev.onceward.handler.Coordinates;
import dev.onceward.message.Origin;
import dev.onceward.message.PayloadHash;
import dev.onceward.message.RecordIdentity;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LineCodecTest {
    private static final byte[] ODD = {(byte) 0xff, 0, 1, (byte) 0x80};
    private static final Instant TIME = Instant.parse("2025-01-31T12:00:00.123456Z");

    @Test
    void aLetterComesBackAsItWas() throws Exception {
        List<Header> headers = List.of(
                new RecordHeader("again", "1".getBytes(UTF_8)),
                new RecordHeader("none", (byte[]) null),
                new RecordHeader("empty", new byte[0]),
                new RecordHeader("odd \"name\"\n\u2028", ODD),
                new RecordHeader("again", "1".getBytes(UTF_8)));
        Letter letter = letter(PayloadHash.of("=1+1\n\"\uD83D\uDE00\0".getBytes(UTF_8)), "id \uD83D\uDE00 = \\ \"");
        ExportLine.Entry entry = new ExportLine.Entry(
                letter,
                "at a\n\tat b",
                new ExportLine.Content(ODD, "=1+1\n\"\uD83D\uDE00\0".getBytes(UTF_8), headers, 7),
                null);

        byte[] line = write(entry);
        ExportLine.Entry back = (ExportLine.Entry) LineParser.parse(Arrays.copyOf(line, line.length - 1));

        // One line, whatever is in it.
        assertThat(new String(line, UTF_8).lines()).hasSize(1);
        assertThat(back).usingRecursiveComparison().ignoringFields("letter.key").isEqualTo(entry);
        assertThat(back.letter().key()).isEqualTo(ODD);
        assertThat(write(back)).isEqualTo(line);
    }

    @Test
    void everyByteStringComesBack() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 500; i++) {
            byte[] value = new byte[random.nextInt(40)];
            random.nextBytes(value);
            byte[] text = new byte[value.length];
            for (int j = 0; j < text.length; j++) {
                text[j] = (byte) random.nextInt(128);
            }
            for (byte[] payload : List.of(value, text)) {
                ExportLine.Entry entry = new ExportLine.Entry(
                        letter(PayloadHash.of(payload), null),
                        "",
                        new ExportLine.Content(null, payload, List.of(), 7),
                        null);
                assertThat(((ExportLine.Entry) LineParser.parse(write(entry)))
                                .content()
                                .value())
                        .as("seed %d", seed)
                        .isEqualTo(payload);
            }
        }
    }

    @Test
    void aNullValueIsNoMissingOne() throws Exception {
        ExportLine.Entry tombstone =
                new ExportLine.Entry(letter(0, null), "", new ExportLine.Content(null, null, List.of(), 7), null);
        ExportLine.Entry gone = new ExportLine.Entry(letter(0, null), "", null, "gone by retention");

        ExportLine.Entry tombstoneBack = (ExportLine.Entry) LineParser.parse(write(tombstone));
        ExportLine.Entry goneBack = (ExportLine.Entry) LineParser.parse(write(gone));

        assertThat(tombstoneBack.content()).isNotNull();
        assertThat(tombstoneBack.content().value()).isNull();
        assertThat(goneBack.content()).isNull();
        assertThat(goneBack.missing()).isEqualTo("gone by retention");
    }

    /** More than the parser takes by itself; the heap of a test has not room for what Kafka may be told to take. */
    @Test
    void aPayloadMayBeLarge() throws Exception {
        byte[] value = new byte[21_000_000];
        Arrays.fill(value, (byte) 'x');
        ExportLine.Entry entry = new ExportLine.Entry(
                letter(PayloadHash.of(value), null), "", new ExportLine.Content(null, value, List.of(), 7), null);

        LineReader lines = new LineReader(Path.of("f"), new ByteArrayInputStream(write(entry)));

        assertThat(((ExportLine.Entry) LineParser.parse(lines.read())).content().value())
                .hasSize(value.length);
    }

    @Test
    void whatWasErasedIsAFactAndNoMore() throws Exception {
        Letter letter = letter(1, "secret-id");
        Letter erased = new Letter(
                letter.consumer(),
                letter.record(),
                letter.origin(),
                "secret-id",
                "secret-key".getBytes(UTF_8),
                letter.status(),
                letter.stored(),
                letter.copy(),
                letter.failure(),
                new Letter.History(null, 0, null, null, null, null, null, null, null, null, null, TIME));

        byte[] line = write(new ExportLine.Entry(erased, "secret trace", null, "its data were erased"));

        assertThat(new String(line, UTF_8)).doesNotContain("secret");
        assertThat(((ExportLine.Entry) LineParser.parse(line))
                        .letter()
                        .history()
                        .erasedAt())
                .isEqualTo(TIME);
    }

    @Test
    void headAndEndComeBack() throws Exception {
        ExportLine.Head head = new ExportLine.Head("billing", "--all --status DEAD", TIME, TIME.plusNanos(1_000), true);

        assertThat(LineParser.parse(write(head))).isEqualTo(head);
        assertThat(LineParser.parse(write(new ExportLine.End(12)))).isEqualTo(new ExportLine.End(12));
        assertThat(new String(write(new ExportLine.End(12)), UTF_8)).isEqualTo("{\"end\":true,\"letters\":12}\n");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    "value":"9.99"                        | "value":"9.98"                         | not the hash of value
                    "messageId":"m1"                      | "messageId":"m2"                       | messageId
                    "origin":{"topic":"payments"          | "origin":{"topic":"other"              | origin
                    "partition":1,"offset":7,"timestamp"  | "partition":1,"offset":8,"timestamp"   | origin
                    "origin":{"topic":"payments"          | "origin":{"topic":"pay ments"          | origin.topic must be the name
                    "offset":7                            | "offset":-7                            | offset must be a whole number
                    "offset":7                            | "offset":7.5                           | offset must be a whole number
                    "status":"DEAD"                       | "status":"ALIVE"                       | there is no status ALIVE
                    "failedAt":"2025                      | "failedAt":"25                         | must be a point in time
                    "failedAt":"2025                      | "failedAt":"+12025                     | must be a point in time
                    "worker":"w"                          | "worker":"w\\u0000"                    | worker must be text without NUL
                    "worker":"w"                          | "worker":"\\ud800"                     | worker must be text
                    "worker":"w",                         |                                        | worker is missing
                    "reason":"PERMANENT"                  | "reason":"PERMANENT","reason":"TOO_OLD" | no JSON: Duplicate
                    ["trace","t"]                         | ["trace"]                              | headers must be arrays
                    ["trace","t"]                         | ["trace",7]                            | header trace must be null
                    ["trace","t"]                         | ["trace","\\ud800"]                    | not valid Unicode
                    ["trace","t"]                         | ["trace",{"base64":"?"}]               | header trace must be null
                    "payloadHash":"                       | "payloadHash":"x                       | 16 hexadecimal digits
                    "value":                              | "valve":                               | payloadMissing is missing
                    "key":"k"                             | "key":"k","payloadMissing":"no"        | value must not be there
                    """)
    void whatWasChangedIsFoundOut(String was, String is, String why) throws Exception {
        String line = goodLine();
        assertThat(line).contains(was);

        assertThatThrownBy(() -> LineParser.parse(line.replaceFirst(
                                java.util.regex.Pattern.quote(was),
                                java.util.regex.Matcher.quoteReplacement(is == null ? "" : is))
                        .getBytes(UTF_8)))
                .isInstanceOf(BadLineException.class)
                .hasMessageContaining(why);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "[]", "7", "null", "{}", "{} {}", "{\"format\":\"other\"}", "{\"end\":true}"})
    void whatIsNoLineIsFoundOut(String line) {
        assertThatThrownBy(() -> LineParser.parse(line.getBytes(UTF_8))).isInstanceOf(BadLineException.class);
    }

    @Test
    void aLaterVersionIsSaidToBeOne() {
        String head = "{\"format\":\"onceward-dead-letters\",\"version\":2}";

        assertThatThrownBy(() -> LineParser.parse(head.getBytes(UTF_8)))
                .isInstanceOf(BadLineException.class)
                .hasMessageContaining("version 2");
    }

    @Test
    void linesKnowTheirPlacesAndWhetherTheyWereCut() throws IOException {
        String text = "one\n\n" + "x".repeat(200_000) + "\nfour";
        LineReader lines = new LineReader(Path.of("f"), new ByteArrayInputStream(text.getBytes(UTF_8)));

        assertThat(lines.read()).asString().isEqualTo("one");
        assertThat(lines.read()).isEmpty();
        assertThat(lines.start()).isEqualTo(4);
        assertThat(lines.read()).hasSize(200_000);
        assertThat(lines.ended()).isTrue();
        assertThat(lines.read()).asString().isEqualTo("four");
        assertThat(lines.ended()).isFalse();
        assertThat(lines.start()).isEqualTo(200_006);
        assertThat(lines.number()).isEqualTo(4);
        assertThat(lines.read()).isNull();
    }

    @Test
    void aLineLongerThanThereIsRoomForEndsTheReading() throws IOException {
        LineReader room = new LineReader(Path.of("f"), new ByteArrayInputStream("one\nfour\n".getBytes(UTF_8)), 4);
        LineReader none = new LineReader(Path.of("f"), new ByteArrayInputStream("one\nfives".getBytes(UTF_8)), 4);

        assertThat(room.read()).hasSize(3);
        assertThat(room.read()).hasSize(4);
        assertThat(none.read()).hasSize(3);
        assertThatThrownBy(none::read)
                .isInstanceOf(RefusedException.class)
                .hasMessageContainingAll("line 2 of f", "longer than 4 bytes", "-Xmx");
    }

    private static String goodLine() throws IOException {
        byte[] value = "9.99".getBytes(UTF_8);
        List<Header> headers = List.of(
                new RecordHeader("trace", "t".getBytes(UTF_8)),
                new RecordHeader(HeaderNames.ERRORS_TOPIC.key(), "payments".getBytes(UTF_8)),
                new RecordHeader(HeaderNames.ERRORS_PARTITION.key(), "1".getBytes(UTF_8)),
                new RecordHeader(HeaderNames.ERRORS_OFFSET.key(), "7".getBytes(UTF_8)),
                new RecordHeader(HeaderNames.DLQ_MESSAGE_ID.key(), "m1".getBytes(UTF_8)));
        ExportLine.Entry entry = new ExportLine.Entry(
                letter(PayloadHash.of(value), "m1"),
                "",
                new ExportLine.Content("k".getBytes(UTF_8), value, headers, 7),
                null);
        return new String(write(entry), UTF_8);
    }

    private static byte[] write(ExportLine line) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        LineWriter.write(out, line);
        return out.toByteArray();
    }

    private static Letter letter(long hash, String messageId) {
        Coordinates record = new Coordinates("payments", 1, 7);
        return new Letter(
                "billing",
                new RecordIdentity(record, new UUID(1, 2), 1_000, hash),
                new Origin(record, 1_000, 2),
                messageId,
                ODD,
                DeadLetterStatus.DEAD,
                DeadLetterStatus.DEAD,
                new Coordinates("dlq.billing.payments", 1, 3),
                new Letter.Failure("PERMANENT", "java.lang.Exception", "no\nway", 3, TIME, TIME, "w", 4),
                new Letter.History(
                        TIME, 2, TIME, null, TIME, "me@host", "because", TIME, "you@host", -1L, "me@host", null));
    }
}
