package dev.onceward.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExternalBackendsTest {

    private final Properties properties = new Properties();

    @Test
    void allThatIsMissingIsToldAtOnce() {
        assertThatThrownBy(() -> ExternalBackends.of(properties))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll(
                        "onceward.backends.kafka is missing",
                        "onceward.backends.jdbc-url is missing",
                        "onceward.backends.user is missing");
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "kafka:port", "a:1,,b:2", "a:1 b:2", "PLAINTEXT://a:1", "[::1]"})
    void brokersMustBeHostsWithPorts(String kafka) {
        complete();
        properties.setProperty(ExternalBackends.KAFKA, kafka);
        assertThatThrownBy(() -> ExternalBackends.of(properties))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("onceward.backends.kafka=" + kafka);
    }

    @ParameterizedTest
    @ValueSource(strings = {"kafka.example:9092", "a:1,b:2", "10.0.0.1:9092", "[::1]:9092"})
    void brokersMayBeSeveral(String kafka) {
        complete();
        properties.setProperty(ExternalBackends.KAFKA, kafka);
        assertThat(ExternalBackends.of(properties).kafka().bootstrapServers()).isEqualTo(kafka);
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdbc:mysql://host/db?password=secret", "host:5432", "jdbc:postgresql://a:1,b:2/db"})
    void databaseMustBePostgresAndItsUrlStaysSecret(String url) {
        complete();
        properties.setProperty(ExternalBackends.JDBC_URL, url);
        assertThatThrownBy(() -> ExternalBackends.of(properties))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("onceward.backends.jdbc-url")
                .hasMessageNotContaining("secret");
    }

    @Test
    void urlKeepsItsParametersForEachDatabase() {
        complete();
        PostgresServer server = ExternalBackends.of(properties).postgres();
        assertThat(server.jdbcUrl("other")).isEqualTo("jdbc:postgresql://db.example:6543/other?sslmode=require");
        assertThat(server.host()).isEqualTo("db.example");
        assertThat(server.port()).isEqualTo(6543);
        assertThat(server.user()).isEqualTo("tester");
        assertThat(server.password()).isEmpty();
    }

    private void complete() {
        properties.setProperty(ExternalBackends.KAFKA, "kafka.example:9092");
        properties.setProperty(ExternalBackends.JDBC_URL, "jdbc:postgresql://db.example:6543/postgres?sslmode=require");
        properties.setProperty(ExternalBackends.USER, "tester");
    }
}
