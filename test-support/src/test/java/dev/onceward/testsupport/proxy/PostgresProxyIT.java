package dev.onceward.testsupport.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.onceward.testsupport.Backends;
import dev.onceward.testsupport.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PostgresProxyIT {

    private static final String CONNECTION_FAILURE = "08";

    /** The client may learn of a cut before the one who waits for the moment does. */
    private static final Duration SOON = Duration.ofSeconds(10);

    private final PostgresServer server = Backends.sharedPostgres();
    private String database;
    private PostgresProxy proxy;

    @BeforeEach
    void start() throws SQLException {
        database = server.createDatabase();
        proxy = PostgresProxy.to(server);
        direct("CREATE TABLE effects (id text)");
    }

    @AfterEach
    void stop() {
        proxy.close();
    }

    /** All ways in which the driver sends COMMIT; prepared at the server, its text passes only the first time. */
    @ParameterizedTest
    @CsvSource({
        "'', 0",
        "'', 1",
        "'', 7",
        "prepareThreshold=0, 0",
        "prepareThreshold=0, 7",
        "prepareThreshold=1, 3",
        "preferQueryMode=simple, 0",
        "preferQueryMode=simple, 3",
        "preferQueryMode=extended, 3",
    })
    void losesTheAnswerOfACommitThatTookEffect(String parameters, int commitsBefore) throws Exception {
        try (Connection client = connect(parameters, commitsBefore)) {
            CompletableFuture<Integer> struck = proxy.loseNextCommitAnswer();
            int pid = write(client, "lost answer");
            SQLException failure = catchThrowableOfType(SQLException.class, client::commit);

            assertThat(failure.getSQLState()).startsWith(CONNECTION_FAILURE);
            assertThat(struck.get(10, TimeUnit.SECONDS)).isEqualTo(pid);
            assertThat(count("lost answer")).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'', 0",
        "'', 1",
        "'', 7",
        "prepareThreshold=0, 0",
        "prepareThreshold=0, 7",
        "prepareThreshold=1, 3",
        "preferQueryMode=simple, 0",
        "preferQueryMode=simple, 3",
        "preferQueryMode=extended, 3",
    })
    void cutsBeforeACommitThatThenTakesNoEffect(String parameters, int commitsBefore) throws Exception {
        try (Connection client = connect(parameters, commitsBefore)) {
            CompletableFuture<Integer> struck = proxy.cutBeforeNextCommit();
            int pid = write(client, "cut");
            SQLException failure = catchThrowableOfType(SQLException.class, client::commit);

            assertThat(failure.getSQLState()).startsWith(CONNECTION_FAILURE);
            assertThat(struck.get(10, TimeUnit.SECONDS)).isEqualTo(pid);
            awaitEndOf(pid);
            assertThat(count("cut")).isZero();
        }
    }

    @Test
    void strikesTheTransactionThatSentACertainValue() throws Exception {
        CompletableFuture<Integer> struck = proxy.loseNextCommitAnswer("message-17");
        try (Connection other = connect("", 3);
                Connection wanted = connect("", 3)) {
            write(other, "message-16");
            other.commit();
            write(wanted, "message-15");
            wanted.commit();
            write(wanted, "message-17");
            assertThat(struck).isNotDone();
            assertThatThrownBy(wanted::commit).isInstanceOf(SQLException.class);
            write(other, "message-18");
            other.commit();
        }
        assertThat(struck).succeedsWithin(SOON);
        assertThat(count("message-17")).isEqualTo(1);
    }

    @Test
    void forgetsWhatEarlierTransactionsSent() throws Exception {
        try (Connection client = connect("", 0)) {
            write(client, "marked");
            client.rollback();
            CompletableFuture<Integer> struck = proxy.cutBeforeNextCommit("marked");
            write(client, "another");
            client.commit();
            assertThat(struck).isNotDone();
        }
    }

    @Test
    void findsSqlOfAStatementPreparedLongAgo() throws Exception {
        try (Connection client = connect("prepareThreshold=1", 0);
                PreparedStatement insert = client.prepareStatement("INSERT INTO effects /* tagged */ VALUES ('x')")) {
            for (int i = 0; i < 5; i++) {
                insert.executeUpdate();
                client.commit();
            }
            CompletableFuture<Integer> struck = proxy.cutBeforeNextCommit("tagged");
            try (Statement statement = client.createStatement()) {
                statement.execute("SELECT 1");
                client.commit();
                assertThat(struck).isNotDone();
            }
            insert.executeUpdate();
            assertThatThrownBy(client::commit).isInstanceOf(SQLException.class);
            assertThat(struck).succeedsWithin(SOON);
        }
    }

    @Test
    void seesACommitWithinALongerText() throws Exception {
        try (Connection client = connect("preferQueryMode=simple", 0);
                Statement statement = client.createStatement()) {
            client.setAutoCommit(true);
            CompletableFuture<Integer> struck = proxy.cutBeforeNextCommit();
            assertThatThrownBy(() -> statement.execute("BEGIN; INSERT INTO effects VALUES ('longer'); COMMIT"))
                    .isInstanceOf(SQLException.class);
            awaitEndOf(struck.get(10, TimeUnit.SECONDS));
        }
        assertThat(count("longer")).isZero();
    }

    @Test
    void aCommitThatRolledBackHasNoAnswerToLose() throws Exception {
        CompletableFuture<Integer> struck = proxy.loseNextCommitAnswer();
        try (Connection client = connect("", 0);
                Statement statement = client.createStatement()) {
            assertThatThrownBy(() -> statement.execute("SELECT 1 / 0")).isInstanceOf(SQLException.class);
            client.commit(); // which the driver takes for a success
            assertThat(struck).isNotDone();
            write(client, "next");
            assertThatThrownBy(client::commit).isInstanceOf(SQLException.class);
            assertThat(struck).succeedsWithin(SOON);
        }
    }

    /** The worst kind: the answer never comes and nobody says so. */
    @Test
    void answerCanVanishWithTheConnectionOpen() throws Exception {
        CompletableFuture<Integer> struck =
                proxy.atNextCommitAnswer("", connection -> connection.drop(Direction.TO_CLIENT));
        try (Connection client = connect("", 0)) {
            write(client, "vanished");
            CompletableFuture<Void> commit = CompletableFuture.runAsync(() -> {
                try {
                    client.commit();
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            struck.get(10, TimeUnit.SECONDS);
            assertThat(count("vanished")).isEqualTo(1);
            assertThatThrownBy(() -> commit.get(300, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
            proxy.network().cutAll();
            assertThatThrownBy(() -> commit.get(10, TimeUnit.SECONDS))
                    .hasRootCauseInstanceOf(java.io.IOException.class);
        }
    }

    @Test
    void commitWaitsWhileAnActionRuns() throws Exception {
        CompletableFuture<Integer> before =
                proxy.atNextCommit("", connection -> assertThat(count("held")).isZero());
        CompletableFuture<Integer> after = proxy.atNextCommitAnswer(
                "", connection -> assertThat(count("held")).isEqualTo(1));
        try (Connection client = connect("", 0)) {
            write(client, "held");
            client.commit();
            assertThat(before.get(10, TimeUnit.SECONDS)).isEqualTo(after.get(10, TimeUnit.SECONDS));
        }
    }

    @Test
    void calledOffByResetOrCancel() throws Exception {
        CompletableFuture<Integer> reset = proxy.loseNextCommitAnswer();
        proxy.reset();
        assertThat(reset).isCancelled();
        assertThat(proxy.cutBeforeNextCommit().cancel(false)).isTrue();
        try (Connection client = connect("", 0)) {
            write(client, "peace");
            client.commit();
        }
    }

    @ParameterizedTest
    @CsvSource({"prefer", "allow", "disable"})
    void declinesEncryptionForTheServer(String sslMode) throws Exception {
        try (Connection client = DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:" + proxy.network().port() + "/" + database + "?sslmode=" + sslMode
                        + "&gssEncMode=prefer",
                server.user(),
                server.password())) {
            assertThat(client.isValid(5)).isTrue();
        }
    }

    @Test
    void passesOnLargeData() throws Exception {
        String large = "x".repeat(5 << 20);
        try (Connection client = proxy.dataSource(database).getConnection();
                PreparedStatement echo = client.prepareStatement("SELECT ?")) {
            echo.setString(1, large);
            try (ResultSet result = echo.executeQuery()) {
                result.next();
                assertThat(result.getString(1)).isEqualTo(large);
            }
        }
    }

    private Connection connect(String parameters, int commitsBefore) throws SQLException {
        Connection connection = DriverManager.getConnection(
                proxy.jdbcUrl(database) + "&" + parameters, server.user(), server.password());
        connection.setAutoCommit(false);
        for (int i = 0; i < commitsBefore; i++) {
            write(connection, "warming up");
            connection.commit();
        }
        return connection;
    }

    private static int write(Connection connection, String id) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO effects VALUES (?)");
                Statement statement = connection.createStatement();
                ResultSet pid = statement.executeQuery("SELECT pg_backend_pid()")) {
            pid.next();
            insert.setString(1, id);
            insert.executeUpdate();
            return pid.getInt(1);
        }
    }

    private int count(String id) throws SQLException {
        try (Connection connection = server.dataSource(database).getConnection();
                PreparedStatement select = connection.prepareStatement("SELECT count(*) FROM effects WHERE id = ?")) {
            select.setString(1, id);
            try (ResultSet count = select.executeQuery()) {
                count.next();
                return count.getInt(1);
            }
        }
    }

    private void awaitEndOf(int pid) {
        await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
            try (Connection connection = server.dataSource(database).getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet session = statement.executeQuery("SELECT 1 FROM pg_stat_activity WHERE pid = " + pid)) {
                assertThat(session.next()).isFalse();
            }
        });
    }

    private void direct(String sql) throws SQLException {
        try (Connection connection = server.dataSource(database).getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
