package dev.onceward.guarantees;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.onceward.config.ConfigurationException;
import dev.onceward.runtime.ConsumerRuntimeBuilder;
import dev.onceward.testsupport.PgBouncer;
import java.lang.management.ManagementFactory;
import java.util.List;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import org.apache.kafka.common.KafkaException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What no waiting mends ends the start, names the settings, and leaves nothing behind. */
class FailedStartIT {
    private static final String DATABASE =
            "onceward.database.url, onceward.database.user, onceward.database.password: ";

    private final Ledger ledger = new Ledger(1);

    @AfterEach
    void end() {
        ledger.close();
    }

    @DisabledIfSystemProperty(named = PgBouncer.PROPERTY, matches = ".+", disabledReason = Ledger.POOLER_ANSWERS)
    @Test
    void aWrongPasswordIsSaidWithTheSettingsAndNotRepeated() {
        assertThat(problemOf(ledger.consumer()
                        .database(ledger.postgres.jdbcUrl(ledger.databaseName), ledger.postgres.user(), "s3cret")))
                .startsWith(DATABASE + "the database refuses: FATAL: password authentication failed for user")
                .contains("correct the user, its password")
                .doesNotContain("s3cret");
    }

    @DisabledIfSystemProperty(named = PgBouncer.PROPERTY, matches = ".+", disabledReason = Ledger.POOLER_ANSWERS)
    @Test
    void aDatabaseThatIsNotThereIsSaidWithTheSettings() {
        assertThat(problemOf(ledger.consumer()
                        .database(
                                ledger.postgres.jdbcUrl("no_such_database"),
                                ledger.postgres.user(),
                                ledger.postgres.password())))
                .startsWith(DATABASE + "the database refuses: FATAL: database \"no_such_database\" does not exist")
                .contains("correct the database's name in the URL")
                .doesNotContain(ledger.postgres.password());
    }

    @Test
    void aRoleThatMayOnlyReadIsToldWhereItsRightsAreListed() {
        String role = "reader_" + ledger.name;
        ledger.execute("CREATE ROLE " + role + " LOGIN PASSWORD 'p'");
        ledger.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO " + role);
        try {
            assertThat(problemOf(ledger.consumer().database(ledger.postgres.jdbcUrl(ledger.databaseName), role, "p")))
                    .startsWith(DATABASE + "the database refuses: ERROR: permission denied for table consumers")
                    .contains("docs/database-roles.md");
        } finally {
            ledger.execute("DROP OWNED BY " + role);
            ledger.execute("DROP ROLE " + role); // roles are the whole server's
        }
    }

    @Test
    void aPoolOfTheTeamsIsNamedAsSuch() {
        assertThat(problemOf(ledger.consumer(ledger.postgres.dataSource("no_such_database"))))
                .startsWith("data-source: the database refuses: FATAL: database \"no_such_database\" does not exist");
    }

    /** Known to Kafka, and refused only when the client is made: by then others may have been. */
    @ParameterizedTest
    @ValueSource(strings = {"consumer", "producer"})
    void aClientThatCannotBeMadeLeavesNoOtherBehind(String client) throws MalformedObjectNameException {
        String worker = "worker_" + ledger.name;
        assertThatThrownBy(() -> ledger.start(
                        ledger.consumer().workerId(worker).kafka(client + ".metric.reporters", "no.such.Reporter"),
                        Ledger.HANDLER))
                .isInstanceOf(KafkaException.class);

        ObjectName clients = new ObjectName("kafka.*:type=app-info,id=" + worker);
        Ledger.await().untilAsserted(() -> {
            assertThat(ManagementFactory.getPlatformMBeanServer().queryNames(clients, null))
                    .isEmpty();
            assertThat(threads()).noneMatch(thread -> thread.contains(worker) || thread.contains(ledger.name));
        });
    }

    private List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream().map(Thread::getName).toList();
    }

    private String problemOf(ConsumerRuntimeBuilder builder) {
        ConfigurationException refusal =
                catchThrowableOfType(ConfigurationException.class, () -> ledger.start(builder, Ledger.HANDLER));
        assertThat(refusal.problems()).hasSize(1);
        return refusal.problems().get(0);
    }
}
