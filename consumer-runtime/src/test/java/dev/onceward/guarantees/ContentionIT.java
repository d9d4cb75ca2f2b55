package dev.onceward.guarantees;

import static dev.onceward.guarantees.Ledger.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.EventNames;
import dev.onceward.catalog.MeterNames;
import dev.onceward.config.ConsumerSettings;
import dev.onceward.config.RetryPolicy;
import dev.onceward.handler.Effect;
import dev.onceward.handler.FailureClass;
import dev.onceward.handler.Message;
import dev.onceward.handler.MessageHandler;
import dev.onceward.runtime.ConsumerRuntime;
import dev.onceward.runtime.ConsumerRuntimeBuilder;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.JdbiException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Transactions that get in each other's way run again; no message is to blame, though one attempt would be the last. */
class ContentionIT {
    private static final String MOVE = "UPDATE accounts SET balance = balance + 1 WHERE id = ?";

    private final Scrape scrape = new Scrape();
    private final Queue<Integer> attempts = new ConcurrentLinkedQueue<>();
    private Ledger ledger;
    private EventLog events;

    @BeforeEach
    void begin() {
        ledger = new Ledger(1);
        events = EventLog.of(ledger.name);
        ledger.execute("CREATE TABLE accounts (id int PRIMARY KEY, balance int NOT NULL)");
        ledger.execute("INSERT INTO accounts SELECT n, 0 FROM generate_series(1, 4) n");
    }

    @AfterEach
    void end() {
        ledger.close();
        events.close();
    }

    @Test
    void F12_deadlockOfTwoLanesReRunsTheWholeTransaction() {
        Map<String, Integer> firstAccount = new ConcurrentHashMap<>();
        AtomicInteger arrivals = new AtomicInteger();
        CountDownLatch bothHoldOne = new CountDownLatch(2);
        Queue<String> states = new ConcurrentLinkedQueue<>();
        send(16);
        ledger.start(consumer(), (message, effect) -> {
            remembered(message, effect);
            int arrival = arrivals.incrementAndGet();
            if (arrival <= 2) {
                firstAccount.put(message.id(), arrival);
            }
            Integer first = firstAccount.get(message.id());
            if (first != null) {
                try {
                    effect.handle().execute(MOVE, first);
                    bothHoldOne.countDown();
                    assertThat(bothHoldOne.await(20, TimeUnit.SECONDS)).isTrue();
                    effect.handle().execute(MOVE, 3 - first);
                } catch (JdbiException e) {
                    states.add(((SQLException) e.getCause()).getSQLState());
                    throw e;
                }
            }
        });
        everythingOnceAndNobodyBlamed(16);
        assertThat(scrape.sum(MeterNames.CONTENTION)).isPositive();
        assertThat(states).isNotEmpty().containsOnly("40P01");
        assertThat(ledger.texts("SELECT balance FROM accounts ORDER BY id")).containsExactly("2", "2", "0", "0");
    }

    @Test
    void F12_deadlockOfTwoWorkersReRunsTheWholeTransaction() {
        CountDownLatch bothHoldOne = new CountDownLatch(2);
        Queue<String> states = new ConcurrentLinkedQueue<>();
        Set<Integer> deadlocked = ConcurrentHashMap.newKeySet();
        try (Ledger two = new Ledger(2)) {
            two.execute("CREATE TABLE accounts (id int PRIMARY KEY, balance int NOT NULL)");
            two.execute("INSERT INTO accounts VALUES (0, 0), (1, 0)");
            MessageHandler<String, String> handler = (message, effect) -> {
                remembered(message, effect);
                int partition = message.coordinates().partition();
                if (message.value().equals("move")) {
                    try {
                        effect.handle().execute(MOVE, partition);
                        if (deadlocked.add(partition)) {
                            bothHoldOne.countDown();
                            assertThat(bothHoldOne.await(20, TimeUnit.SECONDS)).isTrue();
                        }
                        effect.handle().execute(MOVE, 1 - partition);
                    } catch (JdbiException e) {
                        states.add(((SQLException) e.getCause()).getSQLState());
                        throw e;
                    }
                }
            };
            RetryPolicy once = new RetryPolicy(1, Duration.ofMillis(10), Duration.ofMillis(100));
            two.start(two.consumer("classic").retry(once).meterRegistry(scrape.registry()), handler);
            two.start(two.consumer("classic").retry(once), handler);
            // A partition is taken over when it has a record.
            AtomicInteger sent = new AtomicInteger();
            await().until(() -> {
                int round = sent.getAndIncrement();
                two.send(0, "k", "before-0-" + round, "10");
                two.send(1, "k", "before-1-" + round, "10");
                return two.count(
                                "SELECT count(DISTINCT worker_id) FROM partition_generations WHERE topic = ?"
                                        + " AND released_at IS NULL",
                                two.topic)
                        == 2;
            });
            two.send(0, "k", "m0", "move");
            two.send(1, "k", "m1", "move");
            two.flush();
            int all = 2 * sent.get() + 2;
            await().untilAsserted(() -> assertThat(two.committed()).isEqualTo(all));
            assertThat(states).containsExactly("40P01");
            assertThat(two.entries()).isEqualTo(all);
            assertThat(two.distinctEntries()).isEqualTo(all);
            assertThat(two.texts("SELECT balance FROM accounts")).containsExactly("2", "2");
            assertThat(attempts).containsOnly(1);
            assertThat(two.count("SELECT count(*) FROM message_attempts")).isZero();
            assertThat(two.count("SELECT count(*) FROM dead_letters")).isZero();
        }
    }

    @Test
    void manyDeclaredUpdatesThatTakeAccountsInAnyOrderAllTakeEffect() {
        int transfers = 150;
        Random random = new Random(7);
        for (int i = 0; i < transfers; i++) {
            int from = 1 + random.nextInt(4);
            int to = 1 + (from + random.nextInt(3)) % 4;
            ledger.send("key-" + i % 30, "m" + i, from + " " + to);
        }
        ledger.flush();
        ledger.start(consumer(), (message, effect) -> {
            remembered(message, effect);
            for (String account :
                    List.of(message.value().substring(0, 1), message.value().substring(2))) {
                effect.update(
                        "UPDATE accounts SET balance = balance + 1 + length(pg_sleep(0.005)::text) WHERE id = ?",
                        Integer.valueOf(account));
            }
        });
        everythingOnceAndNobodyBlamed(transfers);
        assertThat(ledger.count("SELECT sum(balance) FROM accounts")).isEqualTo(2L * transfers);
    }

    /** Raised five times; more often than a group is run again, so that it is halved too. */
    @ParameterizedTest
    @CsvSource({"40001, IMMEDIATE", "40001, DEFERRED", "40P01, IMMEDIATE", "55P03, IMMEDIATE"})
    void F12_aConflictToldBySqlStateReRunsTheWholeTransaction(String state, String when) {
        ledger.execute("CREATE SEQUENCE conflicts");
        ledger.execute("CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                + " IF NEW.message_id = 'm17' AND nextval('conflicts') <= 5 THEN"
                + " RAISE EXCEPTION 'not now' USING ERRCODE = '" + state + "'; END IF; RETURN NEW; END $$");
        ledger.execute("CREATE CONSTRAINT TRIGGER conflict AFTER INSERT ON entries DEFERRABLE INITIALLY " + when
                + " FOR EACH ROW EXECUTE FUNCTION conflict()");
        send(40);
        ledger.start(consumer(), this::remembered);
        everythingOnceAndNobodyBlamed(40);
        assertThat(ledger.count("SELECT last_value FROM conflicts")).isEqualTo(6);
        assertThat(scrape.sum(MeterNames.CONTENTION)).isEqualTo(5);
    }

    @Test
    void aLockThatIsNeverFreeHoldsOneKeyAndSaysSoUntilItIs() throws SQLException {
        MessageHandler<String, String> handler = (message, effect) -> {
            remembered(message, effect);
            if (message.id().equals("m17")) {
                effect.update(MOVE, 4);
            }
        };
        send(40);
        try (Connection other = ledger.dataSource.getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("SELECT FROM accounts WHERE id = 4 FOR UPDATE");
            ConsumerRuntime runtime = ledger.start(
                    consumer()
                            .limits(new ConsumerSettings.Limits(
                                    Duration.ofSeconds(5),
                                    Duration.ofMillis(100),
                                    Duration.ofSeconds(1),
                                    Duration.ofSeconds(1),
                                    Duration.ofSeconds(2),
                                    Duration.ofMillis(200),
                                    3)),
                    handler);
            await().untilAsserted(() -> {
                assertThat(events.count(EventNames.CONTENTION)).isPositive();
                assertThat(ledger.entries()).isEqualTo(37);
            });
            assertThat(ledger.entriesOf("account-7")).containsExactly("m7");
            assertThat(scrape.sum(MeterNames.KEYS_HELD)).isEqualTo(1);
            assertThat(ledger.committed()).isEqualTo(17);
            assertThat(runtime.health().ready()).isTrue();
            other.rollback();
        }
        everythingOnceAndNobodyBlamed(40);
        assertThat(ledger.entriesOf("account-7")).containsExactly("m7", "m17", "m27", "m37");
        assertThat(ledger.count("SELECT balance FROM accounts WHERE id = 4")).isEqualTo(1);
    }

    private void remembered(Message<String, String> message, Effect effect) throws Exception {
        attempts.add(message.attempt());
        Ledger.HANDLER.handle(message, effect);
    }

    private void send(int messages) {
        for (int i = 0; i < messages; i++) {
            ledger.send("account-" + i % 10, "m" + i, "10");
        }
        ledger.flush();
    }

    private ConsumerRuntimeBuilder consumer() {
        return ledger.consumer()
                .meterRegistry(scrape.registry())
                .retry(new RetryPolicy(1, Duration.ofMillis(10), Duration.ofMillis(100)));
    }

    private void everythingOnceAndNobodyBlamed(int messages) {
        await().atMost(Duration.ofSeconds(90))
                .untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(messages));
        assertThat(ledger.entries()).isEqualTo(messages);
        assertThat(ledger.distinctEntries()).isEqualTo(messages);
        assertThat(attempts).containsOnly(1);
        assertThat(ledger.count("SELECT count(*) FROM message_attempts")).isZero();
        assertThat(ledger.count("SELECT count(*) FROM dead_letters")).isZero();
        assertThat(events.count(EventNames.ATTEMPT_FAILED)).isZero();
        assertThat(events.count(EventNames.OUTAGE_BEGIN)).isZero();
        assertThat(scrape.sum(MeterNames.ATTEMPTS_FAILED, "reason", FailureClass.CONTENTION.name()))
                .isEqualTo(scrape.sum(MeterNames.ATTEMPTS_FAILED));
    }
}
