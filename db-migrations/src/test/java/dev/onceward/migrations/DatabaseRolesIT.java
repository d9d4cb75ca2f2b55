package dev.onceward.migrations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs the statements of docs/database-roles.md, then tries what each role can do. */
@Timeout(value = 1, unit = TimeUnit.MINUTES)
class DatabaseRolesIT {
    private static final Path PAGE = Path.of("../docs/database-roles.md");
    private static final Pattern SQL_BLOCK = Pattern.compile("```sql\n(.*?)```", Pattern.DOTALL);

    private final TestDatabase database = TestDatabase.create();
    /** Roles belong to the server, not to the database: each test needs names of its own. */
    private final String migrator = "migrator_" + database.name();

    private final String runtime = "runtime_" + database.name();

    private final String operator = "operator_" + database.name();

    @BeforeEach
    void setUpAsThePageSays() throws Exception {
        List<String> blocks = sqlOfThePage();
        assertThat(blocks).hasSize(4);
        database.execute(blocks.get(0));
        Migrations.apply(database.as(migrator), "onceward");
        execute(database.as(migrator), blocks.get(1));
        database.execute(blocks.get(2));
        execute(database.as(migrator), blocks.get(3));
    }

    @Test
    void theRuntimeMayVerifyTheTables() {
        assertThatCode(() -> SchemaVersion.verify(database.as(runtime), "onceward"))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO onceward.consumers (consumer_name, group_id) VALUES ('c', 'g')",
                "INSERT INTO onceward.processed_messages (consumer_name, message_id, payload_hash, fence_key,"
                        + " source_offset, generation) VALUES ('c', 'm', 1, 1, 1, 1) ON CONFLICT DO NOTHING",
                "INSERT INTO onceward.partition_generations (consumer_name, topic, partition, topic_id)"
                        + " VALUES ('c', 't', 0, gen_random_uuid())",
                "INSERT INTO onceward.consumer_workers VALUES ('c', 'w', 'g', 'h', '1', now(), now(), '10 s')",
                "INSERT INTO onceward.message_attempts VALUES ('c', 't', 0, 1, gen_random_uuid(), 1, 1, 'm', 1, now(),"
                        + " now(), now(), 'e')",
                "INSERT INTO onceward.dead_letters (consumer_name, topic, partition, record_offset, topic_id,"
                        + " record_timestamp, payload_hash, origin_topic, origin_partition, origin_offset,"
                        + " origin_timestamp, status, reason, error_class, error_message, error_stacktrace, attempts,"
                        + " first_failed_at, failed_at, worker_id, generation) VALUES ('c', 't', 0, 1,"
                        + " gen_random_uuid(), 1, 1, 't', 0, 1, 1, 'PENDING', 'POISON', 'e', 'e', 'e', 1, now(), now(),"
                        + " 'w', 1)"
            })
    void theRuntimeMayInsertSelectUpdateAndDelete(String insert) throws SQLException {
        String table = insert.split(" ", 4)[2];
        execute(database.as(runtime), insert);
        execute(database.as(runtime), "SELECT * FROM " + table + " FOR UPDATE SKIP LOCKED");
        execute(database.as(runtime), "UPDATE " + table + " SET consumer_name = 'd'");
        execute(database.as(runtime), "DELETE FROM " + table);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT pg_advisory_xact_lock_shared(1, 2), pg_try_advisory_xact_lock(1, 3)",
                "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted",
                "SELECT set_config('statement_timeout', '1000', true), set_config('onceward.generation', '1', true)",
                "SELECT pg_logical_emit_message(true, 'onceward', '')",
                "SELECT pg_current_xact_id_if_assigned()"
            })
    void theRuntimeMayUseWhatFencingNeeds(String statement) throws SQLException {
        execute(database.as(runtime), statement);
    }

    @Test
    void theRuntimeMayEndTheBackendsOfItsOwnRole() throws SQLException {
        try (Connection victim = database.as(runtime).getConnection();
                Connection own = database.as(runtime).getConnection();
                Statement end = own.createStatement();
                // Waits for the end, up to its 5 s.
                ResultSet ended = end.executeQuery("SELECT pg_terminate_backend(" + backend(victim) + ", 5000)")) {
            assertThat(ended.next()).isTrue();
            assertThat(ended.getBoolean(1)).isTrue();
            assertThatThrownBy(() -> backend(victim))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("57P01"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE TABLE onceward.mine (a int)",
                "ALTER TABLE onceward.consumers ADD COLUMN mine int",
                "DROP TABLE onceward.consumers",
                "TRUNCATE onceward.processed_messages",
                "CREATE INDEX ON onceward.dead_letters (status)",
                "DROP SCHEMA onceward CASCADE",
                "CREATE SCHEMA mine",
                "DELETE FROM onceward.onceward_schema_history",
                "UPDATE onceward.onceward_schema_history SET version = '2'"
            })
    void theRuntimeMayNotChangeTheTablesThemselves(String statement) {
        assertThatThrownBy(() -> execute(database.as(runtime), statement))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("42501"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT * FROM onceward.processed_messages",
                "SELECT * FROM onceward.onceward_schema_history",
                "UPDATE onceward.dead_letters SET status = 'DISCARDED', discarded_by = 'me' WHERE status = 'DEAD'",
                "UPDATE onceward.partition_generations SET generation = generation + 1",
                "INSERT INTO onceward.dlq_actions (actor, host, consumer_name, command, filter)"
                        + " VALUES ('me', 'h', 'c', 'replay', '')",
                "UPDATE onceward.dlq_actions SET outcome = 'DONE'",
                "UPDATE onceward.message_attempts SET last_error = '(erased)' WHERE message_id = 'm'",
                "INSERT INTO onceward.dead_letters (consumer_name, topic, partition, record_offset, topic_id,"
                        + " record_timestamp, payload_hash, origin_topic, origin_partition, origin_offset,"
                        + " origin_timestamp, status, dlt_topic, dlt_partition, dlt_offset, reason, error_class,"
                        + " error_message, error_stacktrace, attempts, first_failed_at, failed_at, worker_id,"
                        + " generation) VALUES ('c', 'imported', 0, 1, gen_random_uuid(), 1, 1, 't', 0, 1, 1, 'DEAD',"
                        + " 'd', 0, 1, 'TOO_OLD', 'e', 'e', 'e', 1, now(), now(), 'w', 1) ON CONFLICT DO NOTHING"
                        + " RETURNING reason",
                "SELECT pg_try_advisory_xact_lock(1, 3)"
            })
    void anOperatorMayDoWhatTheCommandDoes(String statement) throws SQLException {
        execute(database.as(operator), statement);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "DELETE FROM onceward.dead_letters",
                "DELETE FROM onceward.dlq_actions",
                "DELETE FROM onceward.processed_messages",
                "INSERT INTO onceward.processed_messages VALUES ('c', 'm', now(), 1, 1, 1, 1)",
                "UPDATE onceward.message_attempts SET attempts = 0",
                "UPDATE onceward.consumers SET group_id = 'other'"
            })
    void anOperatorMayTakeNothingAwayAndInventNoClaim(String statement) {
        assertThatThrownBy(() -> execute(database.as(operator), statement))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("42501"));
    }

    @Test
    void theRuntimeMayUseTablesOfLaterMigrationsToo() throws SQLException {
        execute(database.as(migrator), "CREATE TABLE onceward.of_a_later_version (a int)");

        execute(database.as(runtime), "INSERT INTO onceward.of_a_later_version VALUES (1)");
    }

    @Test
    void theRuntimeIsToldWhichRoleToMigrateWith() {
        database.execute("CREATE DATABASE " + database.name() + "_empty");
        DataSource empty = new TestDatabase(database.name() + "_empty").as(runtime);

        assertThatThrownBy(() -> Migrations.apply(empty, "onceward"))
                .isInstanceOf(MigrationException.class)
                .hasMessageContaining("permission denied");
    }

    private List<String> sqlOfThePage() throws IOException {
        String page = Files.readString(PAGE)
                .replace("onceward_migrator", migrator)
                .replace("onceward_runtime", runtime)
                .replace("onceward_operator", operator);
        return SQL_BLOCK.matcher(page).results().map(block -> block.group(1)).toList();
    }

    private static int backend(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
            row.next();
            return row.getInt(1);
        }
    }

    private static void execute(DataSource dataSource, String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
