package dev.onceward.testsupport.proxy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** The last of the chain. Collects small pieces, so that what came as one packet leaves as one. */
final class SocketOutput implements Output {

    private final OutputStream target;
    private final Gate gate;
    private final ByteArrayOutputStream pending = new ByteArrayOutputStream();

    SocketOutput(OutputStream target, Gate gate) {
        this.target = target;
        this.gate = gate;
    }

    @Override
    public void forward(byte[] bytes, int from, int length) {
        pending.write(bytes, from, length);
    }

    @Override
    public void flush() throws IOException, InterruptedException {
        if (pending.size() > 0) {
            if (gate.pass()) {
                pending.writeTo(target);
            }
            pending.reset();
        }
    }
}
