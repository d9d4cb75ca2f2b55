package dev.onceward.testsupport.proxy;

import java.io.IOException;
import java.net.Socket;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;

/** Both sockets of a client and its server, and what happens between them. */
final class Connection implements ProxiedConnection {

    private final Socket client;
    private final Socket server;
    private final Map<Direction, Gate> gates = new EnumMap<>(Direction.class);
    private final Map<Direction, Pump> pumps = new EnumMap<>(Direction.class);
    private final Consumer<Connection> afterEnd;
    private final AtomicBoolean cut = new AtomicBoolean();
    private final AtomicInteger openDirections = new AtomicInteger(Direction.values().length);

    Connection(
            String name,
            Socket client,
            Socket server,
            Map<Direction, Gate> gates,
            Function<Connection, FilterPair> filters,
            Consumer<Connection> afterEnd) {
        this.client = client;
        this.server = server;
        this.gates.putAll(gates);
        this.afterEnd = afterEnd;
        FilterPair pair = filters.apply(this);
        pumps.put(Direction.TO_SERVER, pump(name, Direction.TO_SERVER, client, server, pair.toServer()));
        pumps.put(Direction.TO_CLIENT, pump(name, Direction.TO_CLIENT, server, client, pair.toClient()));
    }

    private Pump pump(String name, Direction direction, Socket source, Socket target, StreamFilter filter) {
        return new Pump(name + "-" + direction, this, source, target, gate(direction), filter);
    }

    void start() {
        pumps.values().forEach(Pump::start);
    }

    /** To the client as if the server had said it; only while the server has nothing to say. */
    void answer(byte[] bytes) throws IOException {
        client.getOutputStream().write(bytes);
    }

    @Override
    public void cut() {
        if (cut.compareAndSet(false, true)) {
            reset(client);
            reset(server);
            pumps.values().forEach(Pump::interrupt);
            afterEnd.accept(this);
        }
    }

    boolean isCut() {
        return cut.get();
    }

    @Override
    public void drop(Direction direction) {
        gate(direction).set(Gate.Mode.DROP);
    }

    @Override
    public void stall(Direction direction) {
        gate(direction).set(Gate.Mode.STALL);
    }

    @Override
    public void resume(Direction direction) {
        Gate gate = gate(direction);
        gate.set(Gate.Mode.PASS);
        if (gate.isLossy()) {
            cut();
        }
    }

    void delay(Direction direction, long nanos) {
        gate(direction).delay(nanos);
    }

    /** One direction came to its orderly end. */
    void ended() {
        if (openDirections.decrementAndGet() == 0) {
            close(client);
            close(server);
            afterEnd.accept(this);
        }
    }

    private Gate gate(Direction direction) {
        return Objects.requireNonNull(gates.get(direction));
    }

    /** Lingering for no time means that closing sends RST instead of FIN, and forgets what was not sent yet. */
    static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
        } catch (IOException e) {
            // Closed by the other side already.
        }
        close(socket);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // Closed all the same.
        }
    }
}
