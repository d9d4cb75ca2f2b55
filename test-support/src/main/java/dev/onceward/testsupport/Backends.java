package dev.onceward.testsupport;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/**
 * A real Kafka and a real PostgreSQL to test against. Most tests use the {@linkplain #shared() shared} pair:
 *
 * <pre>{@code
 * PostgresServer postgres = Backends.shared().postgres();
 * DataSource database = postgres.dataSource(postgres.createDatabase());
 * String brokers = Backends.shared().kafka().bootstrapServers();
 * }</pre>
 *
 * <p>The system property {@code onceward.backends} says where they come from, see {@link BackendsMode}. Both are started at
 * the same time in the background; the accessors wait for the one that they return. Thread-safe.
 */
public final class Backends implements AutoCloseable {

    private final CompletableFuture<KafkaServer> kafka;
    private final CompletableFuture<PostgresServer> postgres;

    Backends(CompletableFuture<KafkaServer> kafka, CompletableFuture<PostgresServer> postgres) {
        this.kafka = kafka;
        this.postgres = postgres;
    }

    /**
     * The pair that all tests of this JVM share: started at the first call, stopped when the JVM ends; {@link #close()} has
     * no effect on its servers. Embedded PostgreSQL runs with {@code fsync} off here.
     *
     * @throws IllegalArgumentException if the system properties do not say where the servers are
     */
    public static Backends shared() {
        return SharedBackends.both();
    }

    /** The PostgreSQL of {@link #shared()}, for tests that need no Kafka: it is not even started. */
    public static PostgresServer sharedPostgres() {
        return SharedBackends.postgres();
    }

    /**
     * Starts a pair of one's own, to be closed by the caller. PostgreSQL is {@linkplain PostgresOptions#durable() durable}, and
     * a {@link RestartableServer} unless it is external.
     *
     * @throws IllegalArgumentException if the system properties do not say where external servers are
     */
    public static Backends start(BackendsMode mode) {
        BackendStarter starter = BackendStarter.of(mode, PostgresOptions.durable());
        return new Backends(inBackground("kafka", starter::kafka), inBackground("postgres", starter::postgres));
    }

    /**
     * Kafka, as soon as it serves clients.
     *
     * @throws BackendException if it could not be started
     */
    public KafkaServer kafka() {
        return join(kafka);
    }

    /**
     * PostgreSQL, as soon as it accepts connections.
     *
     * @throws BackendException if it could not be started
     */
    public PostgresServer postgres() {
        return join(postgres);
    }

    /** Stops both and removes their data. */
    @Override
    public void close() {
        CompletableFuture<Void> kafkaClosed = kafka.thenAcceptAsync(KafkaServer::close);
        CompletableFuture<Void> postgresClosed = postgres.thenAccept(PostgresServer::close);
        CompletableFuture.allOf(kafkaClosed, postgresClosed)
                // What could not be started need not be stopped, and its failure was told by the accessor.
                .exceptionally(failure -> null)
                .join();
    }

    static <T> CompletableFuture<T> inBackground(String name, Supplier<T> start) {
        CompletableFuture<T> started = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        started.complete(start.get());
                    } catch (Throwable e) {
                        started.completeExceptionally(e);
                    }
                },
                "onceward-start-" + name);
        thread.setDaemon(true);
        thread.start();
        return started;
    }

    static <T> T join(CompletableFuture<T> server) {
        try {
            return server.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof IllegalArgumentException wrongSetting) {
                throw wrongSetting;
            }
            throw e.getCause() instanceof BackendException known
                    ? new BackendException(String.valueOf(known.getMessage()), known)
                    : new BackendException(
                            "A server for the tests could not be started: " + e.getCause(), e.getCause());
        }
    }
}
