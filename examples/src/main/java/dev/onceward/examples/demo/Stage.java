package dev.onceward.examples.demo;

import dev.onceward.migrations.Migrations;
import dev.onceward.testsupport.Backends;
import dev.onceward.testsupport.BackendsMode;
import dev.onceward.testsupport.ClaimsSwitch;
import dev.onceward.testsupport.PostgresServer;
import dev.onceward.testsupport.RestartableServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/** The servers of a run, with a fresh database and topic. */
final class Stage implements AutoCloseable {

    static final String SCHEMA = "public";

    /** The ledger has no unique constraint that could hide a double: its number only shows the order of the effects. */
    private static final String TABLES = """
            CREATE TABLE accounts (
              id      int PRIMARY KEY,
              balance numeric(15, 2) NOT NULL
            );
            CREATE TABLE ledger (
              number     bigserial PRIMARY KEY,
              message_id text NOT NULL,
              account    int NOT NULL,
              sequence   int NOT NULL,
              amount     numeric(15, 2) NOT NULL
            );
            """;

    private final Backends backends;
    private final PostgresServer postgres;
    private final String database;
    private final Admin admin;
    private final String consumer;
    private final String topic;
    /** Whether the servers live on after the demo. */
    private final boolean leavesTraces;

    private Stage(Backends backends, String suffix) {
        this.backends = backends;
        this.leavesTraces = !suffix.isEmpty();
        this.postgres = backends.postgres();
        this.database = postgres.createDatabase();
        this.admin = Admin.create(
                Map.of("bootstrap.servers", backends.kafka().bootstrapServers(), "client.id", "demo-admin"));
        this.consumer = "ledger" + suffix;
        this.topic = "payments" + suffix;
    }

    static Stage set(Scenario scenario, Plan plan) throws SQLException, InterruptedException {
        Backends backends = start(scenario.backends());
        try {
            Stage stage = new Stage(backends, scenario.backends() == BackendsMode.EXTERNAL ? randomSuffix() : "");
            stage.prepare(plan, scenario.claims());
            return stage;
        } catch (SQLException | InterruptedException | RuntimeException e) {
            backends.close();
            throw e;
        }
    }

    private static Backends start(BackendsMode mode) {
        try {
            return Backends.start(mode);
        } catch (IllegalArgumentException e) { // addresses of external servers that are missing or malformed
            throw new DemoException(String.valueOf(e.getMessage()), e);
        }
    }

    private void prepare(Plan plan, boolean claims) throws SQLException, InterruptedException {
        Migrations.apply(dataSource(), SCHEMA);
        execute(TABLES);
        execute("INSERT INTO accounts SELECT id, 0 FROM generate_series(0, " + (plan.accounts() - 1) + ") AS id");
        if (!claims) {
            ClaimsSwitch.off(dataSource(), SCHEMA);
        }
        try {
            admin.createTopics(List.of(new NewTopic(topic, Optional.of(plan.partitions()), Optional.empty())))
                    .all()
                    .get(30, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new DemoException("Topic " + topic + " could not be created: " + e.getMessage(), e);
        }
    }

    String bootstrapServers() {
        return backends.kafka().bootstrapServers();
    }

    Admin admin() {
        return admin;
    }

    /** Unpooled connections. */
    DataSource dataSource() {
        return postgres.dataSource(database);
    }

    String jdbcUrl() {
        return postgres.jdbcUrl(database);
    }

    String user() {
        return postgres.user();
    }

    String password() {
        return postgres.password();
    }

    String consumer() {
        return consumer;
    }

    String topic() {
        return topic;
    }

    String deadLetterTopic() {
        return "dlq." + consumer + "." + topic;
    }

    /** PostgreSQL, if it is one that the demo may restart. */
    Optional<RestartableServer> restartablePostgres() {
        return postgres instanceof RestartableServer server ? Optional.of(server) : Optional.empty();
    }

    String serverVersion() {
        return postgres.serverVersion();
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Servers that others use too may know the names already. */
    private static String randomSuffix() {
        return "-" + Integer.toString(new Random().nextInt(36 * 36 * 36 * 36) + 36 * 36 * 36, 36);
    }

    @Override
    public void close() {
        if (leavesTraces) {
            removeTraces();
        }
        admin.close(Duration.ofSeconds(5));
        backends.close();
    }

    /** Servers that go on without the demo are left as they were; the database goes with the backends. */
    private void removeTraces() {
        try {
            List<String> topics = admin.listTopics().names().get(30, TimeUnit.SECONDS).stream()
                    .filter(name -> name.endsWith(consumer) || name.endsWith(topic))
                    .toList();
            admin.deleteTopics(topics).all().get(30, TimeUnit.SECONDS);
            admin.deleteConsumerGroups(List.of(consumer)).all().get(30, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            System.err.println("The topics of " + consumer + " could not be deleted: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
