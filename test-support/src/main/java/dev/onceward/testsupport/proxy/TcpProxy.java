package dev.onceward.testsupport.proxy;

import dev.onceward.testsupport.BackendException;
import dev.onceward.testsupport.FreePorts;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Listens on 127.0.0.1 and forwards each connection to a server, with all that can go wrong on the way: late, held, lost or cut,
 * one direction at a time, from now on or at a chosen {@linkplain #beforeBytes moment}.
 *
 * <p>What is set here holds for the connections that are open and for later ones. Where the server cannot be reached, the
 * client's connection is accepted and reset. Thread-safe.
 */
public final class TcpProxy implements AutoCloseable {

    private static final int CONNECT_MILLIS = 10_000;

    private final int port = FreePorts.next();
    private final Function<Connection, FilterPair> innerFilters;
    private final AtomicInteger opened = new AtomicInteger();
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
    private final List<ByteMoment> moments = new CopyOnWriteArrayList<>();
    private final Map<Direction, Gate.Mode> modes = new EnumMap<>(Direction.class);
    private final Map<Direction, Long> delays = new EnumMap<>(Direction.class);
    private volatile InetSocketAddress target;
    private @Nullable Listener listener;
    private boolean closed;

    private TcpProxy(String targetHost, int targetPort, Function<Connection, FilterPair> innerFilters) {
        this.target = new InetSocketAddress(targetHost, targetPort);
        this.innerFilters = innerFilters;
        forgetModes();
    }

    /**
     * Starts a proxy before a server, which need not run yet.
     *
     * @throws BackendException if no port can be listened on
     */
    public static TcpProxy to(String host, int port) {
        return to(host, port, connection -> FilterPair.NONE);
    }

    /** With filters that see the bytes before those for the moments of this class do. */
    static TcpProxy to(String host, int port, Function<Connection, FilterPair> innerFilters) {
        TcpProxy proxy = new TcpProxy(host, port, innerFilters);
        proxy.refuseNew(false);
        return proxy;
    }

    /** Where clients connect to: 127.0.0.1. */
    public String host() {
        return FreePorts.loopback().getHostAddress();
    }

    /** Where clients connect to; the same for the proxy's whole life. */
    public int port() {
        return port;
    }

    /** How many connections are open. */
    public int openConnections() {
        return connections.size();
    }

    /** Makes bytes arrive later by this, like a longer cable; the order is kept, the bandwidth too. Zero for none. */
    public synchronized void delay(Direction direction, Duration delay) {
        if (delay.isNegative()) {
            throw new IllegalArgumentException("A delay of " + delay + " is not possible");
        }
        delays.put(direction, delay.toNanos());
        connections.forEach(connection -> connection.delay(direction, delay.toNanos()));
    }

    /** Swallows what is sent that way, silently and without ending connections, until {@link #resume} or {@link #reset}. */
    public synchronized void drop(Direction direction) {
        modes.put(direction, Gate.Mode.DROP);
        connections.forEach(connection -> connection.drop(direction));
    }

    /** Holds back what is sent that way until {@link #resume} or {@link #reset}. */
    public synchronized void stall(Direction direction) {
        modes.put(direction, Gate.Mode.STALL);
        connections.forEach(connection -> connection.stall(direction));
    }

    /**
     * Lets through what is sent that way, what was held back first. Connections of which something was dropped are cut: no
     * network loses the middle of a stream.
     */
    public synchronized void resume(Direction direction) {
        modes.put(direction, Gate.Mode.PASS);
        connections.forEach(connection -> connection.resume(direction));
    }

    /** Forwards new connections to another server, as an address does that moves at a failover. Open ones stay where they are. */
    public void redirect(String newHost, int newPort) {
        target = new InetSocketAddress(newHost, newPort);
    }

    /** Ends all open connections on both sides with RST. New ones are possible at once. */
    public void cutAll() {
        connections.forEach(Connection::cut);
    }

    /**
     * Whether new connections are refused, as by a machine on which the server does not run. Open ones are left alone.
     *
     * @throws BackendException if the port cannot be listened on again
     */
    public synchronized void refuseNew(boolean refuse) {
        if (closed) {
            throw new IllegalStateException("The proxy is closed");
        }
        if (refuse && listener != null) {
            listener.stop();
            listener = null;
        } else if (!refuse && listener == null) {
            listener = Listener.start(port, this::accepted);
        }
    }

    /** Back to an honest network: nothing delayed, dropped, held or refused, no moment waited for (their futures are cancelled). */
    public synchronized void reset() {
        refuseNew(false);
        moments.forEach(waiting -> waiting.moment().cancel());
        moments.clear();
        forgetModes();
        for (Direction direction : Direction.values()) {
            connections.forEach(connection -> {
                connection.delay(direction, 0);
                connection.resume(direction);
            });
        }
    }

    /**
     * Does something once, when these bytes pass for the first time from now on, in whichever connection, also when they
     * come in several pieces: before the last one of them is forwarded, with all that came before it forwarded.
     *
     * @return completes with the connection when it is done; cancel it to call it off
     */
    public CompletableFuture<ProxiedConnection> beforeBytes(Direction direction, byte[] pattern, Action action) {
        return waitFor(new ByteMoment(direction, pattern, true, action));
    }

    /** Like {@link #beforeBytes}, but right after the last byte of the pattern was forwarded, and before anything that follows it. */
    public CompletableFuture<ProxiedConnection> afterBytes(Direction direction, byte[] pattern, Action action) {
        return waitFor(new ByteMoment(direction, pattern, false, action));
    }

    private CompletableFuture<ProxiedConnection> waitFor(ByteMoment moment) {
        moments.removeIf(waiting -> waiting.moment().isOver());
        moments.add(moment);
        return moment.moment().struck();
    }

    /** Stops listening and cuts what is open. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            if (listener != null) {
                listener.stop();
                listener = null;
            }
            moments.forEach(waiting -> waiting.moment().cancel());
            cutAll();
        }
    }

    /** In a thread of its own: a server that does not answer must not keep other clients from being accepted. */
    private void accepted(Socket client) {
        Thread connector = new Thread(() -> connect(client), "proxy-" + port + "-connector");
        connector.setDaemon(true);
        connector.start();
    }

    private void connect(Socket client) {
        Socket server = new Socket();
        try {
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            server.connect(target, CONNECT_MILLIS);
            open(client, server);
        } catch (IOException e) {
            Connection.reset(client);
            Connection.reset(server);
        }
    }

    private synchronized void open(Socket client, Socket server) throws IOException {
        if (closed) {
            throw new IOException("closed meanwhile");
        }
        Map<Direction, Gate> gates = new EnumMap<>(Direction.class);
        for (Direction direction : Direction.values()) {
            gates.put(
                    direction,
                    new Gate(modes.getOrDefault(direction, Gate.Mode.PASS), delays.getOrDefault(direction, 0L)));
        }
        String name = "proxy-" + port + "-" + opened.incrementAndGet();
        Connection connection = new Connection(name, client, server, gates, this::filters, connections::remove);
        connections.add(connection);
        connection.start();
    }

    private FilterPair filters(Connection connection) {
        return innerFilters
                .apply(connection)
                .then(new FilterPair(
                        new ByteMomentFilter(Direction.TO_SERVER, moments, connection),
                        new ByteMomentFilter(Direction.TO_CLIENT, moments, connection)));
    }

    private void forgetModes() {
        modes.clear();
        delays.clear();
    }
}
