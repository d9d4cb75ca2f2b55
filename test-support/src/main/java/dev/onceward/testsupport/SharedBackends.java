package dev.onceward.testsupport;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The servers that live as long as the JVM; PostgreSQL can be had without starting Kafka. */
final class SharedBackends {

    private static @Nullable CompletableFuture<PostgresServer> postgres;
    private static @Nullable Backends both;

    private SharedBackends() {}

    static synchronized Backends both() {
        if (both == null) {
            BackendStarter starter = starter();
            both = new Backends(
                    Backends.inBackground("kafka", () -> new Shared.Kafka(stoppedWithTheJvm(starter.kafka()))),
                    postgresStarting());
        }
        return both;
    }

    static PostgresServer postgres() {
        return Backends.join(postgresStarting());
    }

    private static synchronized CompletableFuture<PostgresServer> postgresStarting() {
        if (postgres == null) {
            BackendStarter starter = starter();
            postgres =
                    Backends.inBackground("postgres", () -> new Shared.Postgres(stoppedWithTheJvm(starter.postgres())));
        }
        return postgres;
    }

    /** No fsync: no test pulls the plug of the machine. */
    private static BackendStarter starter() {
        return BackendStarter.of(BackendsMode.configured(), PostgresOptions.fast());
    }

    private static KafkaServer stoppedWithTheJvm(KafkaServer server) {
        Runtime.getRuntime().addShutdownHook(new Thread(server::close, "onceward-stop-kafka"));
        return server;
    }

    private static PostgresServer stoppedWithTheJvm(PostgresServer server) {
        Runtime.getRuntime().addShutdownHook(new Thread(server::close, "onceward-stop-postgres"));
        return server;
    }
}
