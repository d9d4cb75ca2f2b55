package dev.onceward.dlq.output;

import java.util.List;
import java.util.Locale;

/** How a command writes what it lists. */
public enum OutputFormat {
    /** Aligned columns, cut to the width of the terminal if there is one. */
    TABLE,
    /** One JSON array. */
    JSON,
    /** One JSON object per line. */
    JSONL,
    /** RFC 4180, safe to open in a spreadsheet. */
    CSV;

    /** A writer of rows with these columns to the console's standard output. */
    public RowWriter writer(List<Column> columns, Console console) {
        return switch (this) {
            case TABLE -> new TableWriter(columns, console.out(), console.terminal());
            case JSON -> JsonWriter.array(columns, console.out());
            case JSONL -> JsonWriter.lines(columns, console.out());
            case CSV -> new CsvWriter(columns, console.out(), console.terminal().output());
        };
    }

    /** As it is typed. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
