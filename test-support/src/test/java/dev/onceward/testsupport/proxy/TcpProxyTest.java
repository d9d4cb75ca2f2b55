package dev.onceward.testsupport.proxy;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TcpProxyTest {

    private static final int NEVER_MILLIS = 200;

    private EchoServer server;
    private TcpProxy proxy;
    private final List<Socket> clients = new ArrayList<>();

    @BeforeEach
    void start() throws IOException {
        server = new EchoServer();
        proxy = TcpProxy.to("127.0.0.1", server.port());
    }

    @AfterEach
    void stop() throws IOException {
        for (Socket client : clients) {
            client.close();
        }
        proxy.close();
        server.close();
    }

    @Test
    void forwardsBothWaysUnchanged() throws Exception {
        Socket client = connect();
        byte[] sent = new byte[5 << 20];
        new Random(1).nextBytes(sent);
        CompletableFuture<byte[]> echoed = CompletableFuture.supplyAsync(() -> read(client, sent.length));
        client.getOutputStream().write(sent);
        assertThat(echoed.get(20, TimeUnit.SECONDS)).isEqualTo(sent);
    }

    @Test
    void forwardsTheEndOfEachDirection() throws Exception {
        Socket client = connect();
        send(client, "last words");
        client.shutdownOutput();
        assertThat(receive(client, 10)).isEqualTo("last words");
        assertThat(client.getInputStream().read()).isEqualTo(-1);
        await().untilAsserted(() -> assertThat(server.endings()).containsExactly("end"));
        await().until(() -> proxy.openConnections() == 0);
    }

    @Test
    void delaysEachWayWithoutNarrowingIt() throws Exception {
        Socket client = connect();
        proxy.delay(Direction.TO_SERVER, Duration.ofMillis(100));
        proxy.delay(Direction.TO_CLIENT, Duration.ofMillis(50));

        long start = System.nanoTime();
        byte[] sent = new byte[1 << 20]; // many pieces: one after the other they would take many times the delay
        CompletableFuture<byte[]> echoed = CompletableFuture.supplyAsync(() -> read(client, sent.length));
        client.getOutputStream().write(sent);
        echoed.get(20, TimeUnit.SECONDS);
        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .isBetween(Duration.ofMillis(150), Duration.ofSeconds(4));
    }

    @Test
    void dropsOneWaySilently() throws Exception {
        Socket client = connect();
        assertEchoes(client);
        proxy.drop(Direction.TO_CLIENT);
        send(client, "heard, but not answered");
        assertSilent(client);
        assertThat(server.endings()).isEmpty();
        assertThat(proxy.openConnections()).isEqualTo(1);

        proxy.resume(Direction.TO_CLIENT);
        assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketException.class);
        assertEchoes(connect());
    }

    @Test
    void droppingHidesTheEndToo() throws Exception {
        Socket client = connect();
        assertEchoes(client);
        proxy.drop(Direction.TO_SERVER);
        client.close();
        await().pollDelay(Duration.ofMillis(NEVER_MILLIS))
                .untilAsserted(() -> assertThat(server.endings()).isEmpty());
    }

    @Test
    void dropsForNewConnectionsAsWell() throws Exception {
        proxy.drop(Direction.TO_SERVER);
        Socket client = connect();
        send(client, "into the void");
        assertSilent(client);
    }

    @Test
    void stallsAndDeliversLater() throws Exception {
        Socket client = connect();
        proxy.stall(Direction.TO_SERVER);
        send(client, "one ");
        send(client, "two");
        assertSilent(client);
        proxy.resume(Direction.TO_SERVER);
        assertThat(receive(client, 7)).isEqualTo("one two");
    }

    @Test
    void cutsBothSidesWithReset() throws Exception {
        Socket client = connect();
        assertEchoes(client);
        proxy.cutAll();
        assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketException.class);
        await().untilAsserted(() -> assertThat(server.endings()).containsExactly("reset"));
        assertThat(proxy.openConnections()).isZero();
        assertEchoes(connect());
    }

    @Test
    void cutsWhatIsStalled() throws Exception {
        Socket client = connect();
        proxy.stall(Direction.TO_SERVER);
        send(client, "never heard");
        assertSilent(client);
        proxy.cutAll();
        assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketException.class);
    }

    @Test
    void refusesNewConnectionsOnly() throws Exception {
        Socket open = connect();
        assertEchoes(open);
        proxy.refuseNew(true);
        assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
        assertEchoes(open);
        proxy.refuseNew(false);
        assertEchoes(connect());
    }

    @Test
    void resetsClientsWhoseServerIsGone() throws Exception {
        server.close();
        Socket client = connect();
        assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketException.class);
    }

    @Test
    void resetsTheClientWhenTheServerDies() throws Exception {
        Socket client = connect();
        CompletableFuture<ProxiedConnection> struck =
                proxy.afterBytes(Direction.TO_SERVER, "bye".getBytes(US_ASCII), ProxiedConnection::cut);
        send(client, "bye");
        assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketException.class);
        assertThat(struck.get(10, TimeUnit.SECONDS)).isNotNull();
        await().untilAsserted(() -> assertThat(server.endings()).containsExactly("reset"));
    }

    @Test
    void strikesBeforeTheLastByteOfAPattern() throws Exception {
        Socket client = connect();
        CompletableFuture<ProxiedConnection> struck = proxy.beforeBytes(
                Direction.TO_SERVER, "needle".getBytes(US_ASCII), connection -> connection.stall(Direction.TO_SERVER));
        send(client, "hay nee");
        assertThat(receive(client, 7)).isEqualTo("hay nee");
        send(client, "dle hay needle");
        struck.get(10, TimeUnit.SECONDS);
        assertThat(receive(client, 2)).isEqualTo("dl");
        assertSilent(client);
        struck.get().resume(Direction.TO_SERVER);
        assertThat(receive(client, 12)).isEqualTo("e hay needle"); // once: the second one passes
    }

    @Test
    void strikesAfterTheLastByteOfAPattern() throws Exception {
        Socket client = connect();
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<ProxiedConnection> struck =
                proxy.afterBytes(Direction.TO_CLIENT, "needle".getBytes(US_ASCII), connection -> goOn.await());
        send(client, "a needle in hay");
        assertThat(receive(client, 8)).isEqualTo("a needle");
        assertSilent(client);
        assertThat(struck).isNotDone();
        goOn.countDown();
        assertThat(receive(client, 7)).isEqualTo(" in hay");
        struck.get(10, TimeUnit.SECONDS);
    }

    @Test
    void momentStrikesOneOfManyConnections() throws Exception {
        CompletableFuture<ProxiedConnection> struck =
                proxy.beforeBytes(Direction.TO_SERVER, "x".getBytes(US_ASCII), ProxiedConnection::cut);
        Socket first = connect();
        Socket second = connect();
        send(first, "x");
        assertThatThrownBy(() -> first.getInputStream().read()).isInstanceOf(SocketException.class);
        assertThat(struck).succeedsWithin(Duration.ofSeconds(10));
        send(second, "x");
        assertThat(receive(second, 1)).isEqualTo("x");
    }

    @Test
    void actionThatFailsIsTold() throws Exception {
        CompletableFuture<ProxiedConnection> struck =
                proxy.beforeBytes(Direction.TO_SERVER, "x".getBytes(US_ASCII), connection -> {
                    throw new IllegalStateException("on purpose");
                });
        Socket client = connect();
        send(client, "x");
        assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketException.class);
        assertThatThrownBy(() -> struck.get(10, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasRootCauseMessage("on purpose");
    }

    @Test
    void resetCallsEverythingOff() throws Exception {
        CompletableFuture<ProxiedConnection> struck =
                proxy.beforeBytes(Direction.TO_SERVER, "ping".getBytes(US_ASCII), ProxiedConnection::cut);
        proxy.stall(Direction.TO_SERVER);
        proxy.drop(Direction.TO_CLIENT);
        proxy.delay(Direction.TO_SERVER, Duration.ofHours(1));
        proxy.refuseNew(true);
        proxy.reset();
        assertThatThrownBy(struck::join).isInstanceOf(CancellationException.class);
        assertEchoes(connect());
    }

    @Test
    void delayIsNotNegative() {
        assertThatThrownBy(() -> proxy.delay(Direction.TO_SERVER, Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private Socket connect() throws IOException {
        Socket client = new Socket(proxy.host(), proxy.port());
        client.setTcpNoDelay(true);
        client.setSoTimeout(20_000);
        clients.add(client);
        return client;
    }

    private static void assertEchoes(Socket client) throws IOException {
        send(client, "ping");
        assertThat(receive(client, 4)).isEqualTo("ping");
    }

    private static void assertSilent(Socket client) throws IOException {
        client.setSoTimeout(NEVER_MILLIS);
        assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
        client.setSoTimeout(20_000);
    }

    private static void send(Socket client, String text) throws IOException {
        client.getOutputStream().write(text.getBytes(US_ASCII));
    }

    private static String receive(Socket client, int length) {
        return new String(read(client, length), US_ASCII);
    }

    private static byte[] read(Socket client, int length) {
        byte[] bytes = new byte[length];
        try {
            new DataInputStream(client.getInputStream()).readFully(bytes);
            return bytes;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
