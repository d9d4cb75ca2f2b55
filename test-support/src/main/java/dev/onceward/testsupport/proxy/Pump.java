package dev.onceward.testsupport.proxy;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Forwards one direction of one connection. One thread reads and one writes: a delay must make bytes late, not rare, so
 * the next ones are read while the ones before still wait.
 */
final class Pump {

    private static final int CHUNK_BYTES = 16 * 1024;
    private static final int CHUNKS_ON_THE_WAY = 64;

    private sealed interface Event {
        long readAt();
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Bytes(byte[] bytes, int length, long readAt) implements Event {}

    private record End(long readAt, boolean orderly) implements Event {}

    private final Connection connection;
    private final Socket source;
    private final Socket target;
    private final Gate gate;
    private final StreamFilter filter;
    private final BlockingQueue<Event> onTheWay = new ArrayBlockingQueue<>(CHUNKS_ON_THE_WAY);
    private final Thread reader;
    private final Thread writer;

    Pump(String name, Connection connection, Socket source, Socket target, Gate gate, StreamFilter filter) {
        this.connection = connection;
        this.source = source;
        this.target = target;
        this.gate = gate;
        this.filter = filter;
        this.reader = new Thread(this::read, name + "-reader");
        this.writer = new Thread(this::write, name + "-writer");
        reader.setDaemon(true);
        writer.setDaemon(true);
    }

    void start() {
        reader.start();
        writer.start();
    }

    void interrupt() {
        reader.interrupt();
        // An action that runs in the writer may be what cuts the connection: it is not to be disturbed by that.
        if (writer != Thread.currentThread()) {
            writer.interrupt();
        }
    }

    private void read() {
        try {
            boolean orderly = true;
            try {
                InputStream in = source.getInputStream();
                byte[] chunk = new byte[CHUNK_BYTES];
                for (int length = in.read(chunk); length >= 0; length = in.read(chunk)) {
                    onTheWay.put(new Bytes(chunk, length, System.nanoTime()));
                    chunk = new byte[CHUNK_BYTES];
                }
            } catch (IOException e) {
                orderly = false;
            }
            onTheWay.put(new End(System.nanoTime(), orderly));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // cut
        }
    }

    private void write() {
        try {
            Output output = new SocketOutput(target.getOutputStream(), gate);
            while (true) {
                Event event = onTheWay.take();
                gate.awaitDue(event.readAt());
                if (event instanceof Bytes chunk) {
                    filter.accept(chunk.bytes, 0, chunk.length, output);
                    output.flush();
                } else if (event instanceof End end) {
                    end(end);
                    return;
                }
            }
        } catch (IOException e) {
            connection.cut();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // cut
        }
    }

    private void end(End end) throws IOException, InterruptedException {
        if (!gate.pass()) {
            return; // the news of the end is dropped as well
        }
        if (!end.orderly) {
            throw new IOException("the other side was reset");
        }
        target.shutdownOutput();
        connection.ended();
    }
}
