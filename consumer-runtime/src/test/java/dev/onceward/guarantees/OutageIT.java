package dev.onceward.guarantees;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.onceward.catalog.EventNames;
import dev.onceward.catalog.MeterNames;
import dev.onceward.config.ConsumerSettings;
import dev.onceward.handler.MessageHandler;
import dev.onceward.runtime.ConsumerRuntime;
import dev.onceward.runtime.ConsumerRuntimeBuilder;
import dev.onceward.testsupport.Backends;
import dev.onceward.testsupport.ChildKafka;
import dev.onceward.testsupport.ChildPostgres;
import dev.onceward.testsupport.PostgresOptions;
import dev.onceward.testsupport.PostgresServer;
import java.sql.Connection;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * An outage is not a poison message: while the database or the broker is not there, nothing is counted and nothing given
 * up, and afterwards everything is processed once.
 */
@Execution(ExecutionMode.SAME_THREAD) // the servers are this class's own, and each test breaks them
class OutageIT {
    private static final int MESSAGES = 1_500;

    /** Long enough for something to happen in the middle. */
    private static final MessageHandler<String, String> SLOW = (message, effect) -> {
        effect.handle().execute("SELECT pg_sleep(0.002)");
        Ledger.HANDLER.handle(message, effect);
    };

    private static CompletableFuture<ChildPostgres> postgresStart;
    private static CompletableFuture<ChildKafka> kafkaStart;

    private final Scrape scrape = new Scrape();
    private Ledger ledger;
    private EventLog events;

    @BeforeAll
    static void startServers() {
        postgresStart = CompletableFuture.supplyAsync(() -> ChildPostgres.start(PostgresOptions.fast()));
        kafkaStart = CompletableFuture.supplyAsync(ChildKafka::start);
    }

    @AfterAll
    static void stopServers() {
        postgresStart.thenAccept(ChildPostgres::close).join();
        kafkaStart.thenAccept(ChildKafka::close).join();
    }

    @AfterEach
    void end() {
        if (ledger != null) {
            ledger.close();
            events.close();
        }
    }

    @Test
    void aDatabaseThatIsDownForLongerThanAllRetriesCostsNoAttemptAndNoMessage() {
        ChildPostgres postgres = postgresStart.join();
        begin(postgres, Backends.shared().kafka().bootstrapServers());
        ConsumerRuntime runtime = ledger.start(metered(), SLOW);
        awaitProgress(MESSAGES / 4);
        postgres.kill();
        // Five attempts with the longest delays between them would take half a second.
        Ledger.await().until(() -> scrape.sum(MeterNames.OUTAGE) == 1 && scrape.sum(MeterNames.HEARTBEAT_AGE) > 2.5);
        assertThat(runtime.health().live()).isTrue();
        assertThat(runtime.health().ready()).isFalse();
        // The heartbeat may notice first, while the lanes still wait for a connection.
        Ledger.await()
                .untilAsserted(() -> assertThat(runtime.health().troubles())
                        .anySatisfy(trouble -> assertThat(trouble).contains("stands still")));
        postgres.restart();
        everythingWasProcessedOnceAndNothingCounted();
        assertThat(events.count(EventNames.OUTAGE_BEGIN)).isPositive();
        assertThat(events.count(EventNames.OUTAGE_END)).isEqualTo(events.count(EventNames.OUTAGE_BEGIN));
        Ledger.await().until(() -> runtime.health().ready());
    }

    @Test
    void restartsOfTheDatabaseUnderLoadGoUnnoticedByEveryMessage() {
        ChildPostgres postgres = postgresStart.join();
        begin(postgres, Backends.shared().kafka().bootstrapServers());
        ledger.start(metered(), SLOW);
        List<Runnable> ways = List.of(postgres::stop, postgres::stopImmediate, postgres::kill, postgres::stop);
        for (int i = 0; i < ways.size(); i++) {
            awaitProgress((i + 1) * MESSAGES / 6);
            ways.get(i).run();
            postgres.restart();
        }
        everythingWasProcessedOnceAndNothingCounted();
        // A server that crashed gives the ids of lost transactions to others.
        assertThat(events.count(EventNames.TRANSACTION_BROKEN)).isZero();
    }

    @Test
    void sessionsEndedAgainAndAgainUnderLoadCostNothing() {
        begin(postgresStart.join(), Backends.shared().kafka().bootstrapServers());
        // One by one: only a run alone could be counted.
        ledger.start(metered().concurrency(new ConsumerSettings.Concurrency(4, 1, Duration.ofSeconds(5))), SLOW);
        for (int i = 1; i <= 12; i++) {
            awaitProgress(i * MESSAGES / 16);
            endSessions();
        }
        everythingWasProcessedOnceAndNothingCounted();
    }

    @Test
    void aDatabaseThatTakesNoWritesForAWhileIsWaitedFor() {
        begin(postgresStart.join(), Backends.shared().kafka().bootstrapServers());
        // Heartbeats throw their own session away when they fail; here the lanes must get rid of theirs by themselves.
        ledger.start(metered().lease(new ConsumerSettings.Lease(Duration.ofMinutes(1), Duration.ofMinutes(4))), SLOW);
        awaitProgress(MESSAGES / 4);
        readOnly("on");
        endSessions(); // as after a failover: whoever connects again finds it read-only
        Ledger.await().until(() -> scrape.sum(MeterNames.OUTAGE) == 1);
        readOnly("off"); // the sessions made meanwhile stay read-only: they are of no use any more
        everythingWasProcessedOnceAndNothingCounted();
    }

    @Test
    void F27_handlersThatTakeASecondConnectionFromAPoolThatHasNoneLeftAreWaitedForNotGivenUp() {
        begin(Backends.shared().postgres(), Backends.shared().kafka().bootstrapServers(), 60);
        HikariConfig config = new HikariConfig();
        config.setDataSource(ledger.dataSource);
        config.setMaximumPoolSize(5); // four lanes and the heartbeat
        config.setConnectionTimeout(300);
        CountDownLatch allLanes = new CountDownLatch(4);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            ConsumerRuntime runtime =
                    ledger.start(ledger.consumer(pool).meterRegistry(scrape.registry()), (message, effect) -> {
                        effect.handle().execute("SELECT 1");
                        allLanes.countDown();
                        allLanes.await(); // until each lane has a connection, and none is left
                        try (Connection second = pool.getConnection()) {
                            second.createStatement().execute("SELECT pg_sleep(0.001)");
                        }
                        Ledger.HANDLER.handle(message, effect);
                    });
            everythingWasProcessedOnceAndNothingCounted(60);
            assertThat(events.count(EventNames.OUTAGE_BEGIN))
                    .as("taken for an outage")
                    .isPositive();
            assertThat(events.count(EventNames.LEASE_EXPIRED))
                    .as("the heartbeat keeps its connection")
                    .isZero();
            runtime.close();
        }
    }

    @Test
    void aBrokerThatIsKilledAndComesBackUnderLoadCostsNothing() {
        ChildKafka kafka = kafkaStart.join();
        begin(Backends.shared().postgres(), kafka.bootstrapServers());
        ledger.start(metered(), SLOW);
        awaitProgress(MESSAGES / 4);
        kafka.kill();
        kafka.restart();
        everythingWasProcessedOnceAndNothingCounted();
    }

    /** A frozen broker answers nothing, and nothing tells the consumer so: what it knew last is not what is so. */
    @Test
    void aBrokerThatFallsSilentIsNotTakenForATopicInWhichNothingWaits() {
        ChildKafka kafka = kafkaStart.join();
        begin(Backends.shared().postgres(), kafka.bootstrapServers(), 100);
        ledger.start(metered(), Ledger.HANDLER);
        everythingWasProcessedOnceAndNothingCounted(100);
        Ledger.await().until(this::caughtUp);
        Ledger.await().during(Duration.ofSeconds(1)).until(this::caughtUp); // idle is not silent
        kafka.freeze();
        try {
            Ledger.await().until(() -> ages().allMatch(age -> age > 0));
            assertThat(ages()).as("the silence itself").allMatch(age -> age > 10);
            assertThat(scrape.series(MeterNames.LAG, "topic", ledger.topic))
                    .allSatisfy(
                            lag -> assertThat(lag.measure().iterator().next().getValue())
                                    .as("not known")
                                    .isNaN());
        } finally {
            kafka.unfreeze();
        }
        Ledger.await().until(this::caughtUp);
        ledger.send("account-1", "later", "10");
        ledger.flush();
        everythingWasProcessedOnceAndNothingCounted(101);
        Ledger.await().until(this::caughtUp);
    }

    private boolean caughtUp() {
        return ages().allMatch(age -> age == 0);
    }

    private DoubleStream ages() {
        return IntStream.range(0, 3)
                .mapToDouble(partition -> scrape.value(
                                MeterNames.OLDEST_MESSAGE_AGE,
                                "topic",
                                ledger.topic,
                                "partition",
                                Integer.toString(partition))
                        .orElseThrow());
    }

    @Test
    void aDatabaseThatIsNotThereAtStartIsWaitedFor() {
        ChildPostgres postgres = postgresStart.join();
        begin(postgres, Backends.shared().kafka().bootstrapServers());
        postgres.stop();
        CompletableFuture<ConsumerRuntime> starting = new CompletableFuture<>();
        Thread starter = new Thread(() -> starting.complete(ledger.start(metered(), SLOW)), ledger.name + "-starter");
        starter.start();
        Ledger.await().until(() -> events.saw("is not there yet"));
        assertThat(starting).isNotDone();
        postgres.restart();
        Ledger.await().until(starting::isDone);
        everythingWasProcessedOnceAndNothingCounted();
    }

    @Test
    void aMessageThatBreaksItsOwnConnectionEachTimeIsNoOutageAndIsGivenUp() {
        begin(Backends.shared().postgres(), Backends.shared().kafka().bootstrapServers(), 100);
        ledger.start(metered(), (message, effect) -> {
            Ledger.HANDLER.handle(message, effect);
            if (message.id().equals("m7")) {
                effect.handle().execute("SELECT pg_terminate_backend(pg_backend_pid())");
            }
        });
        Ledger.await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(100));
        assertThat(ledger.entries()).isEqualTo(99);
        assertThat(ledger.distinctEntries()).isEqualTo(99);
        assertThat(ledger.texts("SELECT message_id FROM dead_letters")).containsExactly("m7");
        assertThat(ledger.count("SELECT attempts FROM dead_letters")).isEqualTo(5);
    }

    @Test
    void aMessageThatAloneFindsAnotherDatabaseMissingHoldsItsKeyAndNobodyElse() {
        begin(Backends.shared().postgres(), Backends.shared().kafka().bootstrapServers(), 100);
        AtomicBoolean missing = new AtomicBoolean(true);
        ledger.start(metered(), (message, effect) -> {
            Ledger.HANDLER.handle(message, effect);
            if (message.id().equals("m7") && missing.get()) {
                throw new SQLTransientConnectionException("the other database is not there");
            }
        });
        // m7, m38 and m69 are of one account.
        Ledger.await().until(() -> ledger.entries() == 97);
        assertThat(ledger.count("SELECT count(*) FROM entries WHERE account = 'account-7'"))
                .isZero();
        missing.set(false);
        everythingWasProcessedOnceAndNothingCounted(100);
        assertThat(ledger.texts("SELECT message_id FROM entries WHERE account = 'account-7' ORDER BY id"))
                .containsExactly("m7", "m38", "m69");
    }

    private void begin(PostgresServer postgres, String bootstrap) {
        begin(postgres, bootstrap, MESSAGES);
    }

    private void begin(PostgresServer postgres, String bootstrap, int messages) {
        ledger = new Ledger(3, postgres, bootstrap);
        events = EventLog.of(ledger.name);
        for (int i = 0; i < messages; i++) {
            ledger.send("account-" + i % 31, "m" + i, "10");
        }
        ledger.flush();
    }

    private ConsumerRuntimeBuilder metered() {
        return ledger.consumer()
                .concurrency(new ConsumerSettings.Concurrency(4, 20, Duration.ofSeconds(5)))
                .meterRegistry(scrape.registry());
    }

    private void awaitProgress(int messages) {
        Ledger.await().until(() -> scrape.sum(MeterNames.MESSAGES) >= messages);
    }

    private void endSessions() {
        ledger.count("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                + " WHERE datname = current_database() AND pid <> pg_backend_pid()");
    }

    private void readOnly(String onOrOff) {
        ledger.execute("BEGIN READ WRITE; ALTER DATABASE " + ledger.databaseName
                + " SET default_transaction_read_only = " + onOrOff + "; COMMIT");
    }

    private void everythingWasProcessedOnceAndNothingCounted() {
        everythingWasProcessedOnceAndNothingCounted(MESSAGES);
    }

    private void everythingWasProcessedOnceAndNothingCounted(int messages) {
        Ledger.await()
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(messages));
        assertThat(ledger.entries()).isEqualTo(messages);
        assertThat(ledger.distinctEntries()).isEqualTo(messages);
        assertThat(ledger.count("SELECT count(*) FROM dead_letters")).isZero();
        assertThat(ledger.count("SELECT count(*) FROM message_attempts")).isZero();
        assertThat(events.count(EventNames.ATTEMPT_FAILED)).isZero();
    }
}
