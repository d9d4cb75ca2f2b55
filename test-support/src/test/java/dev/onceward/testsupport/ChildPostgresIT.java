package dev.onceward.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ChildPostgresIT {

    /** The ways to go down, and back up by {@link ChildPostgres#restart()}. */
    enum Outage {
        KILL(ChildPostgres::kill),
        STOP(ChildPostgres::stop),
        STOP_IMMEDIATE(ChildPostgres::stopImmediate),
        RESTART_ONLY(server -> {}),
        KILL_FROZEN(server -> {
            server.freeze();
            server.kill();
        }),
        STOP_FROZEN(server -> {
            server.freeze();
            server.stop();
        });

        @SuppressWarnings("ImmutableEnumChecker")
        private final Consumer<ChildPostgres> effect;

        Outage(Consumer<ChildPostgres> effect) {
            this.effect = effect;
        }
    }

    /** For tests that leave it running. */
    private static ChildPostgres server;

    @BeforeAll
    static void start() {
        server = ChildPostgres.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @EnumSource(Outage.class)
    void keepsCommittedDataAndPortAcross(Outage outage) throws SQLException {
        String database = server.createDatabase();
        int port = server.port();
        long pid = server.pid();
        try (Connection open = server.dataSource(database).getConnection();
                Statement statement = open.createStatement()) {
            statement.execute("CREATE TABLE kept (id int)");
            statement.execute("INSERT INTO kept VALUES (1)");
            open.setAutoCommit(false);
            statement.execute("INSERT INTO kept VALUES (2)");

            outage.effect.accept(server);
            server.restart();

            assertThatThrownBy(open::commit).isInstanceOf(SQLException.class);
        }
        assertThat(server.isAlive()).isTrue();
        assertThat(server.pid()).isNotEqualTo(pid);
        assertThat(server.port()).isEqualTo(port);
        assertThat(query(server, database, "SELECT string_agg(id::text, ',') FROM kept"))
                .isEqualTo("1");
    }

    @Test
    void killLeavesNoProcess() throws SQLException {
        try (ChildPostgres server = ChildPostgres.start(PostgresOptions.fast())) {
            long session;
            try (Connection open = server.dataSource(server.createDatabase()).getConnection();
                    Statement statement = open.createStatement();
                    ResultSet pid = statement.executeQuery("SELECT pg_backend_pid()")) {
                pid.next();
                session = pid.getLong(1);
                assertThat(ProcessHandle.of(session)).isPresent();
                server.kill();
            }
            assertThat(server.isAlive()).isFalse();
            assertThat(ProcessHandle.of(session)).isEmpty();
        }
    }

    @Test
    void frozenServerKeepsConnectionsAndAnswersLater() throws Exception {
        String database = server.createDatabase();
        try (Connection open = server.dataSource(database).getConnection();
                Statement statement = open.createStatement()) {
            statement.execute("SELECT 1");
            server.freeze();
            assertThat(server.isAlive()).isTrue();
            CompletableFuture<Boolean> answer = CompletableFuture.supplyAsync(() -> {
                try {
                    return statement.execute("SELECT 2");
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            assertThatThrownBy(() -> answer.get(300, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
            server.unfreeze();
            assertThat(answer.get(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void stoppedServerTellsItsSessions() throws SQLException {
        try (ChildPostgres server = ChildPostgres.start(PostgresOptions.fast());
                Connection open = server.dataSource(server.createDatabase()).getConnection();
                Statement statement = open.createStatement()) {
            server.stop();
            SQLException failure = catchThrowableOfType(SQLException.class, () -> statement.execute("SELECT 1"));
            assertThat(failure.getSQLState()).isEqualTo("57P01");
        }
    }

    @Test
    void settingsReachTheServer() {
        try (ChildPostgres server = ChildPostgres.start(PostgresOptions.durable()
                .with("max_prepared_transactions", "7")
                .with("synchronous_standby_names", "\"no such\", other")
                .with("onceward.note", "it's a \\ path"))) {
            // Must not wait for the standby that is not there.
            String database = server.createDatabase();
            assertThat(query(server, database, "SHOW max_connections")).isEqualTo("200");
            assertThat(query(server, database, "SHOW max_prepared_transactions"))
                    .isEqualTo("7");
            assertThat(query(server, database, "SHOW synchronous_standby_names"))
                    .isEqualTo("\"no such\", other");
            assertThat(query(server, database, "SHOW onceward.note")).isEqualTo("it's a \\ path");
            assertThat(query(server, database, "SHOW fsync")).isEqualTo("on");
            assertThat(query(server, database, "SHOW autovacuum")).isEqualTo("on");
            assertThat(query(server, database, "SHOW server_encoding")).isEqualTo("UTF8");
        }
    }

    @Test
    void wrongSettingIsToldWithTheServersOwnWords() {
        assertThatThrownBy(() -> ChildPostgres.start(PostgresOptions.durable().with("max_connections", "many")))
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("max_connections")
                .hasMessageContaining("many");
    }

    @Test
    void strangersAreNotLetIn() throws SQLException {
        SQLException refused = catchThrowableOfType(
                SQLException.class,
                () -> new PostgresAddress(server.host(), server.port(), server.user(), "guess")
                        .dataSource("postgres")
                        .getConnection()
                        .close());
        assertThat(refused.getSQLState()).isEqualTo("28P01");
    }

    @Test
    void wrongOrderOfOrdersIsRefused() {
        try (ChildPostgres server = ChildPostgres.start(PostgresOptions.fast())) {
            assertThatThrownBy(server::unfreeze)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("RUNNING");
            server.kill();
            assertThatThrownBy(server::freeze)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("STOPPED");
            assertThatThrownBy(server::kill).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void closesOnce() {
        ChildPostgres server = ChildPostgres.start(PostgresOptions.fast());
        server.close();
        server.close();
        assertThat(server.isAlive()).isFalse();
        assertThatThrownBy(server::restart)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("CLOSED");
    }

    /** Root in containers, where user namespaces are mostly forbidden. */
    @Test
    @EnabledIf("isRoot")
    void runsAsNobodyForRoot() throws SQLException {
        try (ChildPostgres server = ChildPostgres.start(PostgresOptions.fast(), PostgresAccount.NOBODY)) {
            String database = server.createDatabase();
            server.kill();
            server.restart();
            assertThat(ProcessHandle.of(server.pid()).orElseThrow().info().user())
                    .hasValue("nobody");
            server.freeze();
            server.unfreeze();
            server.restart();
            assertThat(query(server, database, "SELECT 'there'")).isEqualTo("there");
        }
    }

    static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    private static String query(PostgresServer server, String database, String sql) {
        try (Connection connection = server.dataSource(database).getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            result.next();
            return result.getString(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
