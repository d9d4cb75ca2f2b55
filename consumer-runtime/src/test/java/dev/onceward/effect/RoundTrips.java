package dev.onceward.effect;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.SocketFactory;

/**
 * Sockets that count how often one waits for an answer: each read that follows on a write is one round trip. Named to the
 * driver by {@link #SETTING}; one connection at a time.
 */
public final class RoundTrips extends SocketFactory {

    /** The driver's setting that makes it use these sockets. */
    static final String SETTING = "socketFactory=" + RoundTrips.class.getName();

    private static final AtomicInteger COUNT = new AtomicInteger();

    /** How many there were since the last call. */
    static int takeCount() {
        return COUNT.getAndSet(0);
    }

    @Override
    public Socket createSocket() {
        return new CountingSocket();
    }

    @Override
    public Socket createSocket(String host, int port) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort) {
        throw new UnsupportedOperationException();
    }

    private static final class CountingSocket extends Socket {
        private boolean written;

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read() throws IOException {
                    count();
                    return super.read();
                }

                @Override
                public int read(byte[] bytes, int from, int length) throws IOException {
                    count();
                    return super.read(bytes, from, length);
                }

                private void count() {
                    if (written) {
                        written = false;
                        COUNT.incrementAndGet();
                    }
                }
            };
        }

        @Override
        public OutputStream getOutputStream() throws IOException {
            return new FilterOutputStream(super.getOutputStream()) {
                @Override
                public void write(byte[] bytes, int from, int length) throws IOException {
                    written = true;
                    out.write(bytes, from, length);
                }
            };
        }
    }
}
