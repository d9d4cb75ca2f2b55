package dev.onceward.effect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.Array;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Types;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

class GuardedConnectionIT {
    private static TestDatabase database;

    private final AtomicInteger flushes = new AtomicInteger();
    private Connection raw;
    private Guard guard;
    private Connection connection;

    @BeforeAll
    static void createTable() {
        database = new TestDatabase(
                "CREATE TABLE log (n int PRIMARY KEY, what text)",
                "CREATE FUNCTION twice(n int) RETURNS int LANGUAGE sql AS 'SELECT 2 * n'");
    }

    @BeforeEach
    void begin() throws SQLException {
        raw = database.inTransaction();
        guard = new Guard(raw, flushes::incrementAndGet);
        guard.begin();
        connection = guard.connection();
    }

    @AfterEach
    void rollBack() throws SQLException {
        guard.end();
        raw.close();
    }

    @ParameterizedTest
    @MethodSource
    void refusesWhatWouldEndOrOutliveTheTransaction(Refused call) throws Exception {
        String transaction = transaction();

        assertThatIllegalStateException()
                .isThrownBy(() -> call.on(connection))
                .withMessageContaining("() is refused: ");

        assertThat(transaction()).isEqualTo(transaction);
        assertThat(raw.isClosed()).isFalse();
    }

    static Stream<Refused> refusesWhatWouldEndOrOutliveTheTransaction() {
        return Stream.of(
                Connection::commit,
                Connection::rollback,
                Connection::close,
                c -> c.abort(Runnable::run),
                c -> c.setAutoCommit(true),
                c -> c.setAutoCommit(false),
                c -> c.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE),
                c -> c.setReadOnly(true),
                c -> c.setHoldability(ResultSet.CLOSE_CURSORS_AT_COMMIT),
                c -> c.setNetworkTimeout(Runnable::run, 1),
                c -> c.setCatalog("other"),
                c -> c.setSchema("other"),
                c -> c.setClientInfo("ApplicationName", "other"),
                c -> c.setTypeMap(Map.of()),
                c -> c.unwrap(PGConnection.class),
                c -> c.unwrap(Connection.class),
                c -> c.createStatement().unwrap(Statement.class),
                c -> c.createStatement().executeQuery("SELECT 1").unwrap(ResultSet.class),
                c -> c.getMetaData().unwrap(DatabaseMetaData.class));
    }

    /** A method that a later JDK adds must be thought about. */
    @Test
    void knowsEveryMethodOfAConnection() {
        Set<String> refused = new TreeSet<>();
        Set<String> allowed = new TreeSet<>();
        for (Method method : Connection.class.getMethods()) {
            boolean isRefused = Refusal.ofConnectionMethod(method.getName(), method.getParameterCount()) != null;
            (isRefused ? refused : allowed).add(method.getName() + "/" + method.getParameterCount());
        }
        assertThat(refused)
                .containsExactly(
                        "abort/1",
                        "close/0",
                        "commit/0",
                        "rollback/0",
                        "setAutoCommit/1",
                        "setCatalog/1",
                        "setClientInfo/1",
                        "setClientInfo/2",
                        "setHoldability/1",
                        "setNetworkTimeout/2",
                        "setReadOnly/1",
                        "setSchema/1",
                        "setTransactionIsolation/1",
                        "setTypeMap/1");
        allowed.removeIf(name -> name.matches("(get|is|create|prepare)[A-Z].*"));
        assertThat(allowed)
                .containsExactlyInAnyOrder(
                        "clearWarnings/0",
                        "nativeSQL/1",
                        "releaseSavepoint/1",
                        "rollback/1",
                        "setSavepoint/0",
                        "setSavepoint/1",
                        "unwrap/1", // refused elsewhere
                        // Hints of which pgjdbc supports none.
                        "beginRequest/0",
                        "endRequest/0",
                        "setShardingKey/1",
                        "setShardingKey/2",
                        "setShardingKeyIfValid/2",
                        "setShardingKeyIfValid/3");
    }

    @ParameterizedTest
    @ValueSource(strings = {"COMMIT", "SELECT 1; ROLLBACK", "/**/begin", "END", "SET TRANSACTION READ ONLY"})
    void refusesTransactionControlInEveryMethodThatTakesSql(String sql) throws Exception {
        int tried = 0;
        try (Statement statement = connection.createStatement()) {
            for (Object target : new Object[] {connection, statement}) {
                Class<?> type = target == connection ? Connection.class : Statement.class;
                for (Method method : type.getMethods()) {
                    boolean takesSql = method.getName().matches("prepare.*|execute.*|addBatch|nativeSQL")
                            && method.getParameterCount() > 0;
                    if (takesSql) {
                        tried++;
                        assertThatThrownBy(() -> invoke(target, method, sql))
                                .as("%s", method)
                                .isInstanceOf(IllegalStateException.class)
                                .hasMessageContaining("is refused: the runtime ends the transaction")
                                .hasMessageEndingWith(sql);
                    }
                }
            }
        }
        // 6 prepareStatement, 3 prepareCall, nativeSQL; executeQuery, addBatch, 4 each of execute, executeUpdate,
        // executeLargeUpdate
        assertThat(tried).isEqualTo(10 + 14);
    }

    private static void invoke(Object target, Method method, String sql) throws Throwable {
        Object[] arguments = new Object[method.getParameterCount()];
        Arrays.setAll(arguments, i -> method.getParameterTypes()[i] == int.class ? 0 : null);
        arguments[0] = sql;
        try {
            method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    @Test
    void leadsBackToItself() throws Exception {
        try (Statement statement = connection.createStatement();
                PreparedStatement prepared = connection.prepareStatement("SELECT 1");
                CallableStatement call = connection.prepareCall("{? = call twice(?)}");
                ResultSet rows = prepared.executeQuery();
                ResultSet tables = connection.getMetaData().getTables(null, "public", "log", null)) {
            assertThat(statement.getConnection()).isSameAs(connection);
            assertThat(prepared.getConnection()).isSameAs(connection);
            assertThat(call.getConnection()).isSameAs(connection);
            assertThat(connection.getMetaData().getConnection()).isSameAs(connection);
            assertThat(rows.getStatement()).isSameAs(prepared);
            assertThat(rows.getStatement().getConnection()).isSameAs(connection);
            assertThat(tables.next()).isTrue();
            assertThat(tables.getStatement().getConnection()).isSameAs(connection);
            assertThat(connection.isWrapperFor(PGConnection.class)).isFalse();
            assertThat(connection)
                    .isEqualTo(statement.getConnection())
                    .hasSameHashCodeAs(prepared.getConnection())
                    .isNotEqualTo(raw);
        }
    }

    @Test
    void anArrayLeadsBackToItTooAndIsTakenAsOneOfTheDrivers() throws Exception {
        Array made = connection.createArrayOf("text", new Object[] {"a", "b"});
        try (ResultSet elements = made.getResultSet()) {
            assertThat(elements.getStatement().getConnection()).isSameAs(connection);
            assertThat(elements.next()).isTrue();
            assertThat(elements.getString(2)).isEqualTo("a");
        }
        try (PreparedStatement statement = connection.prepareStatement("SELECT ?::text[] || ?::text[]")) {
            statement.setArray(1, made);
            statement.setObject(2, made);
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                for (Object read : new Object[] {rows.getArray(1), rows.getObject(1), rows.getObject(1, Array.class)}) {
                    Array array = (Array) read;
                    assertThat((Object[]) array.getArray()).containsExactly("a", "b", "a", "b");
                    assertThat(array.getResultSet().getStatement().getConnection())
                            .isSameAs(connection);
                }
            }
        }
        guard.end();
        assertThatIllegalStateException().isThrownBy(made::getArray);
        made.free();
    }

    @Test
    void aLargeObjectIsOverWithTheTurn() throws Exception {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT lo_from_bytea(0, 'abc')")) {
            rows.next();
            flushes.set(0);
            Blob blob = rows.getBlob(1);
            assertThat(blob.getBytes(1, 3)).isEqualTo("abc".getBytes(UTF_8));
            assertThat(flushes.get()).isEqualTo(1);
            guard.end();
            assertThatIllegalStateException().isThrownBy(() -> blob.getBytes(1, 3));
        }
    }

    @Test
    void worksAsAConnectionDoes() throws Exception {
        try (Statement statement = connection.createStatement()) {
            assertThat(statement.executeUpdate("INSERT INTO log VALUES (1, 'a')"))
                    .isEqualTo(1);
            statement.addBatch("INSERT INTO log VALUES (2, 'b')");
            statement.addBatch("UPDATE log SET what = upper(what)");
            assertThat(statement.executeBatch()).containsExactly(1, 2);
        }
        try (PreparedStatement prepared =
                connection.prepareStatement("INSERT INTO log VALUES (?, ?)", Statement.RETURN_GENERATED_KEYS)) {
            prepared.setInt(1, 3);
            prepared.setString(2, "c");
            prepared.executeUpdate();
            try (ResultSet keys = prepared.getGeneratedKeys()) {
                assertThat(keys.next()).isTrue();
                assertThat(keys.getInt("n")).isEqualTo(3);
            }
        }
        try (CallableStatement call = connection.prepareCall("{? = call twice(?)}")) {
            call.registerOutParameter(1, Types.INTEGER);
            call.setInt(2, 21);
            call.execute();
            assertThat(call.getInt(1)).isEqualTo(42);
        }
        try (Statement statement =
                        connection.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE);
                ResultSet rows = statement.executeQuery("SELECT n, what FROM log ORDER BY n")) {
            rows.last();
            rows.updateString("what", "changed");
            rows.updateRow();
        }
        assertThat(TestDatabase.column(raw, "SELECT what FROM log ORDER BY n")).containsExactly("A", "B", "changed");
        assertThatThrownBy(() -> connection.createStatement().execute("SELECT nonsense"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("nonsense");
    }

    @Test
    void allowsSavepoints() throws Exception {
        connection.createStatement().execute("INSERT INTO log VALUES (1, 'kept')");
        Savepoint savepoint = connection.setSavepoint();
        assertThat(catchThrowable(() -> connection.createStatement().execute("INSERT INTO log VALUES (1, 'twice')")))
                .isInstanceOf(SQLException.class);
        connection.rollback(savepoint);
        Savepoint named = connection.setSavepoint("commit");
        connection.releaseSavepoint(named);
        connection.createStatement().execute("SAVEPOINT a; DELETE FROM log; ROLLBACK TO SAVEPOINT a; RELEASE a");

        assertThat(TestDatabase.column(raw, "SELECT what FROM log")).containsExactly("kept");
    }

    @Test
    void savepointsEndWithTheTurnThatSetThem() throws Exception {
        Savepoint kept = connection.setSavepoint();
        connection.setSavepoint("named");
        connection.createStatement().execute("SAVEPOINT text; SAVEPOINT text; RELEASE text");
        guard.endTurn();
        guard.begin();
        connection.createStatement().execute("INSERT INTO log VALUES (1, 'of the next')");

        String ofItsOwn = "SAVEPOINT text; INSERT INTO log VALUES (2, 'undone'); ROLLBACK TO text; RELEASE text";
        connection.createStatement().execute(ofItsOwn);
        assertThat(TestDatabase.column(raw, "SELECT what FROM log")).containsExactly("of the next");
        for (RollBack attempt : List.<RollBack>of(
                () -> connection.rollback(kept),
                () -> connection.createStatement().execute("ROLLBACK TO named"),
                () -> connection.createStatement().execute("ROLLBACK TO text"))) {
            Savepoint before = raw.setSavepoint();
            assertThatThrownBy(attempt::run)
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("3B001"));
            raw.rollback(before);
        }
        assertThat(TestDatabase.column(raw, "SELECT what FROM log")).containsExactly("of the next");
        guard.endTurn();
    }

    @Test
    void tellsBeforeEachStatementThatOneComes() throws Exception {
        PreparedStatement prepared = connection.prepareStatement("SELECT 1");
        Statement statement = connection.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE);
        assertThat(flushes.get()).isZero();

        prepared.executeQuery().close();
        assertThat(flushes.getAndSet(0)).isEqualTo(1);
        statement.executeUpdate("INSERT INTO log VALUES (1, 'a')");
        assertThat(flushes.getAndSet(0)).isEqualTo(1);
        Savepoint savepoint = connection.setSavepoint();
        connection.rollback(savepoint);
        connection.releaseSavepoint(savepoint);
        assertThat(flushes.getAndSet(0)).isEqualTo(3);
        ResultSet rows = statement.executeQuery("SELECT n, what FROM log");
        rows.next();
        rows.updateString(2, "b");
        assertThat(flushes.getAndSet(0)).isEqualTo(1);
        rows.updateRow();
        assertThat(flushes.getAndSet(0)).isEqualTo(1);
        connection.getMetaData().getTables(null, null, null, null).close();
        assertThat(flushes.getAndSet(0)).isPositive();
    }

    @Test
    void marksTextsThatCouldHaveBeenMisread() throws Exception {
        connection.createStatement().execute("SELECT 1");
        assertThat(guard.doubtful()).isFalse();
        connection.createStatement().execute("SELECT 'the end'");
        assertThat(guard.doubtful()).isTrue();
        guard.begin();
        assertThat(guard.doubtful()).isFalse();
    }

    private String transaction() throws SQLException {
        return TestDatabase.value(raw, "SELECT pg_current_xact_id()::text");
    }

    interface RollBack {
        void run() throws SQLException;
    }

    interface Refused {
        void on(Connection connection) throws Exception;
    }
}
