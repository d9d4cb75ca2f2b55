package dev.onceward.dlq.index;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.migrations.Migrations;
import dev.onceward.postgres.Tables;
import dev.onceward.testsupport.Backends;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.assertj.core.api.AbstractStringAssert;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * As after years: nearly all dead letters are resolved, and claims are many. Nothing that an operator asks often may read
 * whole tables, whatever the planner thinks of them.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS) // filled once, and only read
@Timeout(value = 2, unit = TimeUnit.MINUTES)
@SuppressWarnings("NullAway.Init") // all is there before the first test
class PlansIT {
    private static final String CONSUMER = "billing";
    private static final Set<DeadLetterStatus> UNFINISHED =
            EnumSet.of(DeadLetterStatus.PENDING, DeadLetterStatus.DEAD, DeadLetterStatus.REPLAYED);
    private static final Set<DeadLetterStatus> ALL = EnumSet.allOf(DeadLetterStatus.class);

    private Connection connection;
    private ExplainingConnection explaining;
    private DeadLetterIndex index;

    @BeforeAll
    void fill() throws SQLException {
        DataSource dataSource = Backends.shared()
                .postgres()
                .dataSource(Backends.shared().postgres().createDatabase());
        Migrations.apply(dataSource, "public");
        connection = dataSource.getConnection();
        try (Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO consumers (consumer_name, group_id) VALUES ('billing', 'billing'),"
                    + " ('shipping', 'shipping')");
            statement.execute("INSERT INTO dead_letters (consumer_name, topic, partition, record_offset, topic_id,"
                    + " record_timestamp, payload_hash, origin_topic, origin_partition, origin_offset,"
                    + " origin_timestamp, message_id, record_key, status, dlt_topic, dlt_partition, dlt_offset, reason,"
                    + " error_class, error_message, error_stacktrace, attempts, first_failed_at, failed_at, dead_at,"
                    + " worker_id, generation)"
                    + " SELECT CASE n % 5 WHEN 0 THEN 'shipping' ELSE 'billing' END, 'payments', n % 4, n,"
                    + " 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid, 1, n, 'payments', n % 4, n, 1, 'm' || n,"
                    + " convert_to('account-' || n % 1000, 'UTF8'),"
                    + " CASE WHEN n % 10 IN (3, 5) AND n % 20 < 10 THEN 'DEAD' ELSE 'RESOLVED' END, 'dlq', n % 4, n,"
                    + " 'PERMANENT', 'java.lang.Exception', repeat('no ', 30), repeat('at Handler.java:17 ', 40), 1,"
                    + " now() - n * interval '1 second', now() - n * interval '1 second',"
                    + " now() - n * interval '1 second', 'w', 1 FROM generate_series(1, 50000) AS n");
            statement.execute("INSERT INTO processed_messages (consumer_name, message_id, payload_hash, fence_key,"
                    + " source_offset, generation) SELECT consumer_name, message_id, payload_hash, 1, record_offset, 1"
                    + " FROM dead_letters WHERE status = 'RESOLVED'");
            statement.execute("INSERT INTO processed_messages (consumer_name, message_id, payload_hash, fence_key,"
                    + " source_offset, generation) SELECT 'billing', 'p' || n, n, 1, n, 1"
                    + " FROM generate_series(1, 50000) AS n");
            statement.execute("VACUUM ANALYZE");
        }
        explaining = new ExplainingConnection(connection);
        index = new DeadLetterIndex(explaining.connection(), new Tables("public"));
    }

    @AfterAll
    void close() throws SQLException {
        connection.close();
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = CONSUMER)
    void showsOneByItsName(@Nullable String consumer) throws SQLException {
        assertThat(list(named(consumer, "payments/1/41"), 21))
                .singleElement()
                .satisfies(letter -> assertThat(letter.messageId()).isEqualTo("m41"));

        assertThatThePlan().contains("dead_letters_by_origin", "dead_letters_by_message");
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = CONSUMER)
    void showsOneByItsMessageId(@Nullable String consumer) throws SQLException {
        assertThat(list(named(consumer, "m41"), 21))
                .singleElement()
                .satisfies(letter -> assertThat(letter.name()).isEqualTo("payments/1/41"));

        assertThatThePlan().contains("dead_letters_by_message");
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = CONSUMER)
    void listsTheNewestAsTheIndexHasThem(@Nullable String consumer) throws SQLException {
        assertThat(list(Filter.all(consumer, UNFINISHED), 4))
                .extracting(Letter::messageId)
                .containsExactlyElementsOf(
                        consumer == null ? List.of("m3", "m5", "m23", "m25") : List.of("m3", "m23", "m43", "m63"));

        assertThatThePlan()
                .contains("Index Scan Backward using dead_letters_open on")
                .contains("Presorted Key: d.dead_at");
    }

    @Test
    void countsWhatIsNotDoneWith() throws SQLException {
        assertThat(index.stats(Filter.all(null, UNFINISHED), List.of(Stats.By.REASON, Stats.By.TOPIC, Stats.By.HOUR)))
                .hasSize(3)
                .allSatisfy((kind, groups) -> assertThat(
                                groups.stream().mapToLong(Stats.Group::count).sum())
                        .isEqualTo(5_000));
        assertThatThePlan().contains("dead_letters_open");

        assertThat(index.byPartition(Filter.all(CONSUMER, UNFINISHED)).stream().mapToLong(Stats.OfPartition::count))
                .containsExactlyInAnyOrder(2_500L);
        assertThatThePlan().contains("dead_letters_open");

        assertThat(index.count(Filter.all(CONSUMER, UNFINISHED), Instant.now())).isEqualTo(2_500);
        assertThatThePlan().contains("dead_letters_open");
    }

    @Test
    void goesThroughThePagesOfAReplay() throws SQLException {
        Filter dead = Filter.all(CONSUMER, List.of(DeadLetterStatus.DEAD));
        List<Letter> first = index.page(dead, Instant.now(), null, 500);
        assertThat(first).hasSize(500);
        assertThatThePlan()
                .contains("Index Scan using dead_letters_open_by_origin")
                .contains("Presorted Key: d.origin_topic, d.origin_partition, d.origin_offset");

        assertThat(index.page(dead, Instant.now(), first.get(499), 500)).hasSize(500);
        assertThatThePlan()
                .contains("Index Scan using dead_letters_open_by_origin")
                .containsPattern("Index Cond: .*ROW\\(");
    }

    @Test
    void goesThroughThePagesOfAnExportOfEverything() throws SQLException {
        List<Letter> first = index.page(Filter.all(CONSUMER, ALL), Instant.now(), null, 500);
        assertThat(first).hasSize(500);
        assertThatThePlan().contains("Index Scan using dead_letters_by_origin");
    }

    @Test
    void findsWhatALetterIsNow() throws SQLException {
        Letter letter = list(named(CONSUMER, "m43"), 1).get(0);
        explaining.plans();

        assertThat(index.latest(letter)).isPresent();
        assertThatThePlan().contains("dead_letters_by_origin");
        assertThat(index.stacktrace(letter)).isNotEmpty();
        assertThatThePlan().contains("dead_letters_pkey");
    }

    // ---- helpers ----

    private List<Letter> list(Filter filter, long limit) throws SQLException {
        List<Letter> letters = new ArrayList<>();
        index.list(filter, limit, letters::add);
        return letters;
    }

    private static Filter named(@Nullable String consumer, String id) {
        return new Filter(consumer, List.of(id), List.of(), List.of(), List.of(), null, null, null, ALL);
    }

    /** Of the only query since it was last asked for. */
    private AbstractStringAssert<?> assertThatThePlan() {
        List<String> plans = explaining.plans();
        assertThat(plans).hasSize(1);
        return assertThat(plans.get(0))
                .doesNotContain("Seq Scan on dead_letters", "Seq Scan on processed_messages", "hashed SubPlan");
    }
}
