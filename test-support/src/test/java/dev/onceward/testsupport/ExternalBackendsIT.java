package dev.onceward.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import org.junit.jupiter.api.Test;

/** The shared server stands in for one that runs elsewhere. */
class ExternalBackendsIT {

    private final PostgresServer server = Backends.sharedPostgres();

    @Test
    void databasesMadeOnAnExternalServerAreDroppedInTheEnd() throws Exception {
        PostgresServer external = external(server.password());
        String database = external.createDatabase();
        // A connection that a test forgot must not keep its database alive.
        try (Connection forgotten = external.dataSource(database).getConnection();
                Statement statement = forgotten.createStatement()) {
            statement.execute("CREATE TABLE there (id int)");
            assertThat(exists(database)).isTrue();
            assertThat(external.serverVersion()).isEqualTo(server.serverVersion());
            external.close();
            assertThat(exists(database)).isFalse();
        }
    }

    @Test
    void wrongPasswordIsToldWithTheServersAddress() {
        PostgresServer external = external("wrong");
        assertThatThrownBy(external::createDatabase)
                .isInstanceOf(BackendException.class)
                .hasMessageContaining(server.host() + ":" + server.port())
                .hasMessageNotContaining("wrong");
    }

    private PostgresServer external(String password) {
        Properties properties = new Properties();
        properties.setProperty(ExternalBackends.KAFKA, "127.0.0.1:9092");
        properties.setProperty(ExternalBackends.JDBC_URL, server.jdbcUrl("postgres"));
        properties.setProperty(ExternalBackends.USER, server.user());
        properties.setProperty(ExternalBackends.PASSWORD, password);
        return ExternalBackends.of(properties).postgres();
    }

    private boolean exists(String database) throws SQLException {
        try (Connection connection = server.dataSource("postgres").getConnection();
                Statement statement = connection.createStatement();
                ResultSet found =
                        statement.executeQuery("SELECT 1 FROM pg_database WHERE datname = '" + database + "'")) {
            return found.next();
        }
    }
}
