package dev.onceward.dlq.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.dlq.exit.UsageException;
import dev.onceward.dlq.output.Secrets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConnectionsTest {
    private static final String SECRET = "s3cr3t-word";

    @TempDir
    private Path directory;

    private final Secrets secrets = new Secrets();

    @Test
    void aFlagWinsOverTheEnvironmentAndThatOverTheFile() throws IOException {
        Path file = Files.writeString(directory.resolve("dlq.properties"), "schema=from_file\nconsumer=from_file\n");
        GivenSettings given =
                new GivenSettings(Map.of("DLQ_SCHEMA", "from_environment", "DLQ_CONFIG", file.toString()), null);

        assertThat(given.find(SettingNames.CONSUMER)).contains("from_file");
        assertThat(given.find(SettingNames.SCHEMA)).contains("from_environment");
        assertThat(given.flag(SettingNames.SCHEMA, "from_flag").find(SettingNames.SCHEMA))
                .contains("from_flag");
    }

    @Test
    void whatIsMissingSaysHowToGiveIt() {
        Connections connections = new Connections(new GivenSettings(Map.of(), null), secrets);

        assertThatThrownBy(connections::database)
                .isInstanceOf(UsageException.class)
                .hasMessageContainingAll("--db-url", "DLQ_DB_URL", "db-url=");
        assertThatThrownBy(connections::admin)
                .isInstanceOf(UsageException.class)
                .hasMessageContainingAll("--bootstrap-server", "DLQ_BOOTSTRAP_SERVER");
    }

    @Test
    void aFileWithAnUnknownSettingIsWrongUsage() throws IOException {
        Path file = Files.writeString(directory.resolve("dlq.properties"), "bootstrap.servers=x\n");

        assertThatThrownBy(() -> new GivenSettings(Map.of(), file))
                .isInstanceOf(UsageException.class)
                .hasMessageContainingAll("bootstrap.servers", "bootstrap-server", "--command-config");
        assertThatThrownBy(() -> new GivenSettings(Map.of(), directory.resolve("none")))
                .hasMessageContainingAll("--config", "there is no such file");
    }

    @Test
    void anAddressIsTakenApart() {
        DatabaseAddress address =
                DatabaseAddress.parse("postgres://me:p%40ss+word@db.example:5433/pay?sslmode=require&user=you");

        assertThat(address.jdbc()).isEqualTo("jdbc:postgresql://db.example:5433/pay?sslmode=require");
        assertThat(address.user()).isEqualTo("you");
        assertThat(address.password()).isEqualTo("p@ss+word");
        assertThat(address).asString().isEqualTo("postgresql://db.example:5433/pay");
        assertThatThrownBy(() -> DatabaseAddress.parse("mysql://h/d")).hasMessageContaining("postgresql://");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "postgresql://me:s3cret?word@127.0.0.1:1/d",
                "postgresql://me:1234?word@127.0.0.1:1/d",
                "jdbc:postgresql://me:s3cret:word@h@x:y/d"
            })
    void aPasswordWithSignsOfTheUrlIsRefusedAndNotRepeated(String url) {
        assertThatThrownBy(() -> DatabaseAddress.parse(url))
                .isInstanceOf(UsageException.class)
                .hasMessageContainingAll("--db-url", "%3F", "PGPASSWORD")
                .hasMessageNotContainingAny("s3cret", "1234", "word@");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "postgresql://127.0.0.1:1/d",
                "postgresql://a:1,b:2/d?targetServerType=primary",
                "postgresql://[::1]:5432/d",
                "postgresql://h/d?user=me%40corp&ApplicationName=a=b",
                "postgresql://me:a%3Fb@h",
                "postgresql:///d"
            })
    void otherAddressesAreTaken(String url) {
        assertThat(DatabaseAddress.parse(url).jdbc()).startsWith("jdbc:postgresql://");
    }

    @Test
    void thePasswordOfAKeyOnTheCommandLineIsRefusedToo() {
        GivenSettings given =
                new GivenSettings(Map.of(), null).flag(SettingNames.DB_URL, "postgresql://h/d?sslpassword=" + SECRET);

        assertThatThrownBy(() -> new Databases(given, secrets))
                .isInstanceOf(UsageException.class)
                .hasMessageNotContaining(SECRET);
        assertThat(secrets.hide(SECRET)).isEqualTo("(hidden)");
    }

    @Test
    void aPasswordOnTheCommandLineIsRefusedAndNotRepeated() {
        GivenSettings given = new GivenSettings(Map.of(), null)
                .flag(SettingNames.DB_URL, "jdbc:postgresql://h/d?user=me&password=" + SECRET);

        assertThatThrownBy(() -> new Databases(given, secrets))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("PGPASSWORD")
                .hasMessageNotContaining(SECRET);
    }

    @Test
    void F42_whatCannotBeReachedIsNamedWithoutItsPassword() {
        Map<String, String> environment = Map.of("DLQ_DB_URL", "postgresql://me:" + SECRET + "@127.0.0.1:1/d");
        Connections connections = new Connections(new GivenSettings(environment, null), secrets);

        assertThatThrownBy(connections::database)
                .isInstanceOf(CannotConnectException.class)
                .hasMessageContainingAll("postgresql://127.0.0.1:1/d", "--db-url")
                .hasMessageNotContainingAny(SECRET, "PGPASSWORD");
        assertThat(secrets.hide("x " + SECRET)).isEqualTo("x (hidden)");
    }

    @Test
    void kafkasSecretsAreLearnedFromItsFile() throws IOException {
        Path file = Files.writeString(
                directory.resolve("client.properties"),
                "sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username=\"operator\""
                        + " password=\"" + SECRET + "\";\nssl.keystore.password=other-word\ngroup.id=theirs\n"
                        + "isolation.level=read_uncommitted\ntransactional.id=theirs\n");
        GivenSettings given = new GivenSettings(Map.of(), null)
                .flag(SettingNames.BOOTSTRAP_SERVER, "k:9092")
                .flag(SettingNames.COMMAND_CONFIG, file.toString());

        KafkaProperties kafka = new KafkaProperties(given, secrets);

        assertThat(secrets.hide("operator " + SECRET + " other-word")).isEqualTo("operator (hidden) (hidden)");
        assertThat(kafka.forConsumer())
                .containsEntry("isolation.level", "read_committed")
                .doesNotContainKey("group.id");
        assertThat(kafka.forProducer()).containsEntry("acks", "all").doesNotContainKey("transactional.id");
    }

    @Test
    void theFirstAnswerIsNotWaitedForAsLongAsLaterOnesUnlessToldSo() throws IOException {
        Path file = Files.writeString(directory.resolve("slow.properties"), "default.api.timeout.ms=45000\n");
        GivenSettings given = new GivenSettings(Map.of(), null).flag(SettingNames.BOOTSTRAP_SERVER, "k:9092");

        KafkaProperties usual = new KafkaProperties(given, secrets);
        KafkaProperties slow = new KafkaProperties(given.flag(SettingNames.COMMAND_CONFIG, file.toString()), secrets);

        assertThat(usual.firstContactMillis()).isEqualTo(5_000);
        assertThat(usual.forConsumer()).containsEntry("default.api.timeout.ms", 20_000);
        assertThat(slow.firstContactMillis()).isEqualTo(45_000);
    }

    @Test
    void aUserThatWasNotGivenIsTold() {
        SQLException refused = new SQLException("password authentication failed", "28P01");
        Map<String, String> environment = Map.of("DLQ_DB_URL", "postgresql://127.0.0.1:1/d");

        assertThat(new Databases(new GivenSettings(environment, null), secrets).failure(refused))
                .hasMessageContainingAll("PGPASSWORD", "--db-user is not given", System.getProperty("user.name"));
        GivenSettings given = new GivenSettings(environment, null).flag(SettingNames.DB_USER, "operator");
        assertThat(new Databases(given, secrets).failure(refused)).hasMessageNotContaining("is not given");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "security.protocol=SASL_PLAINTEXT\\nsasl.mechanism=PLAIN\\nsasl.jaas.config=nonsense;|JAAS",
                "security.protocol=SSL\\nssl.truststore.location=/no/such/store.jks|there is no file /no/such/store.jks"
            })
    void theInnermostCauseIsTold(String properties, String cause) throws IOException {
        Path file = Files.writeString(directory.resolve("client.properties"), properties.replace("\\n", "\n"));
        GivenSettings given = new GivenSettings(Map.of(), null)
                .flag(SettingNames.BOOTSTRAP_SERVER, "127.0.0.1:1")
                .flag(SettingNames.COMMAND_CONFIG, file.toString());
        Connections connections = new Connections(given, secrets);

        assertThatThrownBy(connections::admin)
                .isInstanceOf(CannotConnectException.class)
                .hasMessageContaining(cause)
                .hasMessageNotContaining("Failed to create new");
        assertThatThrownBy(connections::newConsumer)
                .hasMessageContaining(cause)
                .hasMessageNotContaining("Failed to construct");
    }

    @Test
    void anUnresolvableBrokerIsNamed() {
        GivenSettings given =
                new GivenSettings(Map.of(), null).flag(SettingNames.BOOTSTRAP_SERVER, "no-such-host.invalid:9092");

        assertThatThrownBy(new Connections(given, secrets)::admin)
                .isInstanceOf(CannotConnectException.class)
                .hasMessageContainingAll("no-such-host.invalid:9092", "--bootstrap-server");
    }
}
