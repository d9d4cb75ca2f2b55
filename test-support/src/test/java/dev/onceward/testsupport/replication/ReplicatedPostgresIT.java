package dev.onceward.testsupport.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.testsupport.PostgresOptions;
import dev.onceward.testsupport.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class ReplicatedPostgresIT {
    private static final String WAITING = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";

    @Test
    void aCommitWaitsForTheStandbyAndSurvivesItsPromotionTwice() throws SQLException {
        try (ReplicatedPostgres servers = ReplicatedPostgres.start(PostgresOptions.fast())) {
            String database = servers.createDatabase();
            execute(servers, database, "CREATE TABLE t (n int)");
            execute(servers, database, "INSERT INTO t VALUES (1)");

            servers.standby().freeze();
            CompletableFuture<Void> commit = CompletableFuture.runAsync(() -> {
                try {
                    execute(servers, database, "INSERT INTO t VALUES (2)");
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            Awaitility.await().until(() -> number(servers, database, WAITING) == 1);
            assertThat(commit).isNotDone();
            servers.standby().unfreeze();
            assertThat(commit).succeedsWithin(Duration.ofSeconds(10));
            servers.awaitInSync();

            servers.failOver();
            assertThat(number(servers, database, "SELECT sum(n) FROM t")).isEqualTo(3);
            assertThatThrownBy(servers::standby).isInstanceOf(IllegalStateException.class);
            execute(servers, database, "INSERT INTO t VALUES (3)");
            servers.renewStandby();
            execute(servers, database, "INSERT INTO t VALUES (4)");
            servers.primary().restart();
            servers.awaitInSync();

            servers.failOver();
            assertThat(number(servers, database, "SELECT sum(n) FROM t")).isEqualTo(10);
        }
    }

    private static void execute(PostgresServer server, String database, String sql) throws SQLException {
        try (Connection connection = server.dataSource(database).getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static long number(PostgresServer server, String database, String query) throws SQLException {
        try (Connection connection = server.dataSource(database).getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }
}
