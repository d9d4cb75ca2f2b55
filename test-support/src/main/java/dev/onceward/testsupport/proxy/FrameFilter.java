package dev.onceward.testsupport.proxy;

import java.io.IOException;
import java.util.Arrays;

/**
 * Cuts a direction of PostgreSQL's protocol (version 3) into its messages: a type byte, a length that counts itself, a body.
 * Only a client's first messages have no type.
 */
final class FrameFilter implements StreamFilter {

    /** What is longer is data; it is forwarded as it comes and not looked at. */
    private static final int LONGEST_INSPECTED = 1 << 20;

    private static final int LENGTH_BYTES = 4;

    /** Sees whole messages. */
    interface Handler {

        /** Whether the next message is one without a type. */
        boolean expectsUntyped();

        /**
         * May act before the message is forwarded, having flushed the output.
         *
         * @return whether to forward it
         */
        boolean accepts(PostgresMessage message, Output output) throws IOException, InterruptedException;
    }

    private final Handler handler;
    private byte[] buffer = new byte[8 * 1024];
    private int filled;
    private long unseen;

    FrameFilter(Handler handler) {
        this.handler = handler;
    }

    @Override
    public void accept(byte[] bytes, int from, int length, Output output) throws IOException, InterruptedException {
        int start = from;
        int left = length;
        if (unseen > 0) {
            int passing = (int) Math.min(unseen, left);
            output.forward(bytes, start, passing);
            unseen -= passing;
            start += passing;
            left -= passing;
        }
        append(bytes, start, left);
        int consumed = 0;
        for (int size = next(consumed, output); size > 0; size = next(consumed, output)) {
            consumed += size;
        }
        System.arraycopy(buffer, consumed, buffer, 0, filled - consumed);
        filled -= consumed;
    }

    /** How much of the buffer was dealt with, 0 if there is no whole message. */
    private int next(int position, Output output) throws IOException, InterruptedException {
        int header = (handler.expectsUntyped() ? 0 : 1) + LENGTH_BYTES;
        int available = filled - position;
        if (available < header) {
            return 0;
        }
        char type = handler.expectsUntyped() ? PostgresMessage.UNTYPED : (char) (buffer[position] & 0xff);
        long size = header + PostgresMessage.int32(buffer, position + header - LENGTH_BYTES) - LENGTH_BYTES;
        if (size < header) {
            throw new IOException("not PostgreSQL's protocol");
        }
        if (size > LONGEST_INSPECTED) {
            int passing = (int) Math.min(size, available);
            output.forward(buffer, position, passing);
            unseen = size - passing;
            return passing;
        }
        if (available < size) {
            return 0;
        }
        PostgresMessage message =
                new PostgresMessage(type, Arrays.copyOfRange(buffer, position + header, position + (int) size));
        if (handler.accepts(message, output)) {
            output.forward(buffer, position, (int) size);
        }
        return (int) size;
    }

    private void append(byte[] bytes, int from, int length) {
        if (filled + length > buffer.length) {
            buffer = Arrays.copyOf(buffer, Math.max(2 * buffer.length, filled + length));
        }
        System.arraycopy(bytes, from, buffer, filled, length);
        filled += length;
    }
}
