package dev.onceward.guarantees;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.onceward.config.ConfigurationException;
import dev.onceward.migrations.SchemaVersion;
import dev.onceward.migrations.SchemaVersionException;
import dev.onceward.migrations.SchemaVersionException.Problem;
import dev.onceward.runtime.ConsumerRuntimeBuilder;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import javax.sql.DataSource;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A database in which the guarantees would not hold is refused at start, with what to do; nothing has run then. */
class StartChecksIT {
    private Ledger ledger;

    @BeforeEach
    void begin() {
        ledger = new Ledger(1);
        ledger.send("account-1", "m1", "10");
        ledger.flush();
    }

    @AfterEach
    void end() {
        ledger.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"off", "local"})
    void commitsThatAFailoverCanLoseAreRefusedUnlessTheTeamAcceptsThat(String synchronousCommit) {
        setForDatabase("synchronous_commit", synchronousCommit);

        assertRefused(ledger.consumer())
                .hasMessageContaining("onceward.allow-asynchronous-commit: synchronous_commit is " + synchronousCommit)
                .hasMessageContaining(
                        "set it to on for this role or database, or accept the loss by setting this to true");
        assertStarts(ledger.consumer().allowAsynchronousCommit());
    }

    @Test
    void aSecondGroupUnderTheNameOfAConsumerIsRefused() {
        assertStarts(ledger.consumer());

        assertThatThrownBy(() -> ledger.start(ledger.consumer().groupId("another-group"), Ledger.HANDLER))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("onceward.group-id: the consumer " + ledger.name + " belongs to the group "
                        + ledger.name + ", not another-group")
                .hasMessageContaining(
                        "Use that group, another consumer name, or change its row in the table consumers");
        assertThat(ledger.texts("SELECT group_id FROM consumers")).containsExactly(ledger.name);

        // What the message tells to do helps.
        ledger.execute("UPDATE consumers SET group_id = 'another-group'");
        assertRefused(ledger.consumer()).hasMessageContaining("belongs to the group another-group");
        ledger.start(ledger.consumer().groupId("another-group"), Ledger.HANDLER);
    }

    @Test
    void aSchemaThatIsNotThereIsRefusedWithWhatToRun() {
        SchemaVersionException refusal = catchThrowableOfType(
                SchemaVersionException.class,
                () -> ledger.start(ledger.consumer().schema("once"), Ledger.HANDLER));

        assertThat(refusal.problem()).isEqualTo(Problem.SCHEMA_MISSING);
        assertThat(refusal)
                .hasMessageContaining("Schema \"once\"")
                .hasMessageContaining("it does not exist")
                .hasMessageContaining("Migrations.apply(dataSource, \"once\")")
                .hasMessageContaining("--schema once");
        assertNothingRan();
    }

    @Test
    void aSchemaWithoutTheTablesIsRefusedWithWhatToRun() {
        ledger.execute("CREATE SCHEMA once");
        SchemaVersionException refusal = catchThrowableOfType(
                SchemaVersionException.class,
                () -> ledger.start(ledger.consumer().schema("once"), Ledger.HANDLER));

        assertThat(refusal.problem()).isEqualTo(Problem.TABLES_MISSING);
        assertThat(refusal).hasMessageContaining("Migrations.apply(dataSource, \"once\")");
        assertNothingRan();
    }

    @Test
    void aSchemaNewerThanTheRuntimeIsRefusedWithWhatToRun() {
        int newer = SchemaVersion.REQUIRED + 1;
        ledger.execute("UPDATE onceward_schema_history SET version = '" + newer + "' WHERE version = '"
                + SchemaVersion.REQUIRED + "'");
        SchemaVersionException refusal =
                catchThrowableOfType(SchemaVersionException.class, () -> ledger.start(Ledger.HANDLER));

        assertThat(refusal.problem()).isEqualTo(Problem.TOO_NEW);
        assertThat(refusal).hasMessageContaining("is at version " + newer + ", migrated by a newer Onceward");
        assertNothingRan();
    }

    @ParameterizedTest
    @ValueSource(strings = {"repeatable read", "serializable", "read uncommitted"})
    void anotherIsolationLevelThanReadCommittedIsRefused(String level) {
        setForDatabase("default_transaction_isolation", level);

        assertRefused(ledger.consumer())
                .hasMessageContaining("database: the default isolation level is " + level)
                .hasMessageContaining(
                        "it must be read committed: set default_transaction_isolation for this role or pool");
    }

    @Test
    void theIsolationLevelOfTheRoleCountsAndThatOfThePoolOverrulesIt() {
        String role = "role_" + ledger.name;
        ledger.execute("CREATE ROLE " + role + " LOGIN PASSWORD 'p' SUPERUSER");
        ledger.execute("ALTER ROLE " + role + " SET default_transaction_isolation = 'serializable'");
        String url = ledger.postgres.jdbcUrl(ledger.databaseName);
        try {
            assertRefused(ledger.consumer().database(url, role, "p"))
                    .hasMessageContaining("the default isolation level is serializable");

            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(url);
            config.setUsername(role);
            config.setPassword("p");
            config.setMaximumPoolSize(8);
            config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
            try (HikariDataSource pool = new HikariDataSource(config)) {
                assertStarts(ledger.consumer(pool));
                ledger.close();
            }
        } finally {
            ledger.execute("DROP ROLE " + role); // roles are the whole server's
        }
    }

    @Test
    void stringsInWhichABackslashEscapesAreRefused() {
        setForDatabase("standard_conforming_strings", "off");

        assertRefused(ledger.consumer()).hasMessageContaining("database: standard_conforming_strings must be on");
    }

    @Test
    void everythingThatIsWrongIsSaidAtOnce() {
        setForDatabase("synchronous_commit", "off");
        setForDatabase("default_transaction_isolation", "serializable");
        ledger.execute("INSERT INTO consumers (consumer_name, group_id) VALUES ('" + ledger.name + "', 'other')");

        ConfigurationException refusal =
                catchThrowableOfType(ConfigurationException.class, () -> ledger.start(Ledger.HANDLER));
        assertThat(refusal.problems()).hasSize(3);
    }

    @Test
    void connectionsThatHideThoseOfTheDriverAreRefused() {
        assertRefused(ledger.consumer(hiding(ledger.dataSource)))
                .hasMessageContaining("data-source: its connections do not unwrap to the PostgreSQL driver's")
                .hasMessageContaining("give a pool that supports java.sql.Wrapper, as HikariCP does");
    }

    private AbstractThrowableAssert<?, ?> assertRefused(ConsumerRuntimeBuilder builder) {
        var refusal = assertThatThrownBy(() -> ledger.start(builder, Ledger.HANDLER))
                .isInstanceOf(ConfigurationException.class);
        return refusal;
    }

    private void assertStarts(ConsumerRuntimeBuilder builder) {
        assertNothingRan();
        ledger.start(builder, Ledger.HANDLER);
        Ledger.await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(1));
        assertThat(ledger.entries()).isEqualTo(1);
    }

    private void assertNothingRan() {
        assertThat(ledger.entries()).isZero();
        assertThat(ledger.count("SELECT count(*) FROM consumer_workers")).isZero();
        assertThat(ledger.count("SELECT count(*) FROM partition_generations")).isZero();
    }

    private void setForDatabase(String setting, String value) {
        ledger.execute("ALTER DATABASE " + ledger.databaseName + " SET " + setting + " = '" + value + "'");
    }

    /** As a pool, or a tool that watches it, that puts its own connections before the driver's and lets nobody through. */
    private static DataSource hiding(DataSource behind) {
        return (DataSource) Proxy.newProxyInstance(
                StartChecksIT.class.getClassLoader(), new Class<?>[] {DataSource.class}, (self, method, arguments) -> {
                    Object result = invoke(behind, method, arguments);
                    return result instanceof Connection connection ? hiding(connection) : result;
                });
    }

    private static Connection hiding(Connection behind) {
        return (Connection) Proxy.newProxyInstance(
                StartChecksIT.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                    if (method.getName().equals("isWrapperFor")) {
                        return false;
                    }
                    return invoke(behind, method, arguments);
                });
    }

    private static Object invoke(Object behind, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(behind, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
