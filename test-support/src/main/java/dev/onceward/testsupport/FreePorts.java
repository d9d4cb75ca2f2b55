package dev.onceward.testsupport;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.NoSuchElementException;
import java.util.Scanner;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Loopback ports for servers that must keep their port across a restart. They lie below the range from which the system
 * gives ports to outgoing connections: otherwise a client of another test could sit on the port while its server is down.
 * Thread-safe.
 */
public final class FreePorts {

    private static final int LOWEST = 10_240;
    private static final int ATTEMPTS = 1_000;
    private static final Path EPHEMERAL_RANGE = Path.of("/proc/sys/net/ipv4/ip_local_port_range");
    private static final Set<Integer> HANDED_OUT = ConcurrentHashMap.newKeySet();

    private FreePorts() {}

    /**
     * A port on which nothing listens, and which this JVM has not given out before. Another JVM may take it before its use.
     *
     * @throws BackendException if there is none
     */
    public static int next() {
        int end = firstEphemeralPort();
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            // Not the usual predictable sequence: several JVMs look for ports at the same time.
            int port = ThreadLocalRandom.current().nextInt(LOWEST, end);
            if (isFree(port) && HANDED_OUT.add(port)) {
                return port;
            }
        }
        throw new BackendException("No free TCP port on 127.0.0.1 between " + LOWEST + " and " + end);
    }

    /** 127.0.0.1, where everything of this module listens. */
    public static InetAddress loopback() {
        try {
            // Not InetAddress.getLoopbackAddress(), which may be that of IPv6.
            return InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
        } catch (UnknownHostException e) {
            throw new AssertionError(e); // thrown for a wrong number of bytes
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(loopback(), port), 1);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static int firstEphemeralPort() {
        try (Scanner range = new Scanner(EPHEMERAL_RANGE, StandardCharsets.US_ASCII)) {
            int first = range.nextInt();
            return first > LOWEST + 2 * ATTEMPTS ? first : 65_536;
        } catch (IOException | NoSuchElementException e) {
            return 32_768; // not Linux: the range of the other systems starts at 49152
        }
    }
}
