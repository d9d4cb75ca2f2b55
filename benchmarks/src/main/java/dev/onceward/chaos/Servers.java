package dev.onceward.chaos;

import dev.onceward.testsupport.ChildKafkaCluster;
import dev.onceward.testsupport.KafkaOptions;
import dev.onceward.testsupport.PostgresOptions;
import dev.onceward.testsupport.proxy.TcpProxy;
import dev.onceward.testsupport.replication.ReplicatedPostgres;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.apache.kafka.clients.admin.Admin;

/**
 * Three brokers, each behind a proxy, and a PostgreSQL with a synchronous standby. The run itself reaches all of it directly.
 */
final class Servers implements AutoCloseable {
    private static final int BROKERS = 3;
    private static final String LOOPBACK = "127.0.0.1";

    private final ReplicatedPostgres postgres;
    private final ChildKafkaCluster kafka;
    private final List<TcpProxy> waysToKafka;
    private final String database;
    private final Admin admin;

    private Servers(ReplicatedPostgres postgres, ChildKafkaCluster kafka, List<TcpProxy> waysToKafka) {
        this.postgres = postgres;
        this.kafka = kafka;
        this.waysToKafka = List.copyOf(waysToKafka);
        this.database = postgres.createDatabase();
        this.admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers(), "client.id", "chaos-admin"));
    }

    static Servers start() {
        CompletableFuture<ReplicatedPostgres> postgres =
                CompletableFuture.supplyAsync(() -> ReplicatedPostgres.start(PostgresOptions.durable()));
        List<TcpProxy> proxies = new CopyOnWriteArrayList<>();
        ChildKafkaCluster kafka = ChildKafkaCluster.start(BROKERS, KafkaOptions.defaults(), port -> {
            TcpProxy proxy = TcpProxy.to(LOOPBACK, port);
            proxies.add(proxy);
            return proxy.port();
        });
        return new Servers(postgres.join(), kafka, proxies);
    }

    ReplicatedPostgres postgres() {
        return postgres;
    }

    ChildKafkaCluster kafka() {
        return kafka;
    }

    /** One for each broker, in order. */
    List<TcpProxy> waysToKafka() {
        return waysToKafka;
    }

    String database() {
        return database;
    }

    /** Unpooled connections, past the workers' proxies. */
    DataSource dataSource() {
        return postgres.dataSource(database);
    }

    Admin admin() {
        return admin;
    }

    @Override
    public void close() {
        admin.close(Duration.ofSeconds(5));
        waysToKafka.forEach(TcpProxy::close);
        kafka.close();
        postgres.close();
    }
}
