package dev.onceward.guarantees;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.EventNames;
import dev.onceward.catalog.MeterNames;
import dev.onceward.config.ConsumerSettings;
import dev.onceward.config.RetryPolicy;
import dev.onceward.handler.Effect;
import dev.onceward.handler.Message;
import dev.onceward.handler.MessageHandler;
import dev.onceward.runtime.ConsumerRuntime;
import dev.onceward.runtime.ConsumerRuntimeBuilder;
import dev.onceward.runtime.RuntimeState;
import java.lang.reflect.Field;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever a handler does to the transaction it was given, claim and effect of each message stay together. */
class TamperedTransactionIT {
    /** What a handler might try; each is refused where it would end the transaction. */
    private static final Map<String, Trick> TRICKS = new LinkedHashMap<>();

    static {
        TRICKS.put("text", effect -> effect.handle().execute("COMMIT"));
        TRICKS.put("longer text", effect -> effect.handle().execute("select 1; commit; begin"));
        TRICKS.put(
                "behind a comment",
                effect -> effect.handle().execute("/* a /* nested */ one */ -- and\n commit and chain"));
        TRICKS.put("behind a quote", effect -> effect.handle().execute("select 'it''s; -- not here'; rollback"));
        TRICKS.put("behind dollars", effect -> effect.handle().execute("select $a$;$a$; end; select 1"));
        TRICKS.put("escape syntax", effect -> run(effect, "{oj commit}"));
        TRICKS.put("statement", effect -> run(effect, "abort"));
        TRICKS.put(
                "prepared",
                effect -> effect.connection().prepareStatement("commit").execute());
        TRICKS.put("batch", effect -> {
            try (Statement statement = effect.connection().createStatement()) {
                statement.addBatch("select 1");
                statement.addBatch("commit");
                statement.executeBatch();
            }
        });
        TRICKS.put("declared", effect -> effect.update("commit"));
        TRICKS.put("two phases", effect -> run(effect, "prepare transaction 'later'"));
        TRICKS.put("procedure", effect -> run(effect, "call ends_transaction()"));
        TRICKS.put("connection commits", effect -> effect.connection().commit());
        TRICKS.put("connection rolls back", effect -> effect.connection().rollback());
        TRICKS.put("connection closes", effect -> effect.connection().close());
        TRICKS.put("auto-commit", effect -> effect.connection().setAutoCommit(true));
        TRICKS.put("statement's connection", effect -> {
            try (Statement statement = effect.connection().createStatement()) {
                statement.getConnection().commit();
            }
        });
        TRICKS.put(
                "unwrap", effect -> effect.connection().unwrap(Connection.class).commit());
        TRICKS.put("handle commits", effect -> effect.handle().commit());
        TRICKS.put("handle rolls back", effect -> effect.handle().rollback());
        TRICKS.put("handle begins", effect -> effect.handle().begin());
    }

    private static final ConsumerSettings.Limits SHORT = new ConsumerSettings.Limits(
            Duration.ofSeconds(3),
            Duration.ofSeconds(2),
            Duration.ofSeconds(1),
            Duration.ofSeconds(1),
            Duration.ofSeconds(2),
            Duration.ofMillis(200),
            3);

    private Ledger ledger;
    private EventLog events;
    private final CountDownLatch testRuns = new CountDownLatch(1);
    private final Scrape scrape = new Scrape();

    @BeforeEach
    void begin() {
        ledger = new Ledger(1);
        events = EventLog.of(ledger.name);
        ledger.execute("CREATE PROCEDURE ends_transaction() LANGUAGE plpgsql AS $$ BEGIN COMMIT; END $$");
    }

    @AfterEach
    void end() {
        testRuns.countDown();
        ledger.close();
        events.close();
    }

    @Test
    void F47_everyTrickIsRefusedAndTheOtherNineOfTheGroupTakeEffect() {
        sendTensEachBegunByATrick();
        ledger.start(oneLane(), (message, effect) -> {
            write(message, effect);
            Trick trick = TRICKS.get(message.value());
            if (trick != null) {
                trick.on(effect);
            }
        });
        int tricks = TRICKS.size();
        Ledger.await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(1 + 10L * tricks));
        assertThat(ledger.entries()).isEqualTo(1 + 9L * tricks);
        assertThat(ledger.distinctEntries()).isEqualTo(1 + 9L * tricks);
        assertThat(ledger.count("SELECT count(*) FROM processed_messages")).isEqualTo(1 + 9L * tricks);
        assertThat(ledger.deadLetters()).isEqualTo(tricks);
        assertThat(events.count(EventNames.TRANSACTION_BROKEN)).isZero();
        TRICKS.keySet()
                .forEach(trick -> assertThat(ledger.count(
                                "SELECT count(DISTINCT xmin::text) FROM entries WHERE message_id ~ ('^' || ? || '-[1-9]$')",
                                trick))
                        .as("transactions of the nine that stood in one group with '%s'", trick)
                        .isEqualTo(1));
    }

    @Test
    void F26_aHandlerThatPassesOverTheRefusalTakesEffectLikeAnyOther() {
        // All but one: a procedure that tries to commit fails in the server, and that fails the transaction.
        sendTensEachBegunByATrick();
        ledger.start(oneLane(), (message, effect) -> {
            write(message, effect);
            Trick trick = TRICKS.get(message.value());
            if (trick != null) {
                try {
                    trick.on(effect);
                } catch (RuntimeException | SQLException e) {
                    // as if nothing had happened
                }
            }
        });
        int tricks = TRICKS.size();
        Ledger.await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(1 + 10L * tricks));
        assertThat(ledger.texts("SELECT message_id FROM dead_letters")).containsExactly("procedure");
        assertThat(ledger.entries()).isEqualTo(10L * tricks);
        assertThat(ledger.distinctEntries()).isEqualTo(10L * tricks);
        assertThat(events.count(EventNames.TRANSACTION_BROKEN)).isZero();
        TRICKS.keySet().stream()
                .filter(trick -> !trick.equals("procedure"))
                .forEach(trick -> assertThat(ledger.count(
                                "SELECT count(DISTINCT xmin::text) FROM entries WHERE message_id ~ ('^' || ? || '(-[1-9])?$')",
                                trick))
                        .as("transactions of '%s' and its nine", trick)
                        .isEqualTo(1));
    }

    @Test
    void F25_anSqlErrorThatIsSwallowedFailsItsMessageAloneAndIsNotCommittedAsNothing() {
        sendTen();
        ledger.start(oneLane(), (message, effect) -> {
            write(message, effect);
            if (message.value().equals("bad")) {
                try {
                    effect.handle().execute("INSERT INTO no_such_table VALUES (1)");
                } catch (RuntimeException e) {
                    // swallowed: COMMIT would silently become ROLLBACK
                }
            }
        });
        Ledger.await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(10));
        nineTookEffectAndOneIsDead();
        assertThat(ledger.texts("SELECT error_message FROM dead_letters").get(0))
                .contains("no_such_table");
        assertThat(scrape.sum(MeterNames.ATTEMPTS_FAILED, "reason", "INFRASTRUCTURE"))
                .as("taken for the database's fault")
                .isZero();
    }

    @Test
    void anSqlErrorInsideASavepointIsTheHandlersOwnBusiness() {
        sendTen();
        ledger.start(oneLane(), (message, effect) -> {
            Connection connection = effect.connection();
            Savepoint before = connection.setSavepoint();
            try (Statement statement = connection.createStatement()) {
                statement.execute("INSERT INTO no_such_table VALUES (1)");
            } catch (SQLException e) {
                connection.rollback(before);
            }
            write(message, effect);
        });
        Ledger.await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(10));
        assertThat(ledger.entries()).isEqualTo(10);
        assertThat(ledger.distinctEntries()).isEqualTo(10);
    }

    @Test
    void F26_aNestedTransactionOfTheHandleJoinsTheOneThatHoldsTheClaim() {
        sendTen();
        ledger.start(
                oneLane(),
                (message, effect) -> effect.handle()
                        .useTransaction(outer -> outer.inTransaction(inner -> {
                            inner.execute(
                                    "INSERT INTO entries (message_id, account, amount) VALUES (?, ?, ?)",
                                    message.id(),
                                    message.key(),
                                    message.value());
                            if (message.value().equals("bad")) {
                                throw new IllegalStateException("after the inner write");
                            }
                            return true;
                        })));
        Ledger.await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(10));
        nineTookEffectAndOneIsDead();
    }

    /** Set during one member's turn, used during another's: what stands between is of others. */
    enum OthersSavepoint {
        TEXT,
        SAME_NAME_RELEASED,
        KEPT_OBJECT,
        JDBI
    }

    @ParameterizedTest
    @EnumSource
    void theSavepointOfOneMemberIsNoneForAnother(OthersSavepoint kind) {
        for (int i = 0; i < 10; i++) {
            ledger.send("account-" + i, "m" + i, "10");
        }
        ledger.flush();
        AtomicReference<Savepoint> kept = new AtomicReference<>();
        ledger.start(oneLane(), (message, effect) -> {
            if (message.id().equals("m3")) {
                switch (kind) {
                    case TEXT, SAME_NAME_RELEASED -> run(effect, "SAVEPOINT a");
                    case KEPT_OBJECT -> kept.set(effect.connection().setSavepoint());
                    case JDBI -> effect.handle().savepoint("a");
                }
            }
            write(message, effect);
            if (message.id().equals("m6")) {
                switch (kind) {
                    case TEXT -> run(effect, "ROLLBACK TO SAVEPOINT a");
                    case SAME_NAME_RELEASED -> run(effect, "SAVEPOINT a; RELEASE a; ROLLBACK TO a");
                    case KEPT_OBJECT -> effect.connection().rollback(kept.get());
                    case JDBI -> effect.handle().rollbackToSavepoint("a");
                }
            }
        });
        Ledger.await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(10));
        assertThat(ledger.texts("SELECT message_id FROM processed_messages"
                        + " WHERE message_id NOT IN (SELECT message_id FROM entries)"))
                .as("claims without their effect")
                .isEmpty();
        assertThat(ledger.texts("SELECT message_id FROM dead_letters")).containsExactly("m6");
        assertThat(ledger.entries()).isEqualTo(9);
        assertThat(ledger.distinctEntries()).isEqualTo(9);
    }

    @Test
    void F47_oneThatGotRoundTheGuardAsTheFirstOfItsGroupStopsTheWorkerAndTheOtherNineTakeEffect() throws Exception {
        gotRoundTheGuard(TamperedTransactionIT::write, true, 1, Connection::commit);
    }

    @Test
    void F47_oneThatGotRoundTheGuardStopsTheWorkerAndTheOtherNineTakeEffectAfterARestart() throws Exception {
        gotRoundTheGuard(TamperedTransactionIT::write, true, raw -> raw.commit());
    }

    @Test
    void alsoWhenWhatTheOthersHadDeclaredWasNotSentBefore() throws Exception {
        gotRoundTheGuard(Ledger.HANDLER, false, raw -> raw.commit());
    }

    @Test
    void alsoWhenItWasSentIntoAnotherTransactionBehindIt() throws Exception {
        gotRoundTheGuard(Ledger.HANDLER, false, raw -> {
            raw.commit();
            try (Statement statement = raw.createStatement()) {
                statement.execute("SELECT 1");
            }
        });
    }

    @Test
    void soDoesOneThatBeginsAnotherTransactionBehindIt() throws Exception {
        gotRoundTheGuard(raw -> {
            raw.commit();
            try (Statement statement = raw.createStatement()) {
                statement.execute("SELECT 1");
            }
        });
    }

    @Test
    void soDoesOneThatThrowsAfterIt() throws Exception {
        gotRoundTheGuard(raw -> {
            raw.commit();
            throw new IllegalStateException("after the commit");
        });
    }

    @Test
    void soDoesOneThatBeginsAnotherTransactionAndThrows() throws Exception {
        gotRoundTheGuard(raw -> {
            raw.commit();
            try (Statement statement = raw.createStatement()) {
                statement.execute("SELECT 1 / 0");
            }
        });
    }

    @Test
    void soDoesOneThatLosesTheConnectionAfterIt() throws Exception {
        gotRoundTheGuard(raw -> {
            raw.commit();
            try (Statement statement = raw.createStatement()) {
                statement.execute("SELECT pg_terminate_backend(pg_backend_pid())");
            }
        });
    }

    @Test
    void soDoesOneThatLosesTheConnectionAndLetsThatPass() throws Exception {
        gotRoundTheGuard(TamperedTransactionIT::write, true, raw -> {
            raw.commit();
            raw.abort(Runnable::run);
        });
    }

    @Test
    void soDoesOneThatTakesTooLongAfterIt() throws Exception {
        gotRoundTheGuard(raw -> {
            raw.commit();
            new CountDownLatch(1).await(); // until it is interrupted
        });
    }

    @Test
    void soDoesOneThatDoesNotComeBackAfterIt() throws Exception {
        gotRoundTheGuard(raw -> {
            raw.commit();
            while (testRuns.getCount() > 0) {
                try {
                    testRuns.await();
                } catch (InterruptedException e) {
                    // ignored, as a handler should not
                }
            }
        });
    }

    /** The handler of the fourth of ten reaches the real connection once, by a way that no guard can close. */
    private void gotRoundTheGuard(RawTrick trick) throws Exception {
        gotRoundTheGuard(Ledger.HANDLER, true, trick);
    }

    private void gotRoundTheGuard(MessageHandler<String, String> others, boolean writesThroughTheGuard, RawTrick trick)
            throws Exception {
        gotRoundTheGuard(others, writesThroughTheGuard, 3, trick);
    }

    private void gotRoundTheGuard(
            MessageHandler<String, String> others, boolean writesThroughTheGuard, int bad, RawTrick trick)
            throws Exception {
        for (int i = 0; i < 11; i++) {
            ledger.send("account-" + i, "m" + i, i == bad ? "bad" : "10");
        }
        ledger.flush();
        MessageHandler<String, String> tampering = (message, effect) -> {
            if (message.value().equals("bad")) {
                Connection raw = realConnection(effect);
                try (Statement statement = (writesThroughTheGuard ? effect.connection() : raw).createStatement()) {
                    statement.execute(
                            "INSERT INTO entries (message_id, account, amount) VALUES ('m" + bad + "', 'a', '1')");
                }
                trick.on(raw);
            } else {
                others.handle(message, effect);
            }
        };
        ConsumerRuntime broken = ledger.start(oneLane().limits(SHORT), tampering);
        assertThat(broken.awaitStopped(Duration.ofSeconds(20))).isTrue();
        assertThat(broken.state()).isEqualTo(RuntimeState.FAILED);
        assertThat(broken.health().troubles())
                .anySatisfy(trouble -> assertThat(trouble).contains("ended the transaction"));
        assertThat(events.count(EventNames.TRANSACTION_BROKEN)).isEqualTo(1);
        broken.close();
        // A worker's first group is one message, the next is of the other ten.
        assertThat(ledger.committed()).as("nothing of the group is completed").isLessThanOrEqualTo(1);

        ledger.start(oneLane(), Ledger.HANDLER);
        Ledger.await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(11));
        assertThat(ledger.distinctEntries()).as("none lost").isEqualTo(11);
        assertThat(ledger.entries()).as("none double").isEqualTo(11);
        assertThat(ledger.deadLetters()).isZero();
    }

    private static Connection realConnection(Effect effect) throws ReflectiveOperationException {
        Object guard = Proxy.getInvocationHandler(effect.connection());
        Field target = guard.getClass().getSuperclass().getDeclaredField("target");
        target.setAccessible(true);
        return (Connection) target.get(guard);
    }

    private void nineTookEffectAndOneIsDead() {
        assertThat(ledger.entries()).isEqualTo(9);
        assertThat(ledger.distinctEntries()).isEqualTo(9);
        assertThat(ledger.texts("SELECT message_id FROM dead_letters")).containsExactly("m0");
        assertThat(ledger.count("SELECT count(*) FROM processed_messages WHERE message_id = 'm0'"))
                .isZero();
    }

    private void sendTen() {
        for (int i = 0; i < 10; i++) {
            ledger.send("account-" + i, "m" + i, i == 0 ? "bad" : "10");
        }
        ledger.flush();
    }

    private void sendTensEachBegunByATrick() {
        ledger.send("account-0", "first", "10"); // a worker's first group is one message: the next ones are of ten
        TRICKS.keySet().forEach(trick -> {
            // Of a key of its own: none waits until the one before it was given up.
            ledger.send("trick-" + trick, trick, trick);
            for (int i = 1; i < 10; i++) {
                ledger.send("account-" + i, trick + "-" + i, "10");
            }
        });
        ledger.flush();
    }

    /** One by its own statement, the next declared, so that both kinds stand before and behind a trick. */
    private static void write(Message<String, String> message, Effect effect) throws Exception {
        if (message.coordinates().offset() % 2 == 0) {
            effect.handle()
                    .execute(
                            "INSERT INTO entries (message_id, account, amount) VALUES (?, ?, ?)",
                            message.id(),
                            message.key(),
                            message.value());
        } else {
            Ledger.HANDLER.handle(message, effect);
        }
    }

    private static void run(Effect effect, String sql) throws SQLException {
        try (Statement statement = effect.connection().createStatement()) {
            statement.execute(sql);
        }
    }

    private ConsumerRuntimeBuilder oneLane() {
        return ledger.consumer()
                .meterRegistry(scrape.registry())
                .concurrency(new ConsumerSettings.Concurrency(1, 10, Duration.ofSeconds(5)))
                .retry(new RetryPolicy(2, Duration.ofMillis(5), Duration.ofMillis(20)));
    }

    private interface Trick {
        void on(Effect effect) throws SQLException;
    }

    private interface RawTrick {
        void on(Connection raw) throws Exception;
    }
}
