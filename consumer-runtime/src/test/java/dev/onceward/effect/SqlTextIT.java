package dev.onceward.effect;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/** The server has the last word on what ends a transaction. */
class SqlTextIT {
    private static TestDatabase database;

    @BeforeAll
    static void createProbe() {
        // EXECUTE splits a text with the server's own lexer and refuses transaction control with 0A000.
        database = new TestDatabase("""
                CREATE FUNCTION outcome(sql text) RETURNS text LANGUAGE plpgsql AS $probe$
                BEGIN
                  EXECUTE sql;
                  RETURN 'done';
                EXCEPTION WHEN OTHERS THEN
                  RETURN SQLSTATE;
                END $probe$""");
    }

    /** Texts as they are, and texts with a piece cut out or put in, which moves every quote behind it. */
    @Test
    void agreesWithTheServersLexer() throws SQLException {
        int controlled = 0;
        int harmless = 0;
        try (Connection connection = database.inTransaction();
                PreparedStatement probe = connection.prepareStatement("SELECT outcome(?)")) {
            for (long seed = 0; seed < 12_000; seed++) {
                SplittableRandom random = new SplittableRandom(seed);
                String sql = new HostileSql(random).text();
                sql = seed % 2 == 0 ? sql : damaged(sql, random);
                String outcome = outcome(probe, sql);
                boolean found = SqlText.transactionControl(sql).isPresent();
                if (outcome.equals("0A000")) {
                    controlled++;
                    assertThat(found)
                            .as("seed %d ends the transaction: %s", seed, sql)
                            .isTrue();
                } else if (outcome.equals("done")) {
                    harmless++;
                    assertThat(found).as("seed %d is harmless: %s", seed, sql).isFalse();
                }
            }
        }
        // The rest are syntax errors; without enough of both the test would prove nothing.
        assertThat(controlled).isGreaterThan(1_500);
        assertThat(harmless).isGreaterThan(3_000);
    }

    /** Through the driver, which splits and rewrites texts in its own way before the server sees them. */
    @ParameterizedTest
    @ValueSource(strings = {"preferQueryMode=extended", "preferQueryMode=simple"})
    void letsNothingThroughThatEndsTheTransaction(String settings) throws SQLException {
        List<String> passing = corpus().filter(
                        sql -> SqlText.transactionControl(sql).isEmpty())
                .toList();
        assertThat(passing).hasSizeGreaterThan(1_000);
        try (Connection connection = database.inTransaction(settings)) {
            String transaction = transaction(connection);
            for (String sql : passing) {
                boolean failed = fails(connection, sql);
                TransactionState state = connection.unwrap(BaseConnection.class).getTransactionState();
                assertThat(state).as(sql).isEqualTo(failed ? TransactionState.FAILED : TransactionState.OPEN);
                if (failed) {
                    connection.rollback();
                    transaction = transaction(connection);
                } else {
                    assertThat(transaction(connection)).as(sql).isEqualTo(transaction);
                }
            }
        }
    }

    private static Stream<String> corpus() {
        Stream<String> random = LongStream.range(0, 3_000).mapToObj(seed -> {
            SplittableRandom choices = new SplittableRandom(seed);
            String sql = new HostileSql(choices).text();
            return seed % 3 == 0 ? sql : damaged(sql, choices);
        });
        return Stream.of(
                        SqlTextTest.letsEverythingElseThrough(),
                        SqlTextTest.findsTransactionControl()
                                .map(arguments -> (String) arguments.get()[0]),
                        Stream.of("CALL commits()", "DO $$ BEGIN COMMIT; END $$", "PREPARE p AS SELECT 1; EXECUTE p"),
                        random)
                .flatMap(texts -> texts);
    }

    private static String damaged(String sql, SplittableRandom random) {
        int at = random.nextInt(sql.length());
        if (random.nextBoolean()) {
            return sql.substring(0, at) + sql.substring(at + 1);
        }
        List<String> pieces =
                List.of("'", "\"", "$", "$a$", "\\", "/*", "*/", "--", "\n", ";", "E'", "?", "{oj ", "}", "COMMIT");
        return sql.substring(0, at) + pieces.get(random.nextInt(pieces.size())) + sql.substring(at);
    }

    private static String outcome(PreparedStatement probe, String sql) throws SQLException {
        probe.setString(1, sql);
        try (ResultSet rows = probe.executeQuery()) {
            rows.next();
            return rows.getString(1);
        }
    }

    private static boolean fails(Connection connection, String sql) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
            return false;
        } catch (SQLException e) {
            return inTransactionFailed(connection);
        }
    }

    /** What the driver itself cannot read never reaches the server, and fails no transaction. */
    private static boolean inTransactionFailed(Connection connection) {
        try {
            return connection.unwrap(BaseConnection.class).getTransactionState() != TransactionState.OPEN;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String transaction(Connection connection) throws SQLException {
        return TestDatabase.value(connection, "SELECT pg_current_xact_id()::text");
    }
}
