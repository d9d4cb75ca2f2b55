package dev.onceward.testsupport.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FrameFilterTest {

    private final List<String> seen = new ArrayList<>();
    private final Collected collected = new Collected();
    private boolean untyped;

    private final FrameFilter filter = new FrameFilter(new FrameFilter.Handler() {
        @Override
        public boolean expectsUntyped() {
            return untyped;
        }

        @Override
        public boolean accepts(PostgresMessage message, Output output) {
            untyped = false;
            seen.add((message.type() == PostgresMessage.UNTYPED ? "untyped" : message.type()) + ":" + message.text(0));
            return message.type() != 'X';
        }
    });

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 7, 1000})
    void cutsMessagesHoweverTheyArrive(int piece) throws Exception {
        untyped = true;
        byte[] first = message(null, "first\0");
        byte[] query = message('Q', "SELECT 1\0");
        byte[] empty = message('S', "");
        send(piece, join(first, query, empty, query));

        assertThat(seen).containsExactly("untyped:first", "Q:SELECT 1", "S:", "Q:SELECT 1");
        assertThat(collected.toByteArray()).isEqualTo(join(first, query, empty, query));
    }

    @Test
    void leavesOutWhatIsNotAccepted() throws Exception {
        send(4, join(message('Q', "a\0"), message('X', "b\0"), message('Q', "c\0")));

        assertThat(seen).containsExactly("Q:a", "X:b", "Q:c");
        assertThat(collected.toByteArray()).isEqualTo(join(message('Q', "a\0"), message('Q', "c\0")));
    }

    @ParameterizedTest
    @ValueSource(ints = {1000, 16 * 1024, 10 << 20})
    void passesOnLongDataWithoutWaitingForItsEnd(int piece) throws Exception {
        byte[] data = message('d', "x".repeat(3 << 20));
        send(piece, join(data, message('Q', "after\0")));

        assertThat(seen).containsExactly("Q:after");
        assertThat(collected.toByteArray()).isEqualTo(join(data, message('Q', "after\0")));
    }

    @Test
    void aMessageThatIsNotThereIsNotForwarded() throws Exception {
        byte[] query = message('Q', "SELECT 1\0");
        filter.accept(query, 0, query.length - 1, collected);
        assertThat(collected.size()).isZero();
    }

    @Test
    void refusesAnotherProtocol() {
        byte[] bytes = {'Q', 0, 0, 0, 3};
        assertThatThrownBy(() -> filter.accept(bytes, 0, bytes.length, collected))
                .isInstanceOf(IOException.class);
    }

    private void send(int piece, byte[] bytes) throws Exception {
        for (int from = 0; from < bytes.length; from += piece) {
            filter.accept(bytes, from, Math.min(piece, bytes.length - from), collected);
        }
    }

    private static byte[] message(Character type, String body) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        if (type != null) {
            out.writeByte(type);
        }
        out.writeInt(4 + body.length());
        out.writeBytes(body);
        return bytes.toByteArray();
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    private static final class Collected extends ByteArrayOutputStream implements Output {
        @Override
        public void forward(byte[] bytes, int from, int length) {
            write(bytes, from, length);
        }
    }
}
