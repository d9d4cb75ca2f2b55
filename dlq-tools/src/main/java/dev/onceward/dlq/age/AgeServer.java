package dev.onceward.dlq.age;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;

/**
 * Ages for Prometheus at {@code /metrics}, read anew at each scrape, one scrape after the other. On the loopback address
 * only: nobody is asked for a password.
 */
public final class AgeServer implements AutoCloseable {
    private static final int UNAVAILABLE = 503;

    private final HttpServer server;
    private final Callable<List<PartitionAge>> ages;
    private final Function<Exception, String> message;

    private AgeServer(HttpServer server, Callable<List<PartitionAge>> ages, Function<Exception, String> message) {
        this.server = server;
        this.ages = ages;
        this.message = message;
    }

    /**
     * Listens from now on.
     *
     * @param port 0: any that is free
     * @param message what a scrape is told when {@code ages} fails, without secrets
     * @throws IOException the port is taken
     */
    public static AgeServer start(int port, Callable<List<PartitionAge>> ages, Function<Exception, String> message)
            throws IOException {
        HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        AgeServer server = new AgeServer(http, ages, message);
        http.createContext("/metrics", server::answer);
        http.start();
        return server;
    }

    /** Where to scrape. */
    public String address() {
        return "http://" + server.getAddress().getAddress().getHostAddress() + ":"
                + server.getAddress().getPort() + "/metrics";
    }

    private void answer(HttpExchange exchange) throws IOException {
        int status = 200;
        String text;
        try {
            text = AgeMetrics.text(ages.call());
        } catch (Exception e) {
            // No old numbers and no zeros: Prometheus shows a failed scrape as down.
            status = UNAVAILABLE;
            text = message.apply(e) + "\n";
        }
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
