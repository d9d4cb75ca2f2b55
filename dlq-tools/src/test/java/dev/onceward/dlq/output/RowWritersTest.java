package dev.onceward.dlq.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RowWritersTest {
    private static final List<Column> COLUMNS = List.of(
            Column.whole("origin"),
            Column.text("messageId"),
            Column.number("attempts"),
            Column.hidden("key"),
            Column.text("error"));
    private static final Terminal WIDE = new Terminal(true, true, true, 200, false);
    private static final Terminal NARROW = new Terminal(true, true, true, 60, false);
    private static final String LONG = "the account does not exist and never did, as far as anyone here can tell";

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    @Test
    void aTableIsAlignedAndLeavesOutWhatIsForPrograms() {
        write(
                OutputFormat.TABLE,
                WIDE,
                row("orders/0/7", "a", 5, "k", "no"),
                row("orders/11/123456", "bb", 12345, "k", "x"));

        assertThat(out()).isEqualTo("""
                        ORIGIN            MESSAGE ID  ATTEMPTS  ERROR
                        orders/0/7        a                  5  no
                        orders/11/123456  bb            12,345  x
                        """);
    }

    @Test
    void aTableOnATerminalIsNeverWiderThanIt() {
        write(OutputFormat.TABLE, NARROW, row("orders/0/7", "0123456789012345678901234567890123456789", 5, "k", LONG));

        assertThat(out().lines())
                .allSatisfy(line -> assertThat(Printable.width(line)).isLessThanOrEqualTo(60));
        assertThat(out())
                .contains("orders/0/7  ", "the account doe…")
                .doesNotContain("0123456789012345678901234567890123456789");
    }

    @Test
    void aTableInAPipeIsWhole() {
        write(OutputFormat.TABLE, Terminal.NONE, row("orders/0/7", "a".repeat(150), 5, "k", LONG));

        assertThat(out()).contains("a".repeat(150), LONG).doesNotContain("…");
    }

    @Test
    void aTableObeysNoEscapeSequenceFromAMessage() {
        write(OutputFormat.TABLE, WIDE, row("orders/0/7", "\u001b[31mred\u0007\u202e", 1, "k", "two\nlines"));

        assertThat(out())
                .contains("\\u001b[31mred\\u0007\\u202e", "two\\nlines")
                .doesNotContain("\u001b", "\u202e");
        assertThat(out().lines()).hasSize(2);
    }

    @Test
    void aTableCountsColumnsAndNotCharacters() {
        write(OutputFormat.TABLE, WIDE, row("注文", "a", 1, "k", "x"), row("abcd", "a", 1, "k", "x"));

        assertThat(out().lines().map(line -> Printable.width(line)).distinct()).hasSize(2);
        assertThat(out()).contains("注文    a ", "abcd    a ");
    }

    @Test
    void jsonIsOneArrayAndJsonLinesAreObjects() {
        write(OutputFormat.JSON, Terminal.NONE, row("o/0/1", "a\"b\n", 5, new byte[] {(byte) 0xff, 0}, null));
        assertThat(out())
                .isEqualTo("[\n{\"origin\":\"o/0/1\",\"messageId\":\"a\\\"b\\n\",\"attempts\":5,"
                        + "\"key\":{\"base64\":\"/wA=\"},\"error\":null}\n]\n");

        bytes.reset();
        write(OutputFormat.JSON, Terminal.NONE);
        assertThat(out()).isEqualTo("[]\n");

        bytes.reset();
        write(OutputFormat.JSONL, Terminal.NONE, row("a", "b", 1, "k", ""), row("c", "d", 2, "k", ""));
        assertThat(out().lines()).hasSize(2).allMatch(line -> line.startsWith("{") && line.endsWith("}"));
    }

    @Test
    void jsonHasTimesThatProgramsRead() {
        assertThat(JsonWriter.line(Map.of("a", List.of(Instant.EPOCH, Duration.ofMillis(1500), Double.NaN, true))))
                .isEqualTo("{\"a\":[\"1970-01-01T00:00:00Z\",1.5,null,true]}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "=1+1",
                "+1",
                "-1",
                "@SUM(A1)",
                "\t=1",
                "\r=1",
                "  =1",
                "\uFF1D1",
                "=HYPERLINK(\"http://x\",\"y\")"
            })
    void csvNeutralisesWhatASpreadsheetTakesForAFormula(String text) {
        assertThat(CsvWriter.cell(text)).startsWith("\"'" + text.charAt(0)).endsWith("\"");
    }

    @Test
    void csvQuotesAsTheStandardSays() {
        assertThat(CsvWriter.cell("a\"b,c\r\nd")).isEqualTo("\"a\"\"b,c\r\nd\"");
        assertThat(CsvWriter.cell("plain ü")).isEqualTo("plain ü");
        assertThat(CsvWriter.cell(-5L)).isEqualTo("-5");
        assertThat(CsvWriter.cell(null)).isEmpty();
        assertThat(CsvWriter.cell("")).isEqualTo("\"\"");
        write(OutputFormat.CSV, Terminal.NONE, row("o/0/1", "a", 1, "k", "e"));
        assertThat(out()).isEqualTo("origin,messageId,attempts,key,error\r\no/0/1,a,1,k,e\r\n");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
    void bytesComeBackFromJsonAsTheyWere(int seed) {
        byte[] original = new byte[seed * 7];
        new java.util.Random(seed).nextBytes(original);

        assertThat(Bytes.fromJson(Bytes.toJson(original))).isEqualTo(original);
    }

    @Test
    void textStaysTextInJsonAndNothingElseIsTaken() {
        byte[] text = "{\"base64\": \"AA==\"}".getBytes(StandardCharsets.UTF_8);

        assertThat(Bytes.toJson(text)).isEqualTo("{\"base64\": \"AA==\"}");
        assertThat(Bytes.fromJson(Bytes.toJson(text))).isEqualTo(text);
        assertThat(Bytes.fromJson(null)).isNull();
        // Overlong and surrogate forms are no UTF-8, whatever lenient decoders make of them.
        assertThat(Bytes.text(new byte[] {(byte) 0xc0, (byte) 0x80})).isEmpty();
        assertThatThrownBy(() -> Bytes.fromJson(7)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void jsonIsIndentedWithoutLosingAnything() {
        assertThat(PrettyJson.of("{\"a\":1.10,\"a\":1e400,\"b\":[{},[],null,\"x\"]}")
                        .map(text -> text.replaceAll("\\s", "")))
                .contains("{\"a\":1.10,\"a\":1e400,\"b\":[{},[],null,\"x\"]}");
        assertThat(PrettyJson.of("{\"a\":1}")).contains("{\n  \"a\" : 1\n}");
        assertThat(PrettyJson.of("17")).isEmpty();
        assertThat(PrettyJson.of("")).isEmpty();
        assertThat(PrettyJson.of("{\"a\":1} x")).isEmpty();
        assertThat(PrettyJson.of("{} {}")).isEmpty();
        assertThat(PrettyJson.of("{\"a\":1")).isEmpty();
    }

    private void write(OutputFormat format, Terminal terminal, List<?>... rows) {
        Console console = new Console(
                new BufferedReader(new StringReader("")),
                new PrintStream(bytes, true, StandardCharsets.UTF_8),
                new PrintStream(bytes, true, StandardCharsets.UTF_8),
                Map.of(),
                terminal,
                new Secrets());
        try (RowWriter writer = format.writer(COLUMNS, console)) {
            Arrays.asList(rows).forEach(writer::row);
        }
    }

    private static List<?> row(Object... values) {
        return Arrays.asList(values);
    }

    private String out() {
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
