package dev.onceward.testsupport.proxy;

import dev.onceward.testsupport.BackendException;
import dev.onceward.testsupport.FreePorts;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.function.Consumer;

/**
 * Accepts connections on a port until it is stopped. Its own thread closes the socket: closed by another one while it waits
 * for a connection, the socket goes on to accept for a moment, and who connects then is never served.
 */
final class Listener {

    private static final int BACKLOG = 200;
    private static final int LOOK_UP_MILLIS = 20;

    private final ServerSocket socket;
    private final Consumer<Socket> onConnection;
    private final Thread thread;
    private volatile boolean stopped;

    private Listener(ServerSocket socket, Consumer<Socket> onConnection) {
        this.socket = socket;
        this.onConnection = onConnection;
        this.thread = new Thread(this::accept, "proxy-" + socket.getLocalPort());
        thread.setDaemon(true);
    }

    static Listener start(int port, Consumer<Socket> onConnection) {
        try {
            ServerSocket socket = new ServerSocket();
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(FreePorts.loopback(), port), BACKLOG);
            socket.setSoTimeout(LOOK_UP_MILLIS);
            Listener listener = new Listener(socket, onConnection);
            listener.thread.start();
            return listener;
        } catch (IOException e) {
            throw new BackendException("The proxy cannot listen on 127.0.0.1:" + port + ": " + e.getMessage(), e);
        }
    }

    /** When this returns, connections to the port are refused. */
    void stop() {
        stopped = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void accept() {
        try (socket) {
            while (!stopped) {
                try {
                    onConnection.accept(socket.accept());
                } catch (SocketTimeoutException e) {
                    // Nobody came; look whether to stop.
                }
            }
        } catch (IOException e) {
            if (!stopped) {
                throw new BackendException("The proxy accepts no more connections: " + e.getMessage(), e);
            }
        }
    }
}
