package dev.onceward.guarantees;

import dev.onceward.testsupport.PostgresServer;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A relay before a PostgreSQL server that translates what a person would read in its errors and notices, and leaves the
 * codes: letters are moved by thirteen places, so that nothing changes its length.
 */
final class UnknownLanguage implements AutoCloseable {
    private static final String FOR_PEOPLE = "SMDHW"; // severity, message, detail, hint, where

    private final PostgresServer server;
    private final ServerSocket listener;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    private UnknownLanguage(PostgresServer server) throws IOException {
        this.server = server;
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    static UnknownLanguage before(PostgresServer server) {
        try {
            UnknownLanguage relay = new UnknownLanguage(server);
            relay.background(relay::accept);
            return relay;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Without encryption, whose answer is no message. */
    String jdbcUrl(String database) {
        return "jdbc:postgresql://" + InetAddress.getLoopbackAddress().getHostAddress() + ":" + listener.getLocalPort()
                + "/" + database + "?sslmode=disable&gssEncMode=disable";
    }

    private void accept() throws IOException {
        while (!listener.isClosed()) {
            Socket client = listener.accept();
            Socket behind = new Socket(server.host(), server.port());
            sockets.add(client);
            sockets.add(behind);
            background(() -> {
                try (client;
                        behind) {
                    client.getInputStream().transferTo(behind.getOutputStream());
                }
            });
            background(() -> {
                try (client;
                        behind) {
                    translate(
                            new DataInputStream(behind.getInputStream()),
                            new DataOutputStream(client.getOutputStream()));
                }
            });
        }
    }

    private static void translate(DataInputStream from, DataOutputStream to) throws IOException {
        while (true) {
            byte type = from.readByte();
            int length = from.readInt(); // counts itself
            byte[] body = from.readNBytes(length - Integer.BYTES);
            if (type == 'E' || type == 'N') {
                translate(body);
            }
            to.writeByte(type);
            to.writeInt(length);
            to.write(body);
        }
    }

    /** Fields: a code, a text, a zero. */
    private static void translate(byte[] fields) {
        for (int i = 0; i < fields.length && fields[i] != 0; i++) {
            boolean forPeople = FOR_PEOPLE.indexOf(fields[i]) >= 0;
            for (i++; fields[i] != 0; i++) {
                if (forPeople) {
                    fields[i] = translated(fields[i]);
                }
            }
        }
    }

    private static byte translated(byte letter) {
        if (letter >= 'a' && letter <= 'z') {
            return (byte) ((letter - 'a' + 13) % 26 + 'a');
        }
        return letter >= 'A' && letter <= 'Z' ? (byte) ((letter - 'A' + 13) % 26 + 'A') : letter;
    }

    private void background(Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException e) {
                        // One of the two has gone, and the other one goes with it.
                    }
                },
                "unknown-language");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            listener.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private interface Work {
        void run() throws IOException;
    }
}
