package dev.onceward.testsupport.proxy;

import dev.onceward.testsupport.FreePorts;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Sends back what it gets, and remembers how its connections ended. */
final class EchoServer implements AutoCloseable {

    private final Listener listener;
    private final int port = FreePorts.next();
    private final Queue<String> endings = new ConcurrentLinkedQueue<>();

    EchoServer() {
        listener = Listener.start(port, socket -> {
            Thread thread = new Thread(() -> echo(socket));
            thread.setDaemon(true);
            thread.start();
        });
    }

    int port() {
        return port;
    }

    /** "end" for each connection ended in an orderly way, "reset" for each other one. */
    Queue<String> endings() {
        return endings;
    }

    @Override
    public void close() {
        listener.stop();
    }

    private void echo(Socket socket) {
        try (socket) {
            InputStream in = socket.getInputStream();
            OutputStream out = socket.getOutputStream();
            byte[] bytes = new byte[64 * 1024];
            for (int length = in.read(bytes); length >= 0; length = in.read(bytes)) {
                out.write(bytes, 0, length);
            }
            endings.add("end");
        } catch (IOException e) {
            endings.add("reset");
        }
    }
}
