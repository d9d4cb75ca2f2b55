package dev.onceward.effect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.onceward.failure.SqlStates;
import dev.onceward.handler.UnexpectedRowsException;
import java.io.ByteArrayInputStream;
import java.io.StringReader;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeclaredUpdatesIT {
    private static final String LOG = "INSERT INTO log (what) VALUES (?)";
    private static final String ADD = "UPDATE account SET balance = balance + ? WHERE id = ?";
    private static TestDatabase database;

    private final DeclaredUpdates updates = new DeclaredUpdates();
    private Connection connection;

    @BeforeAll
    static void createTables() {
        database = new TestDatabase(
                "CREATE TABLE log (n bigint GENERATED ALWAYS AS IDENTITY, what text CHECK (what <> 'bad'))",
                "CREATE TABLE account (id int PRIMARY KEY, balance bigint NOT NULL)",
                "INSERT INTO account SELECT id, 0 FROM generate_series(1, 100) id",
                "CREATE TYPE unit AS ENUM ('SECONDS', 'DAYS')",
                "CREATE TABLE typed (at timestamptz, day date, local timestamp, id uuid, text_unit text, unit unit,"
                        + " bytes bytea, amount numeric, name text, number int, big bigint, flag boolean, tags text[])",
                "CREATE FUNCTION note(note text) RETURNS SETOF int LANGUAGE sql AS"
                        + " $$ INSERT INTO log (what) VALUES (note) RETURNING 1 $$");
    }

    @BeforeEach
    void connect() throws SQLException {
        connection = database.inTransaction();
    }

    @AfterEach
    void rollBack() throws SQLException {
        connection.close();
    }

    @Test
    void sendsNothingWhereNothingIsDeclared() throws Exception {
        updates.flush(connection);
        assertThat(updates.failure()).isEmpty();
    }

    @Test
    void keepsTheOrderAcrossTexts() throws Exception {
        declare(0, LOG, "a");
        declare(0, "UPDATE log SET what = what || ?", "1");
        declare(1, LOG, "b");
        declare(1, "UPDATE log SET what = what || ?", "2");
        declare(2, LOG, "c");
        updates.flush(connection);

        assertThat(logged()).containsExactly("a12", "b2", "c");
    }

    /** Whatever the driver is told to do, the outcome is that of the statements run one by one. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "prepareThreshold=5",
                "prepareThreshold=0",
                "prepareThreshold=1",
                "preferQueryMode=simple",
                "preferQueryMode=extended",
                "preferQueryMode=extendedCacheEverything",
                "reWriteBatchedInserts=true",
                "autosave=always",
                "binaryTransfer=false",
                "preparedStatementCacheQueries=0"
            })
    void comesToTheSameAsOneByOne(String settings) throws Exception {
        connection.close();
        connection = database.inTransaction(settings);
        for (long seed = 0; seed < 12; seed++) {
            List<String> expected = new ArrayList<>();
            long[] balances = new long[101];
            declareAtRandom(new SplittableRandom(seed), expected, balances);
            updates.flush(connection);

            assertThat(logged()).as("seed %d", seed).isEqualTo(expected);
            assertThat(TestDatabase.value(connection, "SELECT sum(balance * id) FROM account"))
                    .as("seed %d", seed)
                    .isEqualTo(String.valueOf(weighted(balances)));
            connection.rollback();
        }
    }

    private void declareAtRandom(SplittableRandom random, List<String> expected, long[] balances) {
        for (int run = random.nextInt(1, 8); run > 0; run--) {
            int kind = random.nextInt(5);
            for (int times = random.nextInt(1, 70); times > 0; times--) {
                int member = expected.size();
                String what = "m" + member;
                if (kind < 3) {
                    int account = random.nextInt(1, 101);
                    balances[account] += member;
                    updates.declare(member, ADD, 1, new Object[] {(long) member, account});
                }
                switch (kind) {
                    case 0, 3 -> updates.declare(member, LOG + " -- a comment", 1, new Object[] {what});
                    case 1 -> updates.declare(member, "SELECT note(?);", 1, new Object[] {what});
                    case 2 -> updates.declare(member, LOG + " RETURNING n", 1, new Object[] {what});
                    default -> declare(member, "INSERT INTO log (what) VALUES ('" + what + "')");
                }
                expected.add(what);
            }
        }
    }

    private static long weighted(long[] balances) {
        long sum = 0;
        for (int id = 1; id < balances.length; id++) {
            sum += balances[id] * id;
        }
        return sum;
    }

    @Test
    void needsOneRoundTripForAHundredOfOneText() throws Exception {
        countRoundTrips();
        for (int i = 0; i < 100; i++) {
            updates.declare(i, ADD, 1, new Object[] {1L, i + 1});
        }
        updates.flush(connection);

        assertThat(RoundTrips.takeCount()).isEqualTo(1);
    }

    @Test
    void needsThreeRoundTripsForAHundredMessagesOfTwoTexts() throws Exception {
        countRoundTrips();
        for (int round = 0; round < 10; round++) {
            for (int i = 0; i < 100; i++) {
                declare(i, LOG, "m" + i);
                updates.declare(i, ADD, 1, new Object[] {1L, i + 1});
            }
            updates.flush(connection);

            assertThat(RoundTrips.takeCount()).as("round %d", round).isEqualTo(3);
        }
    }

    @Test
    void needsOneRoundTripForTwoHundredIrregularOnes() throws Exception {
        countRoundTrips();
        SplittableRandom random = new SplittableRandom(5);
        for (int i = 0; i < 200; i++) {
            declare(i, "INSERT INTO log (what) VALUES (? || '" + random.nextInt(20) + "')", "m");
        }
        updates.flush(connection);

        assertThat(RoundTrips.takeCount()).isEqualTo(1);
    }

    @Test
    void needsOneRoundTripForWhatASmallGroupDeclares() throws Exception {
        countRoundTrips();
        for (int i = 0; i < 4; i++) {
            declare(i, LOG, "m" + i);
            declare(i, ADD, 1L, i + 1);
        }
        updates.flush(connection);

        assertThat(RoundTrips.takeCount()).isEqualTo(1);
    }

    private void countRoundTrips() throws SQLException {
        connection.close();
        connection = database.inTransaction(RoundTrips.SETTING);
        // Begins the transaction and warms up: the driver sends BEGIN along with the first statement.
        TestDatabase.value(connection, "SELECT 1");
        RoundTrips.takeCount();
    }

    @Test
    void sendsMoreThanTheDriverAllowsInOneText() throws Exception {
        String wide = "INSERT INTO log (what) SELECT unnest(ARRAY[?" + ", ?".repeat(999) + "]) RETURNING n";
        Object[] arguments = new Object[1_000];
        Arrays.fill(arguments, "x");
        for (int i = 0; i < 70; i++) {
            updates.declare(i, wide, 1_000, arguments);
        }
        updates.flush(connection);

        assertThat(TestDatabase.value(connection, "SELECT count(*) FROM log")).isEqualTo("70000");
    }

    @Test
    void survivesABatchThatFillsBothBuffers() throws Exception {
        String what = "x".repeat(20_000);
        for (int i = 0; i < 2_000; i++) {
            updates.declare(i, LOG, 1, new Object[] {what});
            if (i % 3 == 0) {
                updates.declare(i, LOG + " RETURNING what", 1, new Object[] {what});
            }
        }
        updates.flush(connection);

        assertThat(TestDatabase.value(connection, "SELECT count(*) FROM log")).isEqualTo("2667");
    }

    @Test
    void convertsArguments() throws Exception {
        Instant instant = Instant.parse("2024-02-29T12:34:56.789012Z");
        UUID id = UUID.fromString("6f1c2bd7-9f1b-4a4f-9c35-0d6a5b7f3f11");
        byte[] bytes = {1, 2, 3};
        String[] tags = {"a", "b"};
        declare(
                0,
                "INSERT INTO typed VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                instant,
                LocalDate.of(2024, 2, 29),
                LocalDateTime.of(2024, 2, 29, 1, 2, 3),
                id,
                TimeUnit.DAYS,
                TimeUnit.SECONDS,
                bytes,
                new BigDecimal("12.50"),
                "O'Neil",
                7,
                8L,
                true,
                tags);
        bytes[0] = 99;
        tags[0] = "changed";
        declare(
                1,
                "INSERT INTO typed (at, name) VALUES (?, ?)",
                ZonedDateTime.ofInstant(instant, ZoneId.of("Asia/Tokyo")),
                null);
        declare(
                2,
                "INSERT INTO typed (at, number) VALUES (?, ?)",
                OffsetDateTime.parse("2024-01-01T00:00:00+05:00"),
                null);
        updates.flush(connection);

        assertThat(TestDatabase.column(connection, "SELECT t::text FROM typed t"))
                .containsExactly(
                        "(\"2024-02-29 12:34:56.789012+00\",2024-02-29,\"2024-02-29 01:02:03\"," + id
                                + ",DAYS,SECONDS,\"\\\\x010203\",12.50,O'Neil,7,8,t,\"{a,b}\")",
                        "(\"2024-02-29 12:34:56.789012+00\",,,,,,,,,,,,)",
                        "(\"2023-12-31 19:00:00+00\",,,,,,,,,,,,)");
    }

    @Test
    void bindsNullsAndValuesInOneBatch() throws Exception {
        declare(0, LOG, (Object) null);
        declare(1, LOG, "a");
        declare(2, LOG, (Object) null);
        updates.flush(connection);

        assertThat(logged()).containsExactly(null, "a", null);
    }

    @Test
    void understandsTheDriversEscapes() throws Exception {
        declare(0, "INSERT INTO log (what) SELECT ('{\"a\": 1}'::jsonb ?? ?)::text", "a");
        declare(0, "INSERT INTO log (what) VALUES ({fn concat(?, 'b')})", "a");
        declare(0, "INSERT INTO log (what) VALUES ('why?' || $$ ? $$) /* ? */ -- ?");
        updates.flush(connection);

        assertThat(logged()).containsExactly("true", "ab", "why? ? ");
    }

    /** Alone the driver takes an escape without its end; among others it would eat the brace of another's data. */
    @Test
    void keepsAnEscapeWithoutEndFromReachingIntoOtherUpdates() throws Exception {
        declare(0, "INSERT INTO log (what) SELECT {fn concat(?, 'b')", "a");
        declare(1, LOG + " RETURNING '{oj }'", "c");
        declare(2, "INSERT INTO log (what) VALUES ('{\"a\": 1}')");
        updates.flush(connection);

        assertThat(logged()).containsExactly("ab", "c", "{\"a\": 1}");
    }

    @Test
    void namesTheMemberOfAFailedBatchEntry() {
        for (int i = 0; i < 600; i++) {
            declare(i, LOG, i == 437 ? "bad" : "good");
        }
        DeclaredUpdateException failure = flushFails();

        assertThat(failure.member()).hasValue(437);
        assertThat(SqlStates.find(failure)).contains("23514");
        assertThat(failure).cause().hasMessageContaining("log_what_check");
    }

    @Test
    void namesTheMemberWhereOnlyOneDeclared() {
        declare(3, LOG, "good");
        declare(3, ADD, 1L, 1);
        declare(3, LOG, "bad");

        assertThat(flushFails().member()).hasValue(3);
    }

    @Test
    void admitsThatTheDriverDoesNotTell() {
        declare(1, LOG, "good");
        declare(1, ADD, 1L, 1);
        declare(2, LOG, "bad");
        declare(2, ADD, 1L, 1);
        DeclaredUpdateException failure = flushFails();

        assertThat(failure.member()).isEmpty();
        assertThat(SqlStates.find(failure)).contains("23514");
    }

    @ParameterizedTest
    @ValueSource(strings = {"reWriteBatchedInserts=true", "reWriteBatchedInserts=false", "preferQueryMode=simple"})
    void checksTheRowsExpectedOfABatch(String settings) throws Exception {
        connection.close();
        connection = database.inTransaction(settings);
        for (int i = 0; i < 100; i++) {
            updates.declare(i, "INSERT INTO log (what) SELECT ? WHERE ? <> 77", 1, new Object[] {"m", i});
        }
        DeclaredUpdateException failure = flushFails();

        assertThat(failure.member()).hasValue(77);
        assertThat(failure)
                .hasCauseInstanceOf(UnexpectedRowsException.class)
                .hasMessageContaining("expected 1 row(s), touched 0");
    }

    @Test
    void checksTheRowsExpectedInAMixedSequence() {
        for (int i = 0; i < 50; i++) {
            declare(i, LOG, "m");
            updates.declare(i, ADD, 1, new Object[] {1L, i == 33 ? 4711 : 1});
        }
        assertThat(flushFails().member()).hasValue(33);
    }

    @Test
    void checksTheRowsThatAStatementReturns() {
        updates.declare(5, "SELECT note(?)", 2, new Object[] {"one row"});

        assertThat(flushFails().member()).hasValue(5);
    }

    @Test
    void takesTwoUpsertsOfOneRowEvenWhereTheDriverRewritesInserts() throws Exception {
        connection.close();
        connection = database.inTransaction("reWriteBatchedInserts=true");
        for (int i = 0; i < 10; i++) {
            declare(
                    i,
                    "INSERT INTO account VALUES (?, 1) ON CONFLICT (id) DO UPDATE SET balance = account.balance + 1",
                    1);
        }
        updates.flush(connection);

        assertThat(TestDatabase.value(connection, "SELECT balance FROM account WHERE id = 1"))
                .isEqualTo("10");
    }

    @Test
    void failsAgainEachTimeAfterAFailure() throws Exception {
        declare(0, LOG, "bad");
        DeclaredUpdateException failure = flushFails();
        connection.rollback();
        declare(1, LOG, "good");

        assertThat(flushFails()).isSameAs(failure);
        assertThat(updates.failure()).containsSame(failure);
        assertThat(logged()).isEmpty();
    }

    @Test
    void blamesTheMemberWhoseArgumentHasNoSqlType() {
        declare(0, LOG, "good");
        declare(1, LOG, new Object());

        assertThat(flushFails().member()).hasValue(1);
    }

    @Test
    void namesNoMemberWhereTheConnectionIsGone() throws Exception {
        declare(0, LOG, "a");
        declare(1, LOG, "b");
        connection.close();
        DeclaredUpdateException failure = flushFails();

        assertThat(failure.member()).isEmpty();
        assertThat(SqlStates.find(failure)).contains("08003");
    }

    @ParameterizedTest
    @ValueSource(strings = {"COMMIT", "DELETE FROM log; rollback", "/* */ begin", "SET TRANSACTION READ ONLY"})
    void refusesTransactionControl(String sql) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> declare(0, sql))
                .withMessageContaining("is refused")
                .withMessageContaining(sql);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SAVEPOINT a",
                "rollback to a",
                "ROLLBACK WORK TO SAVEPOINT a",
                "/**/RELEASE a",
                "{oj SAVEPOINT a}"
            })
    void refusesSavepointsWhichWouldReachIntoTheUpdatesOfOthers(String sql) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> declare(0, sql))
                .withMessageContaining("cannot be about a savepoint");
    }

    @Test
    void refusesWhatIsNotOneStatement() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> declare(0, "DELETE FROM log; DELETE FROM account"))
                .withMessageContaining("one statement, not 2");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> declare(0, " ; -- nothing"))
                .withMessageContaining("not 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> declare(0, "DELETE FROM log WHERE what = 'a"))
                .withMessageContaining("does not end");
    }

    @Test
    void refusesTheWrongNumberOfArguments() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> declare(0, ADD, 1L))
                .withMessageContaining("2 placeholder(s), but 1 argument(s)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> declare(0, "DELETE FROM log", 1L))
                .withMessageContaining("0 placeholder(s), but 1 argument(s)");
    }

    @Test
    void refusesStreams() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> declare(0, LOG, new ByteArrayInputStream(new byte[1])))
                .withMessageContaining("give it the bytes");
        assertThatIllegalArgumentException().isThrownBy(() -> declare(0, LOG, new StringReader("x")));
    }

    private void declare(int member, String sql, Object... arguments) {
        updates.declare(member, sql, DeclaredUpdate.ANY, arguments);
    }

    private DeclaredUpdateException flushFails() {
        return catchThrowableOfType(DeclaredUpdateException.class, () -> updates.flush(connection));
    }

    private List<String> logged() throws SQLException {
        return TestDatabase.column(connection, "SELECT what FROM log ORDER BY n");
    }
}
