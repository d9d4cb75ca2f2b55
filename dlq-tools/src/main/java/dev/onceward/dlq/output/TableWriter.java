package dev.onceward.dlq.output;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Aligned columns. On a terminal no line is wider than it: first the last column is cut, then the widest that may be.
 * Widths come from the first thousand rows, so that a list of any length takes little memory.
 */
final class TableWriter implements RowWriter {
    private static final int LOOK_AHEAD = 1_000;
    private static final String GAP = "  ";

    private final List<Column> columns;
    private final PrintStream out;
    private final Terminal terminal;
    private final List<List<String>> waiting = new ArrayList<>();
    private int @Nullable [] widths;

    TableWriter(List<Column> columns, PrintStream out, Terminal terminal) {
        this.columns = List.copyOf(columns);
        this.out = out;
        this.terminal = terminal;
    }

    @Override
    public void row(List<? extends @Nullable Object> values) {
        List<String> cells = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).inTable()) {
                cells.add(Texts.readable(values.get(i)));
            }
        }
        if (widths != null) {
            print(cells, widths);
            return;
        }
        waiting.add(cells);
        if (waiting.size() >= LOOK_AHEAD) {
            begin();
        }
    }

    @Override
    public void close() {
        if (widths == null && !waiting.isEmpty()) {
            begin();
        }
        out.flush();
    }

    private void begin() {
        List<Column> shown = columns.stream().filter(Column::inTable).toList();
        List<String> headings = shown.stream().map(Column::heading).toList();
        int[] natural = new int[shown.size()];
        measure(headings, natural);
        waiting.forEach(cells -> measure(cells, natural));
        int[] fitted = terminal.output() ? ColumnWidths.fit(shown, natural, GAP.length(), terminal.width()) : natural;
        widths = fitted;
        print(headings, fitted);
        waiting.forEach(cells -> print(cells, fitted));
        waiting.clear();
    }

    private static void measure(List<String> cells, int[] natural) {
        for (int i = 0; i < natural.length; i++) {
            natural[i] = Math.max(natural[i], Printable.width(cells.get(i)));
        }
    }

    private void print(List<String> cells, int[] fitted) {
        List<Column> shown = columns.stream().filter(Column::inTable).toList();
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < fitted.length; i++) {
            boolean cuttable = terminal.output() && shown.get(i).narrowest() != Column.WHOLE;
            String cell = cuttable ? Printable.cut(cells.get(i), fitted[i]) : cells.get(i);
            String padding = " ".repeat(Math.max(0, fitted[i] - Printable.width(cell)));
            line.append(i == 0 ? "" : GAP).append(shown.get(i).right() ? padding + cell : cell + padding);
        }
        String text = line.toString().stripTrailing();
        out.println(terminal.output() ? Printable.cut(text, terminal.width()) : text);
    }
}
