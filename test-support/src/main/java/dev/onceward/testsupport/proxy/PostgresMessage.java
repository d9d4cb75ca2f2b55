package dev.onceward.testsupport.proxy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** One message of PostgreSQL's protocol, without type and length in its body. */
final class PostgresMessage {

    /** Type of the messages with which a client begins. */
    static final char UNTYPED = 0;

    private final char type;
    private final byte[] body;

    PostgresMessage(char type, byte[] body) {
        this.type = type;
        this.body = body;
    }

    char type() {
        return type;
    }

    /** The zero-terminated text that is the given one, counted from 0, in a body that begins with such texts. */
    String text(int index) {
        int start = 0;
        for (int i = 0; i < index; i++) {
            start = end(start) + 1;
        }
        return new String(body, start, end(start) - start, StandardCharsets.UTF_8);
    }

    /** Everything as text, for searching in it; what is no text is garbled. */
    String wholeText() {
        return new String(body, StandardCharsets.UTF_8);
    }

    byte byteAt(int position) {
        return body[position];
    }

    long int32At(int position) {
        return int32(body, position);
    }

    static long int32(byte[] bytes, int position) {
        return Integer.toUnsignedLong(ByteBuffer.wrap(bytes).getInt(position));
    }

    private int end(int start) {
        int end = start;
        while (end < body.length && body[end] != 0) {
            end++;
        }
        return end;
    }
}
