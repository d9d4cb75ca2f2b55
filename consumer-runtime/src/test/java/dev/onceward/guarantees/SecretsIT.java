package dev.onceward.guarantees;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.onceward.runtime.ConsumerRuntime;
import dev.onceward.runtime.ConsumerRuntimeBuilder;
import dev.onceward.testsupport.PgBouncer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Passwords stay where they were given: no log has them, however much is logged, and no error quotes them. */
@DisabledIfSystemProperty(named = PgBouncer.PROPERTY, matches = ".+", disabledReason = Ledger.POOLER_ANSWERS)
class SecretsIT {
    private static final String OF_DATABASE = "Secret-of-the-database";
    private static final String OF_KAFKA = "Secret-of-Kafka";
    private static final List<String> SECRETS = List.of(OF_DATABASE, OF_KAFKA);
    private static final String JAAS = "org.apache.kafka.common.security.plain.PlainLoginModule required"
            + " username=\"billing\" password=\"" + OF_KAFKA + "\";";

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void F42_aRunningWorkerLogsNoPasswordEvenInDebugMode(boolean inUrl) {
        try (Ledger ledger = new Ledger(1)) {
            String role = "role_" + ledger.name;
            String url = ledger.postgres.jdbcUrl(ledger.databaseName);
            ledger.execute("CREATE ROLE " + role + " LOGIN SUPERUSER PASSWORD '" + OF_DATABASE + "'");
            ledger.send("account-1", "m1", "10");
            ledger.send("account-1", "m2", "refused by the primary key");
            ledger.flush();
            try (DebugLog log = DebugLog.of(
                    "dev.onceward",
                    "org.apache.kafka.clients",
                    "org.apache.kafka.common",
                    "com.zaxxer.hikari",
                    "org.postgresql")) {
                ConsumerRuntime runtime = ledger.start(
                        withKafkaSecrets(ledger)
                                .database(
                                        inUrl ? url + "?ssl=false&password=" + OF_DATABASE : url,
                                        role,
                                        inUrl ? null : OF_DATABASE),
                        (message, effect) ->
                                effect.update("INSERT INTO entries (id, message_id) VALUES (1, ?)", message.id()));
                Ledger.await()
                        .untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(2));
                runtime.close();
                assertThat(log.text())
                        .as("the log says what can be said")
                        .contains("sasl.jaas.config", "jdbcUrl", role, "Connecting with URL");
                assertThat(linesWithASecret(log)).isEmpty();
            } finally {
                ledger.execute("DROP ROLE " + role); // roles are the whole server's
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://{server}/{database}?user=nobody&password=" + OF_DATABASE,
                "jdbc:postgresql://{server}/{database}?password=" + OF_DATABASE + "&socketTimeout=1",
                "jdbc:postgresql://{server}:port/{database}?password=" + OF_DATABASE,
                "jdbc:mysql://{server}/{database}?password=" + OF_DATABASE
            })
    void F42_anErrorOfStartDoesNotQuoteTheUrlsPassword(String url) {
        try (Ledger ledger = new Ledger(1);
                DebugLog log = DebugLog.of("dev.onceward", "com.zaxxer.hikari")) {
            String to = url.replace("{server}", ledger.postgres.host() + ":" + ledger.postgres.port())
                    .replace("{database}", ledger.databaseName);
            assertSilent(
                    catchThrowable(() -> ledger.start(ledger.consumer().database(to, null, null), Ledger.HANDLER)),
                    log);
        }
    }

    @Test
    void F42_anErrorOfStartDoesNotQuoteThePasswordThatTheDatabaseRefused() {
        try (Ledger ledger = new Ledger(1);
                DebugLog log = DebugLog.of("dev.onceward", "com.zaxxer.hikari")) {
            String url = ledger.postgres.jdbcUrl(ledger.databaseName);
            assertSilent(
                    catchThrowable(() -> ledger.start(
                            ledger.consumer().database(url, ledger.postgres.user(), OF_DATABASE), Ledger.HANDLER)),
                    log);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // Without its end, without a value, as somebody types it.
                "org.apache.kafka.common.security.plain.PlainLoginModule required password=\"" + OF_KAFKA + "\"",
                "org.apache.kafka.common.security.plain.PlainLoginModule needed password=\"" + OF_KAFKA + "\";",
                "username=\"billing\" password=" + OF_KAFKA,
                "no.such.LoginModule required password=\"" + OF_KAFKA + "\";"
            })
    void F42_anErrorOfStartDoesNotQuoteTheJaasConfiguration(String jaas) {
        try (Ledger ledger = new Ledger(1);
                DebugLog log = DebugLog.of("dev.onceward", "org.apache.kafka.clients")) {
            assertSilent(
                    catchThrowable(() -> ledger.start(
                            ledger.consumer()
                                    .kafka("security.protocol", "SASL_PLAINTEXT")
                                    .kafka("sasl.mechanism", "PLAIN")
                                    .kafka("sasl.jaas.config", jaas),
                            Ledger.HANDLER)),
                    log);
        }
    }

    private static ConsumerRuntimeBuilder withKafkaSecrets(Ledger ledger) {
        return ledger.consumer()
                .kafka("sasl.jaas.config", JAAS)
                .kafka("consumer.ssl.key.password", OF_KAFKA)
                .kafka("producer.ssl.truststore.password", OF_KAFKA)
                .kafka("admin.ssl.keystore.password", OF_KAFKA);
    }

    private static void assertSilent(Throwable failure, DebugLog log) {
        assertThat(failure).isNotNull();
        StringWriter trace = new StringWriter();
        failure.printStackTrace(new PrintWriter(trace, true));
        assertThat(trace.toString()).doesNotContain(SECRETS);
        assertThat(linesWithASecret(log)).isEmpty();
    }

    private static List<String> linesWithASecret(DebugLog log) {
        return log.lines().stream()
                .filter(line -> SECRETS.stream().anyMatch(line::contains))
                .toList();
    }
}
