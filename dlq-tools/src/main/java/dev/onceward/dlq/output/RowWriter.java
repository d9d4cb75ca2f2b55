package dev.onceward.dlq.output;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes rows. Values may be text, numbers, booleans, enums, {@link java.time.Instant}, {@link java.time.Duration},
 * {@code byte[]}, for JSON also lists and maps of these, or null. Nothing may be written before {@link #close}, which
 * does not close the stream beneath.
 */
public interface RowWriter extends AutoCloseable {
    /** One row, its values in the order of the columns. */
    void row(List<? extends @Nullable Object> values);

    /** Writes what is still held back. */
    @Override
    void close();
}
