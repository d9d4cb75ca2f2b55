package dev.onceward.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Only on request: pulls an image where none is at hand. */
@EnabledIfSystemProperty(named = BackendsMode.PROPERTY, matches = "containers")
class ContainerPostgresIT {

    @Test
    void livesThroughKillStopAndFreezeWithItsDataAndPort() throws Exception {
        try (ContainerPostgres server = ContainerPostgres.start(PostgresOptions.durable())) {
            String database = server.createDatabase();
            execute(server, database, "CREATE TABLE kept (id int)");
            execute(server, database, "INSERT INTO kept VALUES (1)");
            assertThat(server.pid()).isPositive();

            server.kill();
            assertThat(server.isAlive()).isFalse();
            server.restart();
            execute(server, database, "INSERT INTO kept VALUES (2)");
            server.restart();
            execute(server, database, "INSERT INTO kept VALUES (3)");

            try (Connection connection = server.dataSource(database).getConnection();
                    Statement statement = connection.createStatement()) {
                server.freeze();
                CompletableFuture<String> ids = CompletableFuture.supplyAsync(() -> {
                    try (ResultSet result =
                            statement.executeQuery("SELECT string_agg(id::text, ',' ORDER BY id) FROM kept")) {
                        result.next();
                        return result.getString(1);
                    } catch (SQLException e) {
                        throw new IllegalStateException(e);
                    }
                });
                assertThatThrownBy(() -> ids.get(300, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
                server.unfreeze();
                assertThat(ids.get(10, TimeUnit.SECONDS)).isEqualTo("1,2,3");
            }
        }
    }

    private static void execute(PostgresServer server, String database, String sql) throws SQLException {
        try (Connection connection = server.dataSource(database).getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
