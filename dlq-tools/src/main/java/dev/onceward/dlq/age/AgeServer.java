package dev.onceward.dlq.age;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Ages for Prometheus at {@code /metrics}, read anew at each scrape. Several clients are served at once, so that a slow one
 * stops nobody. On the loopback address only: nobody is asked for a password.
 */
public final class AgeServer implements AutoCloseable {
    private static final String PATH = "/metrics";
    private static final List<String> METHODS = List.of("GET", "HEAD");
    /** So many clients may be slow at once before a scrape waits for one of them. */
    private static final int THREADS = 8;

    private static final int IDLE_SECONDS = 30;

    static {
        // The server's own limits, in seconds, without which a client that sends half a request, or does not read the
        // answer, holds a thread for ever. Read once, when the first server is made. The answer's time begins with the
        // request's end: Kafka and the database may need some of it.
        limit("sun.net.httpserver.maxReqTime", 5);
        limit("sun.net.httpserver.maxRspTime", 120);
    }

    private final HttpServer server;
    private final ThreadPoolExecutor threads = threads();
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
        http.setExecutor(server.threads);
        http.createContext("/", server::answer);
        http.start();
        return server;
    }

    private static void limit(String property, int seconds) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, String.valueOf(seconds));
        }
    }

    /** Where to scrape. */
    public String address() {
        return "http://" + server.getAddress().getAddress().getHostAddress() + ":"
                + server.getAddress().getPort() + PATH;
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            if (!exchange.getRequestURI().getPath().equals(PATH)) {
                send(exchange, HttpURLConnection.HTTP_NOT_FOUND, "There is only " + PATH + "\n");
            } else if (METHODS.contains(exchange.getRequestMethod())) {
                scrape(exchange);
            } else {
                exchange.getResponseHeaders().set("Allow", String.join(", ", METHODS));
                send(exchange, HttpURLConnection.HTTP_BAD_METHOD, "Only " + String.join(" and ", METHODS) + "\n");
            }
        }
    }

    private void scrape(HttpExchange exchange) throws IOException {
        int status = HttpURLConnection.HTTP_OK;
        String text;
        try {
            text = AgeMetrics.text(ages.call());
        } catch (Exception e) {
            // No old numbers and no zeros: Prometheus shows a failed scrape as down.
            status = HttpURLConnection.HTTP_UNAVAILABLE;
            text = message.apply(e) + "\n";
        }
        send(exchange, status, text);
    }

    private static void send(HttpExchange exchange, int status, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
        if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.sendResponseHeaders(status, -1);
        } else {
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private static ThreadPoolExecutor threads() {
        ThreadPoolExecutor threads = new ThreadPoolExecutor(
                THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "dlq-age-scrape");
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
