package dev.onceward.guarantees;

import static dev.onceward.guarantees.Ledger.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.EventNames;
import dev.onceward.catalog.MeterNames;
import dev.onceward.config.ConsumerSettings;
import dev.onceward.config.RetryPolicy;
import dev.onceward.handler.Effect;
import dev.onceward.handler.FailureClass;
import dev.onceward.handler.MessageHandler;
import dev.onceward.runtime.ConsumerRuntime;
import dev.onceward.runtime.ConsumerRuntimeBuilder;
import dev.onceward.runtime.RuntimeState;
import dev.onceward.testsupport.proxy.Action;
import dev.onceward.testsupport.proxy.Direction;
import dev.onceward.testsupport.proxy.PostgresProxy;
import dev.onceward.testsupport.proxy.ProxiedConnection;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nothing runs for ever: neither a handler nor what waits for a peer that is gone; and being slow is no failure. */
class TimeLimitIT {
    private static final String SLOW_UPDATE =
            "INSERT INTO entries (message_id, account, amount) SELECT ?, ?, ? FROM pg_sleep(?)";

    private final AtomicInteger laterAttempts = new AtomicInteger();

    /** A declared update that takes as many seconds as the value says; remembers attempts beyond the first. */
    private final MessageHandler<String, String> declaring = (message, effect) -> {
        if (message.attempt() > 1) {
            laterAttempts.incrementAndGet();
        }
        effect.update(SLOW_UPDATE, message.id(), message.key(), message.value(), Double.parseDouble(message.value()));
    };

    private final Scrape scrape = new Scrape();
    private final CountDownLatch release = new CountDownLatch(1);
    private Ledger ledger;
    private EventLog events;

    @BeforeEach
    void begin() {
        ledger = new Ledger(1);
        events = EventLog.of(ledger.name);
    }

    /** What an administrator set for the whole database is for others: a transaction of the runtime has its own limits. */
    @Test
    void limitsOfTheDatabaseBelowAHandlersTimeBlameNoMessage() {
        List.of(
                        "statement_timeout = '300ms'",
                        "lock_timeout = '100ms'",
                        "idle_in_transaction_session_timeout = '300ms'",
                        "idle_session_timeout = '500ms'",
                        "transaction_timeout = '400ms'")
                .forEach(this::setForDatabase);
        ledger.start((message, effect) -> {
            effect.handle().execute("SELECT pg_sleep(0.7)");
            declaring.handle(message, effect);
        });
        for (int i = 0; i < 3; i++) {
            ledger.send("a" + i, "m" + i, "0.7");
        }
        ledger.flush();

        await().until(() -> ledger.entries() == 3);
        assertThat(laterAttempts).hasValue(0);
        assertThat(ledger.count("SELECT count(*) FROM dead_letters")).isZero();
    }

    private void setForDatabase(String setting) {
        boolean known = ledger.count(
                        "SELECT count(*) FROM pg_settings WHERE name = ?", setting.substring(0, setting.indexOf(' ')))
                == 1;
        if (known) { // transaction_timeout: since PostgreSQL 17
            ledger.execute("ALTER DATABASE \"" + ledger.databaseName + "\" SET " + setting);
        }
    }

    /** By a limit that its handler set: only this message is slow, and it must not be tried for ever. */
    @Test
    void aQueryThatWasCancelledCountsAndTheMessageIsGivenUpInTheEnd() {
        ledger.start((message, effect) -> {
            effect.handle().execute("SET LOCAL statement_timeout = '50ms'");
            effect.handle().execute(message.id().equals("slow") ? "SELECT pg_sleep(5)" : "SELECT 1");
            Ledger.HANDLER.handle(message, effect);
        });
        ledger.send("a", "slow", "1");
        ledger.send("a", "behind", "1");
        ledger.flush();

        await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(2));
        assertThat(ledger.texts("SELECT message_id FROM entries")).containsExactly("behind");
        assertThat(ledger.texts("SELECT message_id || ' ' || reason || ' ' || attempts FROM dead_letters"))
                .containsExactly("slow ATTEMPTS_EXHAUSTED 5");
        assertThat(events.count(EventNames.OUTAGE_BEGIN)).isZero();
    }

    @AfterEach
    void end() {
        release.countDown();
        ledger.close();
        events.close();
    }

    // ---- slow, but within the limit of each ----

    @Test
    void aHundredDeclaredUpdatesOf400MillisecondsTakeEffectOnceAndNobodyIsBlamed() {
        for (int i = 0; i < 100; i++) {
            ledger.send("account-" + i % 40, "m" + i, "0.4");
        }
        ledger.flush();
        ledger.start(ledger.consumer().meterRegistry(scrape.registry()), declaring);
        allOnceAndNobodyBlamed(100);
        assertThat(events.count(EventNames.TIME_OVER)).isZero();
    }

    @Test
    void aGroupThatTurnsOutMuchSlowerThanThoseBeforeIsSplitAndNobodyIsBlamed() {
        ConsumerRuntime runtime = ledger.start(limited(Duration.ofSeconds(2), 3, 4), declaring);
        // Quick ones first: by what these take, a lane puts all that waits into one group, which is 10 s long then.
        for (int i = 0; i < 200; i++) {
            ledger.send("account-" + i % 40, "quick" + i, "0");
        }
        ledger.flush();
        await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(200));
        inOneGo(runtime, 100, i -> ledger.send("account-" + i % 40, "m" + i, "0.4"));

        allOnceAndNobodyBlamed(300);
        // Sent as one batch, it was over what handler and budget allow together.
        assertThat(events.count(EventNames.TIME_OVER)).isPositive();
    }

    private void allOnceAndNobodyBlamed(int messages) {
        await().atMost(Duration.ofSeconds(90))
                .untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(messages));
        assertThat(ledger.entries()).isEqualTo(messages);
        assertThat(ledger.distinctEntries()).isEqualTo(messages);
        assertThat(laterAttempts).hasValue(0);
        assertThat(scrape.sum(MeterNames.ATTEMPTS_FAILED)).isZero();
        assertThat(ledger.count("SELECT count(*) FROM message_attempts")).isZero();
        assertThat(ledger.count("SELECT count(*) FROM dead_letters")).isZero();
        assertThat(events.count(EventNames.ATTEMPT_FAILED)).isZero();
        assertThat(events.count(EventNames.OUTAGE_BEGIN)).isZero();
    }

    // ---- over the limit ----

    /** What a handler does when it should have ended long ago. */
    enum Hang {
        IN_THE_DATABASE,
        IN_JAVA,
        AND_HIDES_IT
    }

    @ParameterizedTest
    @EnumSource
    void F28_aHandlerOverItsLimitIsCountedAndItsServerProcessEnded(Hang hang) {
        Queue<Integer> serverProcesses = new ConcurrentLinkedQueue<>();
        for (int i = 0; i < 30; i++) {
            ledger.send("account-" + i % 5, "m" + i, "10");
        }
        ledger.send("slow", "slow", "10");
        ledger.send("slow", "behind", "10");
        ledger.flush();
        ledger.start(
                limited(Duration.ofMillis(1500), 0, 4)
                        .retry(new RetryPolicy(3, Duration.ofMillis(10), Duration.ofMillis(100))),
                (message, effect) -> {
                    Ledger.HANDLER.handle(message, effect);
                    if (message.id().equals("slow")) {
                        serverProcesses.add(effect.handle()
                                .createQuery("SELECT pg_backend_pid()")
                                .mapTo(Integer.class)
                                .one());
                        hang(hang, effect);
                    }
                });

        await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(32));
        assertThat(ledger.entries()).isEqualTo(31);
        assertThat(ledger.distinctEntries()).isEqualTo(31);
        assertThat(ledger.count("SELECT count(*) FROM entries WHERE message_id = 'slow'"))
                .isZero();
        assertThat(ledger.texts("SELECT message_id || ' ' || reason || ' ' || attempts FROM dead_letters"))
                .containsExactly("slow ATTEMPTS_EXHAUSTED 3");
        assertThat(scrape.sum(MeterNames.ATTEMPTS_FAILED, "reason", FailureClass.TIME_LIMIT.name()))
                .isGreaterThanOrEqualTo(3);
        assertThat(events.count(EventNames.TIME_OVER)).isGreaterThanOrEqualTo(3);
        assertThat(events.count(EventNames.HANDLER_STUCK)).isZero();
        assertThat(events.count(EventNames.OUTAGE_BEGIN)).isZero();
        assertThat(serverProcesses).hasSizeGreaterThanOrEqualTo(3);
        serverProcesses.forEach(this::isGone);
        // The claim of an attempt waits for the process of the one before: had that lived on, it would have given up.
        assertThat(scrape.sum(MeterNames.CONTENTION)).isZero();
    }

    private static void hang(Hang hang, Effect effect) throws InterruptedException {
        switch (hang) {
            case IN_THE_DATABASE -> effect.handle().execute("SELECT pg_sleep(60)");
            case IN_JAVA -> new CountDownLatch(1).await();
            case AND_HIDES_IT -> {
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                    // as many libraries do
                }
            }
        }
    }

    private void isGone(int serverProcess) {
        await().untilAsserted(() -> assertThat(ledger.count(
                        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid = ?",
                        serverProcess))
                .isZero());
    }

    // ---- not to be stopped ----

    @Test
    void aHandlerThatIgnoresItsInterruptLosesItsLaneAndTheOthersGoOn() {
        ConsumerRuntime runtime = ledger.start(limited(Duration.ofSeconds(1), 3, 1), (message, effect) -> {
            if (message.id().equals("stuck") && message.attempt() == 1) {
                hangUninterruptibly();
            }
            Ledger.HANDLER.handle(message, effect); // also when it comes back, far too late, as if nothing were wrong
        });
        for (int i = 0; i < 20; i++) {
            ledger.send("account-" + i, "warm" + i, "10");
        }
        ledger.flush();
        await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(20));
        inOneGo(runtime, 20, i -> ledger.send("account-" + i % 3, i == 10 ? "stuck" : "m" + i, "10"));

        // All of them, also itself at its second attempt, while it still hangs: in its group, and in its first attempt.
        await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(40));
        assertThat(scrape.sum(MeterNames.HANDLERS_STUCK)).isEqualTo(2);
        assertThat(events.count(EventNames.HANDLER_STUCK)).isEqualTo(2);
        assertThat(events.count(EventNames.ATTEMPT_FAILED)).isEqualTo(1);
        assertThat(scrape.sum(MeterNames.RETRIES_SUCCEEDED)).isEqualTo(1);
        // They go on, but with less than this worker should have: two threads and their connections are gone.
        assertThat(runtime.health().ready()).isFalse();
        assertThat(runtime.health().live()).isTrue();
        assertThat(runtime.health().troubles())
                .containsExactly("2 handlers ignore their time limit; 3 may (limits.max-stuck-handlers)");
        assertThat(ledger.entriesOf("account-1"))
                .containsExactly("warm1", "m1", "m4", "m7", "stuck", "m13", "m16", "m19");

        release.countDown();
        await().untilAsserted(
                        () -> assertThat(events.count(EventNames.HANDLER_STUCK)).isEqualTo(4));
        assertThat(ledger.entries()).isEqualTo(40);
        assertThat(ledger.distinctEntries()).isEqualTo(40);
        await().untilAsserted(() -> assertThat(runtime.health().ready()).isTrue());
        ledger.send("account-1", "last", "10");
        await().untilAsserted(() -> assertThat(ledger.entries()).isEqualTo(41));
        assertThat(runtime.state()).isEqualTo(RuntimeState.RUNNING);
    }

    @Test
    void afterMoreThanAFewOfThemTheWorkerFailsLeavesTheGroupAndSaysSo() {
        for (int i = 0; i < 20; i++) {
            ledger.send("account-" + i, i % 5 == 4 ? "stuck" + i : "m" + i, "10");
        }
        ledger.flush();
        ConsumerRuntime runtime = ledger.start(limited(Duration.ofMillis(500), 1, 2), (message, effect) -> {
            Ledger.HANDLER.handle(message, effect);
            if (message.id().startsWith("stuck")) {
                hangUninterruptibly();
            }
        });
        await().untilAsserted(() -> assertThat(runtime.state()).isEqualTo(RuntimeState.FAILED));
        assertThat(runtime.health().live()).isFalse();
        assertThat(runtime.health().ready()).isFalse();
        assertThat(runtime.health().troubles()).singleElement().asString().contains("limits.max-stuck-handlers");
        assertThat(events.count(EventNames.WORKER_FAILED)).isEqualTo(1);
        await().untilAsserted(() -> assertThat(members()).isZero());
        assertThat(ledger.committed()).isLessThanOrEqualTo(4);
        assertThat(ledger.count("SELECT count(*) FROM entries WHERE message_id LIKE 'stuck%'"))
                .isZero();

        ledger.start(Ledger.HANDLER);
        await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(20));
        release.countDown();
        runtime.close();
        assertThat(ledger.entries()).isEqualTo(20);
        assertThat(ledger.distinctEntries()).isEqualTo(20);
        assertThat(ledger.count("SELECT count(*) FROM dead_letters")).isZero();
    }

    /** A schema registry that does not answer, say; with a client that can be interrupted, and with one that cannot. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aDeserialiserThatHangsIsCountedLikeAHandlerAndOthersGoOn(boolean interruptible) {
        for (int i = 0; i < 20; i++) {
            ledger.send("account-" + i % 2, i == 10 ? "slow" : "m" + i, i == 10 ? "hang" : "10");
        }
        ledger.flush();
        AtomicInteger attempts = new AtomicInteger();
        StringDeserializer hanging = new StringDeserializer() {
            @Override
            public String deserialize(String topic, Headers headers, byte[] data) {
                String text = super.deserialize(topic, headers, data);
                if (text.equals("hang") && attempts.incrementAndGet() < 3) {
                    if (interruptible) {
                        hangInterruptibly();
                    } else {
                        hangUninterruptibly();
                    }
                }
                return text;
            }
        };
        ledger.started(limited(Duration.ofSeconds(1), 3, 2)
                .handle(ledger.topic, new StringDeserializer(), hanging, Ledger.HANDLER)
                .start());

        await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(20));
        assertThat(ledger.entries()).isEqualTo(20);
        assertThat(ledger.distinctEntries()).isEqualTo(20);
        assertThat(ledger.entriesOf("account-0"))
                .containsExactly("m0", "m2", "m4", "m6", "m8", "slow", "m12", "m14", "m16", "m18");
        assertThat(attempts).hasValue(3);
        assertThat(events.count(EventNames.ATTEMPT_FAILED)).isEqualTo(2);
        assertThat(scrape.sum(MeterNames.HANDLERS_STUCK)).isEqualTo(interruptible ? 0 : 2);
        assertThat(scrape.sum(MeterNames.RETRIES_SUCCEEDED)).isEqualTo(1);
        assertThat(ledger.count("SELECT count(*) FROM message_attempts")).isZero();
    }

    private void hangInterruptibly() {
        try {
            release.await();
        } catch (InterruptedException e) {
            throw new SerializationException("no answer", e);
        }
    }

    private void hangUninterruptibly() {
        while (release.getCount() > 0) {
            try {
                release.await();
            } catch (InterruptedException e) {
                // that is the point
            }
        }
    }

    private int members() throws ExecutionException, InterruptedException {
        return ledger.admin()
                .describeConsumerGroups(List.of(ledger.name))
                .all()
                .get()
                .get(ledger.name)
                .members()
                .size();
    }

    // ---- a peer that is gone without a word ----

    @Test
    void F28_aConnectionThatDiesSilentlyInAHandlerIsEndedOnBothSidesAndTheRetrySucceeds() {
        try (PostgresProxy proxy = PostgresProxy.to(ledger.postgres)) {
            AtomicInteger serverProcess = new AtomicInteger();
            CompletableFuture<ProxiedConnection> struck =
                    proxy.network().beforeBytes(Direction.TO_SERVER, "/* lost */".getBytes(UTF_8), silence());
            for (int i = 0; i < 10; i++) {
                ledger.send("account-" + i % 2, "m" + i, "10");
            }
            ledger.flush();
            ledger.start(through(proxy, limited(Duration.ofSeconds(1), 0, 2)), (message, effect) -> {
                Ledger.HANDLER.handle(message, effect);
                if (message.id().equals("m3") && message.attempt() == 1) {
                    int pid = effect.handle()
                            .createQuery("SELECT pg_backend_pid()")
                            .mapTo(Integer.class)
                            .one();
                    if (serverProcess.compareAndSet(0, pid)) {
                        effect.handle().execute("SELECT 1 /* lost */");
                    }
                }
            });
            everythingOnce(10);
            assertThat(struck).isCompleted();
            isGone(serverProcess.get());
            assertThat(events.count(EventNames.OUTAGE_BEGIN)).isZero();
            assertThat(events.count(EventNames.HANDLER_STUCK)).isZero();
        }
    }

    @Test
    void F28_aConnectionThatDiesSilentlyInCommitIsEndedAndTheClaimTells() {
        try (PostgresProxy proxy = PostgresProxy.to(ledger.postgres)) {
            CompletableFuture<Integer> struck = proxy.atNextCommitAnswer("chosen", silence());
            ledger.send("account", "chosen", "10");
            ledger.send("account", "behind", "10");
            ledger.flush();
            ledger.start(through(proxy, limited(Duration.ofSeconds(1), 0, 2)), Ledger.HANDLER);
            everythingOnce(2);
            assertThat(struck).isCompleted();
            assertThat(events.count(EventNames.UNKNOWN_COMMIT)).isEqualTo(1);
            assertThat(scrape.sum(MeterNames.ATTEMPTS_FAILED)).isZero();
        }
    }

    /** More lanes are caught in it than handlers may be stuck, and one attempt more would be the last. */
    @Test
    void aNetworkThatSwallowsEverythingIsAnOutageAndTheServerEndsWhatNobodyCanReach() {
        try (PostgresProxy proxy = PostgresProxy.to(ledger.postgres)) {
            CountDownLatch inHandlers = new CountDownLatch(4);
            CountDownLatch silent = new CountDownLatch(1);
            for (int i = 0; i < 40; i++) {
                ledger.send("account-" + i, "m" + i, "10");
            }
            ledger.flush();
            ConsumerRuntime runtime = ledger.start(
                    through(proxy, limited(Duration.ofSeconds(1), 1, 4))
                            .retry(new RetryPolicy(1, Duration.ofMillis(10), Duration.ofMillis(100))),
                    (message, effect) -> {
                        Ledger.HANDLER.handle(message, effect);
                        inHandlers.countDown();
                        silent.await();
                        effect.handle().execute("SELECT 1");
                    });
            await().until(() -> inHandlers.getCount() == 0);
            proxy.network().drop(Direction.TO_SERVER);
            proxy.network().drop(Direction.TO_CLIENT);
            silent.countDown();

            await().untilAsserted(() -> assertThat(ledger.count("SELECT count(*) FROM pg_stat_activity"
                            + " WHERE datname = current_database() AND xact_start IS NOT NULL"
                            + " AND pid <> pg_backend_pid()"))
                    .isZero());
            assertThat(runtime.state()).isEqualTo(RuntimeState.RUNNING);
            await().untilAsserted(() -> assertThat(runtime.health().ready()).isFalse());
            proxy.reset();

            everythingOnce(40);
            assertThat(runtime.state()).isEqualTo(RuntimeState.RUNNING);
            assertThat(events.count(EventNames.HANDLER_STUCK)).isZero();
            assertThat(events.count(EventNames.ATTEMPT_FAILED)).isZero();
        }
    }

    private static Action silence() {
        return connection -> {
            connection.drop(Direction.TO_SERVER);
            connection.drop(Direction.TO_CLIENT);
        };
    }

    private void everythingOnce(int messages) {
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(messages));
        assertThat(ledger.entries()).isEqualTo(messages);
        assertThat(ledger.distinctEntries()).isEqualTo(messages);
        assertThat(ledger.count("SELECT count(*) FROM dead_letters")).isZero();
        assertThat(ledger.count("SELECT count(*) FROM message_attempts")).isZero();
    }

    // ---- settings ----

    private ConsumerRuntimeBuilder limited(Duration handler, int maxStuckHandlers, int lanes) {
        return ledger.consumer()
                .meterRegistry(scrape.registry())
                .concurrency(new ConsumerSettings.Concurrency(lanes, 100, Duration.ofSeconds(1)))
                .limits(new ConsumerSettings.Limits(
                        handler,
                        handler,
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(2),
                        Duration.ofMillis(200),
                        maxStuckHandlers));
    }

    private ConsumerRuntimeBuilder through(PostgresProxy proxy, ConsumerRuntimeBuilder builder) {
        return builder.database(proxy.jdbcUrl(ledger.databaseName), ledger.postgres.user(), ledger.postgres.password());
    }

    /** Sends messages while the runtime is paused, so that those of a lane wait together when it goes on. */
    private void inOneGo(ConsumerRuntime runtime, int messages, IntConsumer send) {
        runtime.pause();
        for (int i = 0; i < messages; i++) {
            send.accept(i);
        }
        ledger.flush();
        await().untilAsserted(() -> assertThat(scrape.sum(MeterNames.IN_FLIGHT)).isEqualTo(messages));
        runtime.resume();
    }
}
