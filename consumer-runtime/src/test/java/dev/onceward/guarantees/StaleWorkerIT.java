package dev.onceward.guarantees;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.EventNames;
import dev.onceward.catalog.MeterNames;
import dev.onceward.config.ConsumerSettings;
import dev.onceward.config.Ordering;
import dev.onceward.handler.MessageHandler;
import dev.onceward.handler.PermanentException;
import dev.onceward.handler.RetryAfterException;
import dev.onceward.postgres.Database;
import dev.onceward.postgres.GenerationTable;
import dev.onceward.postgres.Tables;
import dev.onceward.postgres.Unfinished;
import dev.onceward.runtime.ConsumerRuntime;
import dev.onceward.testsupport.ProcessControl;
import dev.onceward.testsupport.proxy.Direction;
import dev.onceward.testsupport.proxy.PostgresProxy;
import dev.onceward.testsupport.proxy.ProxiedConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A worker that lost its partition writes nothing more, whether it was frozen, slow, or never knew. */
class StaleWorkerIT {
    private static final ConsumerSettings.Limits LIMITS = ConsumerSettings.Limits.DEFAULT;

    private final Scrape scrape = new Scrape();
    private Ledger ledger;
    private EventLog events;

    @TempDir
    private Path directory;

    private void begin(int partitions) {
        ledger = new Ledger(partitions);
        events = EventLog.of(ledger.name);
    }

    @AfterEach
    void end() {
        ledger.close();
        events.close();
    }

    // ---- frozen ----

    @Test
    void F30_aFrozenWorkerThatWakesInsideItsTransactionHasWrittenNothing() throws Exception {
        begin(2);
        for (int i = 0; i < 40; i++) {
            ledger.send(i % 2, "account-" + i, "m" + i, "10");
        }
        ledger.send(0, "waits", "wait-in-client", "10");
        ledger.send(1, "waits", "wait-in-server", "10");
        for (int i = 40; i < 80; i++) {
            ledger.send(i % 2, "account-" + i, "m" + i, "10");
        }
        ledger.flush();
        Queue<String> said = new ConcurrentLinkedQueue<>();
        Path wake = directory.resolve("wake");
        try (Connection holder = holding(WorkerMain.LOCK);
                ProcessControl worker = worker(wake, said)) {
            Ledger.await()
                    .until(() -> said.contains("inside wait-in-client") && said.contains("inside wait-in-server"));
            Ledger.await().until(() -> waitingFor(WorkerMain.LOCK) == 1);
            worker.freeze();
            long before = claimsOf(1);

            ledger.start(
                    ledger.consumer().meterRegistry(scrape.registry()).limits(grace(Duration.ofSeconds(1))),
                    Ledger.HANDLER);
            everythingTookEffectOnce(82);
            assertThat(events.count(EventNames.HOLDER_ENDED)).isEqualTo(2);
            assertThat(scrape.sum(MeterNames.TAKEOVERS, "outcome", "UNCLEAN")).isEqualTo(2);

            Files.createFile(wake);
            worker.resume();
            Ledger.await().until(() -> said.contains("awake wait-in-client") && said.contains("awake wait-in-server"));
            // It has joined the group again and works under a generation of its own, or waits for a partition.
            Ledger.await()
                    .until(() -> ledger.count("SELECT count(*) FROM consumer_workers"
                                    + " WHERE heartbeat_at > clock_timestamp() - interval '1 second'")
                            == 2);
            worker.terminate();
            worker.awaitExit(Duration.ofSeconds(40));
            everythingTookEffectOnce(82);
            assertThat(claimsOf(1))
                    .as("written under the generation of the frozen worker")
                    .isEqualTo(before);
            assertThat(ledger.count("SELECT min(generation) FROM processed_messages WHERE message_id LIKE 'wait-in-%'"))
                    .isEqualTo(2);
            holder.rollback();
        }
    }

    private ProcessControl worker(Path wake, Queue<String> said) {
        return ProcessControl.java(WorkerMain.class)
                .named(ledger.name)
                .jvmOptions("-Xmx128m", "-XX:TieredStopAtLevel=1")
                .arguments(
                        ledger.name,
                        ledger.topic,
                        ledger.bootstrap,
                        ledger.postgres.jdbcUrl(ledger.databaseName),
                        ledger.postgres.user(),
                        ledger.postgres.password(),
                        wake.toString())
                .onOutput(said::add)
                .start();
    }

    // ---- slow ----

    @Test
    void aTakeoverWaitsForATransactionThatEndsWithinTheGrace() throws Exception {
        begin(2);
        try (Connection holder = holding(WorkerMain.LOCK)) {
            slowOwnerLosesOnePartition(Duration.ofSeconds(10));
            Ledger.await().until(() -> takeoversWaiting() == 1);
            holder.rollback();
            everythingTookEffectOnce(22);
            assertThat(events.count(EventNames.HOLDER_ENDED)).isZero();
            assertThat(slowOfGeneration(1)).as("both slow ones were let finish").isEqualTo(2);
            assertThat(events.count(EventNames.REDELIVERED)).isPositive();
        }
    }

    @Test
    void F51_aTransactionThatOutlastsTheGraceIsEndedAndNoOther() throws Exception {
        begin(2);
        try (Connection holder = holding(WorkerMain.LOCK)) {
            slowOwnerLosesOnePartition(Duration.ofMillis(500));
            Ledger.await().until(() -> slowOfGeneration(2) == 1);
            assertThat(events.count(EventNames.HOLDER_ENDED)).isEqualTo(1);
            assertThat(waitingFor(WorkerMain.LOCK))
                    .as("the one of the other partition")
                    .isEqualTo(1);
            holder.rollback();
            everythingTookEffectOnce(22);
            assertThat(slowOfGeneration(1)).isEqualTo(1);
        }
    }

    /** What no limit of the server catches: it waits until somebody reads what it has to say. */
    @Test
    void F51_aClientThatDoesNotReadItsResultIsEndedAndNoOther() {
        begin(2);
        try (PostgresProxy proxy = PostgresProxy.to(ledger.postgres)) {
            List<CompletableFuture<ProxiedConnection>> stalled = new ArrayList<>();
            for (int partition = 0; partition < 2; partition++) {
                ledger.send(partition, "large", "large-" + partition, "10");
                ledger.send(partition, "account", "m" + partition, "10");
                stalled.add(proxy.network()
                        .beforeBytes(
                                Direction.TO_SERVER,
                                ("/* large-" + partition + " */").getBytes(UTF_8),
                                connection -> connection.stall(Direction.TO_CLIENT)));
            }
            ledger.flush();
            ConsumerSettings.Limits limits = grace(Duration.ofMillis(500));
            ledger.start(
                    ledger.consumer("classic")
                            .ordering(Ordering.PARTITION)
                            .limits(limits)
                            .database(
                                    proxy.jdbcUrl(ledger.databaseName),
                                    ledger.postgres.user(),
                                    ledger.postgres.password()),
                    (message, effect) -> {
                        Ledger.HANDLER.handle(message, effect);
                        if (message.id().startsWith("large")) {
                            effect.handle()
                                    .execute("SELECT /* " + message.id()
                                            + " */ repeat('x', 1000) FROM generate_series(1, 30000)");
                        }
                    });
            Ledger.await().until(() -> stalled.stream().allMatch(CompletableFuture::isDone) && notRead() == 2);
            ledger.start(ledger.consumer("classic").limits(limits), Ledger.HANDLER);

            Ledger.await().until(() -> ledger.entries() == 2);
            assertThat(events.count(EventNames.HOLDER_ENDED)).isEqualTo(1);
            assertThat(notRead()).as("the one of the other partition").isEqualTo(1);
            proxy.reset();
            everythingTookEffectOnce(4);
        }
    }

    /** Sessions in the middle of a result that nobody reads. */
    private long notRead() {
        return ledger.count("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                + " AND wait_event = 'ClientWrite' AND query LIKE '%generate_series(1, 30000)%'");
    }

    /** Two at once, while there is no moment in which nobody has the partition's lock. */
    @Test
    void F51_rivalTakeoversGetInBetweenTransactionsThatOverlapWithoutEnd() throws Exception {
        begin(1);
        int messages = 200;
        for (int i = 0; i < messages; i++) {
            ledger.send("account-" + i, "m" + i, "10");
        }
        ledger.flush();
        ConsumerRuntime owner = ledger.start(
                ledger.consumer().concurrency(new ConsumerSettings.Concurrency(4, 1, Duration.ofSeconds(5))),
                (message, effect) -> {
                    effect.handle().execute("SELECT pg_sleep(0.1)");
                    Ledger.HANDLER.handle(message, effect);
                });
        Ledger.await().until(() -> ledger.entries() > 20 && lockHolders() > 1);
        CyclicBarrier together = new CyclicBarrier(2);
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            List<Future<Long>> rivals = List.of(
                    threads.submit(() -> takeOver("rival-1", 1, together)),
                    threads.submit(() -> takeOver("rival-2", 2, together)));
            assertThat(List.of(rivals.get(0).get(), rivals.get(1).get())).containsExactlyInAnyOrder(2L, 3L);
        } finally {
            threads.shutdown();
        }
        assertThat(ledger.entries()).as("taken over in the middle").isLessThan(messages);
        everythingTookEffectOnce(messages);
        assertThat(events.count(EventNames.HOLDER_ENDED)).isZero();
        assertThat(owner.health().live()).isTrue();
    }

    private long takeOver(String worker, long lowest, CyclicBarrier together) throws Exception {
        Database database = new Database(ledger.dataSource, new Tables("public"), ledger.name, 0);
        GenerationTable generations = new GenerationTable(database);
        GenerationTable.Candidate candidate = new GenerationTable.Candidate(ledger.topic, 0, ledger.topicId());
        together.await();
        return database.inTransaction(Duration.ofSeconds(10), connection -> {
            int fenceKey = generations
                    .fenceKeys(connection, List.of(candidate))
                    .values()
                    .iterator()
                    .next();
            generations.lock(connection, fenceKey, Duration.ofSeconds(3));
            return generations
                    .take(
                            connection,
                            worker,
                            List.of(new GenerationTable.Takeover(
                                    new Unfinished(ledger.topic, 0, ledger.topicId(), lowest, 0), fenceKey, -1, false)))
                    .values()
                    .iterator()
                    .next()
                    .fence()
                    .generation();
        });
    }

    private long lockHolders() {
        return ledger.count("SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
                + " WHERE d.datname = current_database() AND locktype = 'advisory' AND objsubid = 2"
                + " AND mode = 'ShareLock' AND granted");
    }

    /** One worker stays in a handler on both its partitions; another comes and gets one of them. */
    private void slowOwnerLosesOnePartition(Duration grace) {
        for (int partition = 0; partition < 2; partition++) {
            ledger.send(partition, "slow-" + partition, "slow-" + partition, "10");
            for (int i = 0; i < 10; i++) {
                ledger.send(partition, "account-" + i, "m" + partition + "-" + i, "10");
            }
        }
        ledger.flush();
        ConsumerSettings.Limits limits = grace(grace);
        // By partition: their messages are in two lanes then, and both are in their transactions at the same time.
        ledger.start(ledger.consumer().ordering(Ordering.PARTITION).limits(limits), (message, effect) -> {
            Ledger.HANDLER.handle(message, effect);
            if (message.id().startsWith("slow")) {
                effect.handle().execute("SELECT pg_advisory_xact_lock_shared(" + WorkerMain.LOCK + ")");
            }
        });
        Ledger.await().until(() -> waitingFor(WorkerMain.LOCK) == 2);
        ledger.start(ledger.consumer().limits(limits), Ledger.HANDLER);
    }

    private long slowOfGeneration(int generation) {
        return ledger.count(
                "SELECT count(*) FROM processed_messages WHERE message_id LIKE 'slow%' AND generation = ?", generation);
    }

    private long takeoversWaiting() {
        return ledger.count("SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
                + " WHERE d.datname = current_database() AND locktype = 'advisory' AND objsubid = 2"
                + " AND mode = 'ExclusiveLock' AND NOT granted");
    }

    // ---- late takeovers by somebody else ----

    @Test
    void F50_lateTakeoversLoseNothingAndTheOwnerRecoversByItself() throws Exception {
        begin(3);
        int messages = 3_000;
        for (int i = 0; i < messages; i++) {
            ledger.send("account-" + i % 41, "m" + i, "10");
        }
        ledger.flush();
        ConsumerRuntime runtime =
                ledger.start(ledger.consumer().meterRegistry(scrape.registry()), (message, effect) -> {
                    effect.handle().execute("SELECT pg_sleep(0.002)");
                    Ledger.HANDLER.handle(message, effect);
                });
        Random random = new Random(11);
        List<Evicted> evictions = new ArrayList<>();
        for (int i = 1; i <= 8; i++) {
            int progress = i * messages / 10 + random.nextInt(messages / 20);
            Ledger.await().until(() -> ledger.entries() >= progress);
            evictions.add(evict(random.nextInt(3)));
        }
        everythingTookEffectOnce(messages);
        assertThat(scrape.sum(MeterNames.FENCED)).isBetween(1.0, 8.0);
        assertThat(events.count(EventNames.FENCED)).isEqualTo((long) scrape.sum(MeterNames.FENCED));
        for (Evicted evicted : evictions) {
            assertThat(claims(evicted.partition(), evicted.generation()))
                    .as(
                            "claims of partition %d under generation %d, which had ended",
                            evicted.partition(), evicted.generation())
                    .isEqualTo(evicted.claims());
        }
        assertThat(ledger.count("SELECT count(*) FROM dead_letters")).isZero();
        assertThat(ledger.count("SELECT count(*) FROM message_attempts")).isZero();
        assertThat(events.count(EventNames.SUSPICION_BEGIN))
                .as("nobody died here")
                .isZero();
        assertThat(runtime.health().live()).isTrue();
        assertThat(runtime.health().troubles())
                .anySatisfy(trouble -> assertThat(trouble).contains("two owners"));
    }

    @Test
    void anIdleOwnerFindsOutByItsHeartbeat() throws Exception {
        begin(1);
        ledger.send("account", "before", "10");
        ledger.flush();
        ledger.start(ledger.consumer().meterRegistry(scrape.registry()), Ledger.HANDLER);
        everythingTookEffectOnce(1);
        evict(0);
        Ledger.await().until(() -> scrape.sum(MeterNames.FENCED) == 1);
        ledger.send("account", "behind", "10");
        ledger.flush();
        everythingTookEffectOnce(2);
        assertThat(ledger.count("SELECT generation FROM processed_messages WHERE message_id = 'behind'"))
                .isEqualTo(3);
    }

    @Test
    void F50_whatWasGivenUpIsNotRunAgainAfterALateTakeover() throws Exception {
        begin(1);
        ledger.send("other", "bad-0", "10");
        ledger.send("other", "before", "10");
        ledger.send("held", "held", "10");
        ledger.send("other", "bad-3", "10");
        ledger.flush();
        AtomicBoolean holds = new AtomicBoolean(true);
        AtomicInteger runsOfBad = new AtomicInteger();
        MessageHandler<String, String> handler = (message, effect) -> {
            if (message.id().startsWith("bad")) {
                runsOfBad.incrementAndGet();
                throw new PermanentException("never");
            }
            if (message.id().equals("held") && holds.get()) {
                throw new RetryAfterException(Duration.ofSeconds(2), "later");
            }
            Ledger.HANDLER.handle(message, effect);
        };
        ledger.start(ledger.consumer().meterRegistry(scrape.registry()), handler);
        // The watermark has moved past what is dead, and another one is dead behind it.
        Ledger.await()
                .until(() -> ledger.deadLetters() == 2
                        && ledger.committed() == 2
                        && ledger.count("SELECT count(*) FROM message_attempts") == 1);
        int runs = runsOfBad.get();
        evict(0);
        Ledger.await().until(() -> scrape.sum(MeterNames.FENCED) == 1);
        holds.set(false);
        Ledger.await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(4));
        assertThat(runsOfBad).hasValue(runs);
        assertThat(ledger.texts("SELECT message_id FROM entries")).containsExactly("before", "held");
        assertThat(ledger.deadLetters()).isEqualTo(2);
        assertThat(ledger.records(ledger.deadLetterTopic())).hasSize(2);
        assertThat(ledger.count("SELECT generation FROM partition_generations WHERE topic = ?", ledger.topic))
                .as("its own again, after that of the other")
                .isEqualTo(3);
    }

    /** What a takeover by a worker does that does not know that the partition came back to its owner. */
    private Evicted evict(int partition) throws SQLException {
        try (Connection connection = ledger.dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            String row = " WHERE topic = '" + ledger.topic + "' AND partition = " + partition;
            statement.execute("SELECT pg_advisory_xact_lock(" + new Tables("public").lockClass()
                    + ", fence_key) FROM partition_generations" + row);
            long generation;
            try (ResultSet answer = statement.executeQuery(
                    "UPDATE partition_generations SET generation = generation + 1, worker_id = 'other',"
                            + " acquired_at = clock_timestamp(), released_at = NULL" + row
                            + " RETURNING generation - 1")) {
                answer.next();
                generation = answer.getLong(1);
            }
            // Under the lock, and in a later snapshot than the lock's: all that was ever written under the old one.
            Evicted evicted = new Evicted(partition, generation, claims(partition, generation));
            connection.commit();
            return evicted;
        }
    }

    private record Evicted(int partition, long generation, long claims) {}

    private long claims(int partition, long generation) {
        return ledger.count(
                "SELECT count(*) FROM processed_messages p JOIN partition_generations g USING (fence_key)"
                        + " WHERE g.topic = ? AND g.partition = ? AND p.generation = ?",
                ledger.topic,
                partition,
                generation);
    }

    // ---- what is seen ----

    private void everythingTookEffectOnce(long messages) {
        Ledger.await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(messages));
        assertThat(ledger.entries()).isEqualTo(messages);
        assertThat(ledger.distinctEntries()).isEqualTo(messages);
    }

    private long claimsOf(long generation) {
        return ledger.count("SELECT count(*) FROM processed_messages WHERE generation = ?", generation);
    }

    private Connection holding(long lock) throws SQLException {
        Connection connection = ledger.dataSource.getConnection();
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_advisory_xact_lock(" + lock + ")");
        }
        return connection;
    }

    private long waitingFor(long lock) {
        return ledger.count(
                "SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
                        + " WHERE d.datname = current_database() AND locktype = 'advisory' AND objsubid = 1"
                        + " AND objid = ?::bigint::oid AND NOT granted",
                lock);
    }

    private static ConsumerSettings.Limits grace(Duration grace) {
        return new ConsumerSettings.Limits(
                LIMITS.handler(),
                LIMITS.lock(),
                grace,
                Duration.ofMillis(500),
                Duration.ofSeconds(5),
                LIMITS.commitInterval(),
                LIMITS.maxStuckHandlers());
    }
}
