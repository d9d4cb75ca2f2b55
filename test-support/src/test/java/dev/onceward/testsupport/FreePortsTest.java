package dev.onceward.testsupport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FreePortsTest {

    @Test
    void portsCanBeListenedOnAndAreGivenOutOnce() throws IOException {
        Set<Integer> ports = new HashSet<>();
        for (int i = 0; i < 50; i++) {
            int port = FreePorts.next();
            assertThat(ports.add(port)).isTrue();
            try (ServerSocket socket = new ServerSocket()) {
                socket.bind(new InetSocketAddress(FreePorts.loopback(), port));
            }
        }
    }
}
