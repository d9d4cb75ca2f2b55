package dev.onceward.dlq.output;

import static java.util.stream.Collectors.joining;

import java.io.PrintStream;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * CSV after RFC 4180. A cell of text that a spreadsheet would take for a formula gets an apostrophe in front: whoever
 * sent a message must not be able to run something on the desk of the one who opens the list. To read values back
 * exactly, use JSON.
 */
final class CsvWriter implements RowWriter {
    private static final String LINE_END = "\r\n";
    /** The last four are the same signs in full width, which some spreadsheets take, too. */
    private static final String FORMULA = "=+-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20";

    private final PrintStream out;
    private final boolean terminal;

    /** To a terminal, what it would obey is written as an escape; anywhere else each value is exact. */
    CsvWriter(List<Column> columns, PrintStream out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
        line(columns.stream().map(Column::name).toList());
    }

    @Override
    public void row(List<? extends @Nullable Object> values) {
        line(values);
    }

    @Override
    public void close() {
        out.flush();
    }

    private void line(List<? extends @Nullable Object> values) {
        Stream<String> cells = values.stream().map(CsvWriter::cell);
        out.print((terminal ? cells.map(Printable::line) : cells).collect(joining(",", "", LINE_END)));
    }

    static String cell(@Nullable Object value) {
        if (value == null) {
            return "";
        }
        if (value instanceof Number || value instanceof Boolean) {
            return value.toString();
        }
        String text = neutral(Texts.exact(value));
        return text.matches("(?s).*[\",\r\n'].*") || text.isEmpty() ? '"' + text.replace("\"", "\"\"") + '"' : text;
    }

    private static String neutral(String text) {
        // Also behind blanks: programs that trim cells see the sign first.
        String stripped = text.stripLeading();
        boolean formula = (!text.isEmpty() && FORMULA.indexOf(text.charAt(0)) >= 0)
                || (!stripped.isEmpty() && FORMULA.indexOf(stripped.charAt(0)) >= 0);
        return formula ? "'" + text : text;
    }
}
