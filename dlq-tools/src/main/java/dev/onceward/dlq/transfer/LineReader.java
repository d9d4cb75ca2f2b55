package dev.onceward.dlq.transfer;

import dev.onceward.dlq.exit.RefusedException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Lines as bytes, with their places in the file; of those that are no lines, it stops before memory ends. */
final class LineReader {
    /** Of the memory: a line is there several times, as bytes, as text, and as what it says. */
    private static final int SHARE = 8;

    private final Path path;
    private final InputStream in;
    private final long longest;
    private final byte[] buffer = new byte[64 * 1024];
    private int position;
    private int limit;
    private long start;
    private long next;
    private long number;
    private boolean ended = true;

    LineReader(Path path, InputStream in) {
        this(path, in, Runtime.getRuntime().maxMemory() / SHARE);
    }

    LineReader(Path path, InputStream in, long longest) {
        this.path = path;
        this.in = in;
        this.longest = longest;
    }

    /**
     * The next line without its end; {@code null}: there is none.
     *
     * @throws RefusedException it is longer than the memory has room for
     */
    byte @Nullable [] read() throws IOException {
        start = next;
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        while (fill()) {
            int end = position;
            while (end < limit && buffer[end] != '\n') {
                end++;
            }
            if (line.size() + end - position > longest) {
                throw new RefusedException("line " + (number + 1) + " of " + path + " is longer than " + longest
                        + " bytes: it is no export, or give the command more memory (-Xmx)");
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
