package dev.onceward.migrations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 2, unit = TimeUnit.MINUTES)
class MigrationsIT {
    private static final String[] TABLES = {
        "consumer_workers",
        "consumers",
        "dead_letters",
        "dlq_actions",
        "message_attempts",
        "onceward_schema_history",
        "partition_generations",
        "processed_messages"
    };
    private static final int WORKERS = 5;

    private final TestDatabase database = TestDatabase.create();

    @Test
    void createsTheSchemaAndItsTables() {
        assertThat(Migrations.apply(database.asSuperuser(), "onceward")).isEqualTo(SchemaVersion.REQUIRED);

        assertThat(tables("onceward")).containsExactly(TABLES);
        assertThatCode(() -> Migrations.verify(database.asSuperuser(), "onceward"))
                .doesNotThrowAnyException();
    }

    @Test
    void findsNothingToDoTheSecondTime() {
        Migrations.apply(database.asSuperuser(), "onceward");

        assertThat(Migrations.apply(database.asSuperuser(), "onceward")).isZero();
    }

    @Test
    void quotesANameThatIsAKeyWord() {
        assertThat(Migrations.apply(database.asSuperuser(), "user")).isEqualTo(SchemaVersion.REQUIRED);

        assertThat(tables("user")).containsExactly(TABLES);
    }

    @Test
    void keepsTwoSchemasOfOneDatabaseApart() {
        Migrations.apply(database.asSuperuser(), "billing");

        assertThatThrownBy(() -> Migrations.verify(database.asSuperuser(), "shipping"))
                .isInstanceOf(SchemaVersionException.class);
        assertThat(Migrations.apply(database.asSuperuser(), "shipping")).isEqualTo(SchemaVersion.REQUIRED);
        assertThat(tables("shipping")).isEqualTo(tables("billing"));
    }

    @RepeatedTest(8)
    void fiveWorkersThatMigrateAnEmptyDatabaseAtOnceEndWithOneSchema() throws Exception {
        assertThat(applyAtOnce("onceward")).containsExactly(0, 0, 0, 0, SchemaVersion.REQUIRED);

        assertThat(tables("onceward")).containsExactly(TABLES);
        assertThat(history("onceward")).containsExactly("1", "2", "3");
    }

    @RepeatedTest(4)
    void fiveWorkersMayDoSoBesideTheTablesOfTheService() throws Exception {
        database.execute("CREATE TABLE public.accounts (id int PRIMARY KEY)");

        assertThat(applyAtOnce("public")).containsExactly(0, 0, 0, 0, SchemaVersion.REQUIRED);

        assertThat(tables("public")).contains(TABLES).contains("accounts");
        assertThat(history("public")).containsExactly("0", "1", "2", "3");
        assertThatCode(() -> Migrations.verify(database.asSuperuser(), "public"))
                .doesNotThrowAnyException();
    }

    @Test
    void leavesNothingBehindWhenAMigrationFails() {
        database.execute("CREATE TABLE public.dead_letters (mine int)");

        assertThatThrownBy(() -> Migrations.apply(database.asSuperuser(), "public"))
                .isInstanceOf(MigrationException.class)
                .hasMessageContaining("public")
                .hasMessageContaining("\"dead_letters\" already exists");
        assertThat(tables("public")).containsExactly("dead_letters", "onceward_schema_history");

        database.execute("ALTER TABLE public.dead_letters RENAME TO my_letters");
        assertThat(Migrations.apply(database.asSuperuser(), "public")).isEqualTo(SchemaVersion.REQUIRED);
    }

    @Test
    void refusesASchemaThatANewerVersionHasMigrated() {
        Migrations.apply(database.asSuperuser(), "onceward");
        database.execute("INSERT INTO onceward.onceward_schema_history (installed_rank, version, description, type,"
                + " script, installed_by, execution_time, success)"
                + " VALUES (99, '99', 'of the future', 'SQL', 'V99__of_the_future.sql', 'x', 1, true)");

        assertThatThrownBy(() -> Migrations.apply(database.asSuperuser(), "onceward"))
                .isInstanceOfSatisfying(
                        SchemaVersionException.class,
                        e -> assertThat(e.problem()).isEqualTo(SchemaVersionException.Problem.TOO_NEW));
    }

    @Test
    void getsAlongWithThreeConnections() {
        String role = "migrator_" + database.name();
        database.execute("CREATE ROLE " + role + " LOGIN CONNECTION LIMIT 3");
        database.execute("GRANT CREATE ON DATABASE " + database.name() + " TO " + role);

        assertThat(Migrations.apply(database.as(role), "onceward")).isEqualTo(SchemaVersion.REQUIRED);
    }

    @Test
    void saysThatTheDatabaseCannotBeReached() {
        var nobody = database.asSuperuser();
        nobody.setPortNumbers(new int[] {1});

        assertThatThrownBy(() -> Migrations.apply(nobody, "onceward"))
                .isInstanceOf(MigrationException.class)
                .hasMessageContaining("Migrating schema \"onceward\" failed")
                .hasMessageContaining("refused");
    }

    /** What the calls returned, sorted; each on a thread of its own, started together. */
    private List<Integer> applyAtOnce(String schema) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(WORKERS);
        try {
            CyclicBarrier start = new CyclicBarrier(WORKERS);
            Callable<Integer> worker = () -> {
                start.await(1, TimeUnit.MINUTES);
                return Migrations.apply(database.asSuperuser(), schema);
            };
            List<Integer> applied = new ArrayList<>();
            for (Future<Integer> result : threads.invokeAll(Collections.nCopies(WORKERS, worker))) {
                applied.add(result.get());
            }
            Collections.sort(applied);
            return applied;
        } finally {
            threads.shutdownNow();
        }
    }

    private List<String> tables(String schema) {
        return database.query(
                "SELECT tablename FROM pg_tables WHERE schemaname = '" + schema + "' ORDER BY tablename COLLATE \"C\"");
    }

    private List<String> history(String schema) {
        return database.query(
                "SELECT version FROM \"" + schema + "\".onceward_schema_history WHERE success ORDER BY installed_rank");
    }
}
