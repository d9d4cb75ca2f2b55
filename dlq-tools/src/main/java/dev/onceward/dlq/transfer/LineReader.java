package dev.onceward.dlq.transfer;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** Lines as bytes, with their places in the file. */
final class LineReader {
    private final InputStream in;
    private final byte[] buffer = new byte[64 * 1024];
    private int position;
    private int limit;
    private long start;
    private long next;
    private long number;
    private boolean ended = true;

    LineReader(InputStream in) {
        this.in = in;
    }

    /** The next line without its end; {@code null}: there is none. */
    byte @Nullable [] read() throws IOException {
        start = next;
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        while (fill()) {
            int end = position;
            while (end < limit && buffer[end] != '\n') {
                end++;
            }
            line.write(buffer, position, end - position);
            next += end - position;
            position = end;
            if (end < limit) {
                position++;
                next++;
                number++;
                ended = true;
                return line.toByteArray();
            }
        }
        if (line.size() == 0) {
            return null;
        }
        number++;
        ended = false;
        return line.toByteArray();
    }

    /** The number of the line read last, from 1. */
    long number() {
        return number;
    }

    /** Where the line read last begins. */
    long start() {
        return start;
    }

    /** Whether the line read last has an end: if not, it may have been cut. */
    boolean ended() {
        return ended;
    }

    private boolean fill() throws IOException {
        if (position == limit) {
            limit = Math.max(0, in.read(buffer));
            position = 0;
        }
        return limit > 0;
    }
}
