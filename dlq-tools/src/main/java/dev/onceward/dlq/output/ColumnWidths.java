package dev.onceward.dlq.output;

import java.util.List;

/** How wide each column of a table may be. */
final class ColumnWidths {
    /** The last column, the error's text as a rule, is of no use when less of it is left. */
    private static final int LAST = 16;

    private ColumnWidths() {}

    /** Widths that fit if that can be had; where nothing more may be cut, the lines are. */
    static int[] fit(List<Column> columns, int[] natural, int gap, int available) {
        int[] widths = natural.clone();
        int excess = gap * (widths.length - 1) - available;
        for (int width : widths) {
            excess += width;
        }
        int last = widths.length - 1;
        if (excess > 0 && last >= 0 && columns.get(last).narrowest() != Column.WHOLE) {
            int cut = Math.min(excess, Math.max(0, widths[last] - LAST));
            widths[last] -= cut;
            excess -= cut;
        }
        while (excess > 0) {
            int widest = widest(columns, widths);
            if (widest < 0) {
                return widths;
            }
            widths[widest]--;
            excess--;
        }
        return widths;
    }

    private static int widest(List<Column> columns, int[] widths) {
        int widest = -1;
        for (int i = 0; i < widths.length; i++) {
            if (widths[i] > columns.get(i).narrowest() && (widest < 0 || widths[i] > widths[widest])) {
                widest = i;
            }
        }
        return widest;
    }
}
