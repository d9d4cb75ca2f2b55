package dev.onceward.effect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.spi.JdbiPlugin;
import org.jdbi.v3.core.statement.UnableToExecuteStatementException;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

class HandlerEffectIT {
    private static final Instant DEADLINE = Instant.parse("2030-01-01T00:00:00Z");
    private static TestDatabase database;

    private Connection raw;
    private HandlerEffect effect;

    @BeforeAll
    static void createTable() {
        database = new TestDatabase(
                "CREATE TABLE log (n bigint GENERATED ALWAYS AS IDENTITY, what text NOT NULL CHECK (what <> 'bad'))");
    }

    @BeforeEach
    void begin() throws SQLException {
        raw = database.inTransaction();
        effect = new HandlerEffect(raw, HandlerEffect.newJdbi());
        effect.begin(0, DEADLINE);
    }

    @AfterEach
    void rollBack() throws SQLException {
        effect.close();
        raw.close();
    }

    @Test
    void sendsDeclaredUpdatesBeforeTheHandlersOwnReads() throws Exception {
        Connection connection = effect.connection();
        try (PreparedStatement count = connection.prepareStatement("SELECT count(*) FROM log")) {
            effect.update("INSERT INTO log (what) VALUES (?)", "a");
            assertThat(one(count)).isEqualTo("1");
            effect.update("INSERT INTO log (what) VALUES (?)", "b");
            effect.update("INSERT INTO log (what) VALUES (?)", "c");
            assertThat(one(count)).isEqualTo("3");
        }
        effect.update("INSERT INTO log (what) VALUES (?)", "d");
        assertThat(effect.handle()
                        .createQuery("SELECT what FROM log ORDER BY n")
                        .mapTo(String.class)
                        .list())
                .containsExactly("a", "b", "c", "d");
    }

    @Test
    void sendsDeclaredUpdatesBeforeASavepoint() throws Exception {
        effect.update("INSERT INTO log (what) VALUES ('kept')");
        var savepoint = effect.connection().setSavepoint();
        effect.update("INSERT INTO log (what) VALUES ('undone')");
        effect.connection().rollback(savepoint);
        effect.flush();

        assertThat(TestDatabase.column(raw, "SELECT what FROM log")).containsExactly("kept");
    }

    @Test
    void sendsEarlyWhatWouldFillTheMemory() throws Exception {
        for (int i = 0; i < 10_000; i++) {
            effect.update("INSERT INTO log (what) VALUES (?)", "many");
        }
        assertThat(TestDatabase.value(raw, "SELECT count(*) FROM log")).isEqualTo("10000");
        assertThat(effect.usedOwnSql()).isFalse();
    }

    @Test
    void remembersTheFailureOfWhatWasSentEarly() {
        for (int i = 0; i < 20_001; i++) {
            effect.update("INSERT INTO log (what) VALUES (?)", i == 5_000 ? "bad" : "good");
        }
        assertThat(effect.failedUpdate()).isPresent();
        assertThat(catchThrowableOfType(DeclaredUpdateException.class, effect::flush)
                        .member())
                .hasValue(0);
    }

    @Test
    void takesASingleNullForOneArgument() throws Exception {
        effect.update("SELECT ?::text", (Object[]) null);
        effect.flush();
        assertThat(effect.failedUpdate()).isEmpty();
    }

    @Test
    void knowsWhetherAHandlerMayHaveRunSqlOfItsOwn() throws Exception {
        effect.update("INSERT INTO log (what) VALUES ('a')");
        effect.flush();
        assertThat(effect.usedOwnSql()).isFalse();

        effect.connection();
        assertThat(effect.usedOwnSql()).isTrue();
    }

    @Test
    void joinsTheTransactionWithJdbi() {
        Handle handle = effect.handle();

        String seen = handle.inTransaction(outer -> outer.inTransaction(inner -> {
            inner.execute("INSERT INTO log (what) VALUES (?)", "nested");
            return inner.createQuery("SELECT what FROM log").mapTo(String.class).one();
        }));
        handle.useTransaction(TransactionIsolationLevel.READ_COMMITTED, same -> same.execute("SELECT 1"));

        assertThat(seen).isEqualTo("nested");
        assertThat(handle.isInTransaction()).isTrue();
        assertThat(catchThrowable(() -> handle.useTransaction(TransactionIsolationLevel.SERIALIZABLE, h -> {})))
                .hasMessageContaining("SERIALIZABLE");
    }

    @Test
    void refusesToEndTheTransactionThroughJdbi() throws Exception {
        Handle handle = effect.handle();
        handle.execute("INSERT INTO log (what) VALUES ('a')");

        assertThatIllegalStateException().isThrownBy(handle::begin).withMessageContaining("in a transaction already");
        assertThatIllegalStateException().isThrownBy(handle::commit).withMessageContaining("return from the handler");
        assertThatIllegalStateException().isThrownBy(handle::rollback).withMessageContaining("throw an exception");
        assertThatIllegalStateException()
                .isThrownBy(() -> handle.execute("INSERT INTO log (what) VALUES ('b'); commit"))
                .withMessageContaining("COMMIT is refused");

        assertThat(TestDatabase.column(raw, "SELECT what FROM log")).containsExactly("a");
        raw.rollback();
        assertThat(TestDatabase.column(raw, "SELECT what FROM log")).isEmpty();
    }

    @Test
    void takesAnArrayOfTheConnectionsForADeclaredUpdate() throws Exception {
        Array array = effect.connection().createArrayOf("text", new Object[] {"a", "b"});
        effect.update("INSERT INTO log (what) SELECT unnest(?::text[])", array);
        effect.flush();

        assertThat(TestDatabase.column(raw, "SELECT what FROM log")).containsExactly("a", "b");
    }

    @Test
    void usesSavepointsThroughJdbi() {
        Handle handle = effect.handle();
        handle.savepoint("before");
        assertThat(catchThrowable(() -> handle.execute("INSERT INTO log (what) VALUES ('bad')")))
                .isInstanceOf(UnableToExecuteStatementException.class);
        handle.rollbackToSavepoint("before");
        handle.execute("INSERT INTO log (what) VALUES ('good')");

        assertThat(handle.createQuery("SELECT what FROM log")
                        .mapTo(String.class)
                        .list())
                .containsExactly("good");
    }

    @Test
    void survivesAHandleThatTheHandlerCloses() {
        Handle first = effect.handle();
        first.execute("INSERT INTO log (what) VALUES ('a')");
        first.close();

        Handle second = effect.handle();
        assertThat(second.createQuery("SELECT what FROM log")
                        .mapTo(String.class)
                        .list())
                .containsExactly("a");
        assertThat(second).isSameAs(effect.handle());
    }

    @Test
    void joinsWhateverTheTeamOpensFromTheSameJdbi() {
        effect.handle().execute("INSERT INTO log (what) VALUES ('a')");
        Jdbi jdbi = effect.handle().getJdbi();

        assertThat(jdbi.<Integer, RuntimeException>inTransaction(
                        handle -> handle.createQuery("SELECT count(*) FROM log")
                                .mapTo(Integer.class)
                                .one()))
                .isEqualTo(1);
        effect.close();
        assertThat(catchThrowable(jdbi::open)).hasMessageContaining("only on the thread of a running handler");
    }

    @Test
    void letsTheTeamsPluginsReachTheDriverWhileTheySetUpAHandle() throws Exception {
        Jdbi jdbi = HandlerEffect.newJdbi().installPlugin(new JdbiPlugin() {
            @Override
            public Handle customizeHandle(Handle handle) throws SQLException {
                assertThat(handle.getConnection().unwrap(PGConnection.class).getBackendPID())
                        .isPositive();
                return handle;
            }
        });
        try (HandlerEffect other = new HandlerEffect(raw, jdbi)) {
            other.begin(0, DEADLINE);
            Handle handle = other.handle();
            assertThatIllegalStateException()
                    .isThrownBy(() -> handle.getConnection().unwrap(PGConnection.class))
                    .withMessageContaining("unwrap() is refused");
        }
    }

    @Test
    void givesEachMemberAHandleWithoutTheSettingsOfTheOneBefore() {
        Handle first = effect.handle();
        effect.begin(1, DEADLINE);

        assertThat(effect.handle()).isNotSameAs(first);
        assertThat(first.isClosed()).isTrue();
    }

    @Test
    void closesTheStatementsThatAHandlerLeftOpen() throws Exception {
        PreparedStatement leaked = effect.connection().prepareStatement("SELECT 1");
        ResultSet rows = leaked.executeQuery();
        effect.begin(1, DEADLINE);

        assertThat(leaked.isClosed()).isTrue();
        assertThat(rows.isClosed()).isTrue();
    }

    @Test
    void refusesEverythingAfterTheEnd() throws Exception {
        Connection connection = effect.connection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT 1");
        Handle handle = effect.handle();
        effect.close();

        assertThatIllegalStateException().isThrownBy(effect::handle).withMessageContaining("has ended");
        assertThatIllegalStateException().isThrownBy(effect::connection).withMessageContaining("has ended");
        assertThatIllegalStateException().isThrownBy(effect::deadline).withMessageContaining("has ended");
        assertThatIllegalStateException().isThrownBy(() -> effect.update("DELETE FROM log"));
        assertThatIllegalStateException().isThrownBy(connection::createStatement);
        assertThatIllegalStateException().isThrownBy(() -> statement.execute("SELECT 1"));
        assertThatIllegalStateException().isThrownBy(rows::next);
        assertThat(catchThrowable(() -> handle.execute("SELECT 1"))).isInstanceOf(IllegalStateException.class);
        assertThat(connection.isClosed()).isTrue();
        assertThat(statement.isClosed()).isTrue();
        statement.close();
        effect.close();
        assertThat(raw.isClosed()).isFalse();
    }

    @Test
    void refusesAnotherThread() throws Exception {
        Connection connection = effect.connection();
        Statement statement = connection.createStatement();

        assertThat(onAnotherThread(() -> statement.execute("SELECT 1")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("execute() is refused")
                .hasMessageContaining(Thread.currentThread().getName());
        assertThat(onAnotherThread(connection::createStatement)).isInstanceOf(IllegalStateException.class);
        assertThat(onAnotherThread(() -> effect.update("DELETE FROM log"))).isInstanceOf(IllegalStateException.class);
        assertThat(onAnotherThread(effect::handle)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void canBeClosedByAnotherThreadWhileTheHandlerRuns() throws Exception {
        Handle handle = effect.handle();
        handle.createQuery("SELECT 1").mapTo(Integer.class).one();

        assertThat(onAnotherThread(effect::close)).isNull();

        assertThatIllegalStateException().isThrownBy(effect::handle).withMessageContaining("has ended");
    }

    @Test
    void remembersTheErrorAHandlerSwallowed() {
        assertThat(effect.ownSqlError()).isEmpty();
        assertThat(catchThrowable(() -> effect.handle().execute("INSERT INTO log (what) VALUES ('bad')")))
                .isNotNull();
        assertThat(effect.ownSqlError())
                .hasValueSatisfying(e -> assertThat(e.getSQLState()).isEqualTo("23514"));

        effect.begin(1, DEADLINE);
        assertThat(effect.ownSqlError()).isEmpty();
    }

    @Test
    void namesTheMemberWhoseUpdateFailsDuringAnothersTurn() throws Exception {
        effect.update("INSERT INTO log (what) VALUES (?)", "bad");
        effect.begin(1, DEADLINE);

        SQLException seen = catchThrowableOfType(
                SQLException.class, () -> effect.connection().createStatement().executeQuery("SELECT 1"));
        assertThat(seen.getSQLState()).isEqualTo("23514");

        DeclaredUpdateException failure = catchThrowableOfType(DeclaredUpdateException.class, effect::flush);
        assertThat(failure.member()).hasValue(0);
        assertThat(effect.failedUpdate()).containsSame(failure);
    }

    private static Throwable onAnotherThread(ThrowingAction action) throws Exception {
        CompletableFuture<Throwable> outcome = new CompletableFuture<>();
        Thread thread = new Thread(() -> outcome.complete(catchThrowable(action::run)));
        thread.start();
        thread.join();
        return outcome.get();
    }

    private static String one(PreparedStatement query) throws SQLException {
        try (ResultSet rows = query.executeQuery()) {
            rows.next();
            return rows.getString(1);
        }
    }

    private interface ThrowingAction {
        void run() throws Throwable;
    }
}
