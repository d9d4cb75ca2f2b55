package dev.onceward.dlq.output;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * JSON, one object per line in both forms. Instants are ISO 8601, durations are seconds, bytes as {@link Bytes} says.
 */
public final class JsonWriter implements RowWriter {
    private static final JsonFactory FACTORY = new JsonFactory();

    private final List<Column> columns;
    private final PrintStream out;
    private final boolean array;
    private boolean first = true;

    private JsonWriter(List<Column> columns, PrintStream out, boolean array) {
        this.columns = List.copyOf(columns);
        this.out = out;
        this.array = array;
    }

    static JsonWriter array(List<Column> columns, PrintStream out) {
        return new JsonWriter(columns, out, true);
    }

    static JsonWriter lines(List<Column> columns, PrintStream out) {
        return new JsonWriter(columns, out, false);
    }

    /** One value as one line of JSON. */
    public static String line(@Nullable Object value) {
        StringWriter line = new StringWriter();
        try (JsonGenerator generator = FACTORY.createGenerator(line)) {
            write(generator, value);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // a StringWriter throws none
        }
        return line.toString();
    }

    @Override
    public void row(List<? extends @Nullable Object> values) {
        StringWriter line = new StringWriter();
        try (JsonGenerator generator = FACTORY.createGenerator(line)) {
            generator.writeStartObject();
            for (int i = 0; i < columns.size(); i++) {
                generator.writeFieldName(columns.get(i).name());
                write(generator, values.get(i));
            }
            generator.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e); // a StringWriter throws none
        }
        if (array) {
            out.print(first ? "[\n" : ",\n");
            out.print(line);
        } else {
            out.print(line + "\n");
        }
        first = false;
    }

    @Override
    public void close() {
        if (array) {
            out.print(first ? "[]\n" : "\n]\n");
        }
        out.flush();
    }

    private static void write(JsonGenerator generator, @Nullable Object value) throws IOException {
        if (value == null) {
            generator.writeNull();
        } else if (value instanceof Boolean bool) {
            generator.writeBoolean(bool);
        } else if (value instanceof Integer || value instanceof Long) {
            generator.writeNumber(((Number) value).longValue());
        } else if (value instanceof Double number) {
            writeDouble(generator, number);
        } else if (value instanceof Duration duration) {
            writeDouble(generator, duration.toMillis() / 1000.0);
        } else if (value instanceof Instant instant) {
            generator.writeString(instant.toString());
        } else if (value instanceof byte[] bytes) {
            write(generator, Bytes.toJson(bytes));
        } else if (value instanceof Map<?, ?> map) {
            generator.writeStartObject();
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                generator.writeFieldName(String.valueOf(entry.getKey()));
                write(generator, entry.getValue());
            }
            generator.writeEndObject();
        } else if (value instanceof Iterable<?> list) {
            generator.writeStartArray();
            for (Object element : list) {
                write(generator, element);
            }
            generator.writeEndArray();
        } else {
            generator.writeString(value.toString());
        }
    }

    /** JSON has no word for what is not a number. */
    private static void writeDouble(JsonGenerator generator, double number) throws IOException {
        if (Double.isFinite(number)) {
            generator.writeNumber(number);
        } else {
            generator.writeNull();
        }
    }
}
