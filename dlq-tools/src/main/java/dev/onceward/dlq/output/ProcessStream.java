package dev.onceward.dlq.output;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** A stream of the process, which remembers why it takes no more: a {@link PrintStream} keeps that to itself. */
final class ProcessStream extends PrintStream {
    private final Remembering bytes;

    private ProcessStream(Remembering bytes) {
        super(bytes, true, StandardCharsets.UTF_8);
        this.bytes = bytes;
    }

    static ProcessStream of(FileDescriptor descriptor) {
        return new ProcessStream(new Remembering(new FileOutputStream(descriptor)));
    }

    /** {@code null}: it has taken everything. */
    @Nullable
    IOException failure() {
        flush();
        return bytes.failure;
    }

    private static final class Remembering extends FilterOutputStream {
        private volatile @Nullable IOException failure;

        private Remembering(OutputStream out) {
            super(out);
        }

        @Override
        public void write(byte[] written, int offset, int length) throws IOException {
            try {
                out.write(written, offset, length);
            } catch (IOException e) {
                failure = e;
                throw e;
            }
        }

        @Override
        public void write(int written) throws IOException {
            write(new byte[] {(byte) written}, 0, 1);
        }
    }
}
