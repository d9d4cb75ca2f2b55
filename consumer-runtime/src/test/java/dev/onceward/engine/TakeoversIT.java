package dev.onceward.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.onceward.catalog.DeadLetterReason;
import dev.onceward.config.RetryPolicy;
import dev.onceward.deadletter.DeadLetter;
import dev.onceward.deadletter.DeadLetterTable;
import dev.onceward.failure.Backoff;
import dev.onceward.handler.Coordinates;
import dev.onceward.message.Origin;
import dev.onceward.message.RecordIdentity;
import dev.onceward.metrics.RuntimeMeters;
import dev.onceward.migrations.Migrations;
import dev.onceward.position.StoredPosition;
import dev.onceward.postgres.AttemptTable;
import dev.onceward.postgres.Database;
import dev.onceward.postgres.GenerationTable;
import dev.onceward.postgres.Ownership;
import dev.onceward.postgres.Tables;
import dev.onceward.testsupport.Backends;
import dev.onceward.testsupport.PostgresServer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Many partitions are taken over together, each with what is its own. */
class TakeoversIT {
    private static final int PARTITIONS = 450;
    private static final UUID TOPIC = new UUID(1, 1);
    private static final UUID NAMESAKE = new UUID(2, 2);
    private static final Duration LIMIT = Duration.ofSeconds(5);

    private final AtomicInteger statements = new AtomicInteger();
    private final List<BackgroundThread> threads = new ArrayList<>();
    private Stores stores;

    @BeforeEach
    void migrate() {
        PostgresServer server = Backends.sharedPostgres();
        DataSource dataSource = server.dataSource(server.createDatabase());
        Migrations.apply(dataSource, "public");
        Database database = new Database(counting(dataSource), new Tables("public"), "billing", 0);
        AttemptTable attempts = new AttemptTable(database);
        stores = new Stores(
                database, attempts, new DeadLetterTable(database, attempts), new GenerationTable(database), null);
    }

    @AfterEach
    void stop() {
        threads.forEach(BackgroundThread::stopNow);
    }

    @Test
    void aTakeoverOfManyPartitionsCostsAFewStatementsForEachChunk() throws Exception {
        takeAll("first");
        statements.set(0);
        Map<Integer, Taken> taken = takeAll("second");
        assertThat(taken).hasSize(PARTITIONS);
        assertThat(statements).hasValueLessThan(50);
        taken.values().forEach(of -> {
            assertThat(of.ownership().fence().generation()).isEqualTo(2);
            assertThat(of.ownership().unclean()).isTrue();
            assertThat(of.ownership().stuckTakeovers()).isEqualTo(1);
        });
        assertThat(taken.values().stream()
                        .map(of -> of.ownership().fence().fenceKey())
                        .distinct())
                .hasSize(PARTITIONS);
    }

    @Test
    void eachPartitionIsToldWhatIsStoredAboutItsOwnUnfinishedRecords() throws Exception {
        RecordIdentity failed = record(7, 10);
        RecordIdentity finished = record(7, 9);
        RecordIdentity elsewhere = record(8, 12);
        RecordIdentity dead = record(8, 13);
        RecordIdentity gone = record(9, 3);
        RecordIdentity steppedOver = record(9, 7);
        RecordIdentity ofNamesake = new RecordIdentity(new Coordinates("payments", 9, 40), NAMESAKE, 1_000, 77);
        stores.database().inTransaction(LIMIT, connection -> {
            stores.attempts().record(connection, failed, "a", 2, Duration.ZERO, "error");
            stores.attempts().record(connection, finished, "b", 3, Duration.ZERO, "error");
            stores.attempts().record(connection, elsewhere, "c", 4, Duration.ZERO, "error");
            for (RecordIdentity record : List.of(dead, gone, steppedOver, ofNamesake)) {
                stores.deadLetters().decide(connection, letter(record), null);
            }
            return true;
        });

        Map<Integer, Taken> taken = takeAll("first");
        StoredFacts seven = taken.get(7).facts();
        assertThat(seven.attemptsOf(failed).map(AttemptTable.Attempts::attempts))
                .contains(2);
        assertThat(List.of(seven.mention(9), seven.mention(12), seven.mention(13)))
                .containsOnly(false);
        StoredFacts eight = taken.get(8).facts();
        assertThat(eight.attemptsOf(elsewhere).map(AttemptTable.Attempts::attempts))
                .contains(4);
        assertThat(eight.unpublished(dead)).contains(letter(dead));
        StoredFacts nine = taken.get(9).facts();
        assertThat(nine.mention(3)).as("below the lowest").isFalse();
        assertThat(nine.unpublished(ofNamesake).map(DeadLetter::reason)).contains(DeadLetterReason.PAYLOAD_LOST);
        assertThat(statusOf(gone)).isEqualTo("DEAD");
        assertThat(statusOf(steppedOver)).as("the broker still has it").isEqualTo("PENDING");
        assertThat(taken.get(10).facts().mention(10)).isFalse();
    }

    /** What a partition's own history says decides for it alone, also in one statement with others. */
    @Test
    void whetherATakeoverIsUncleanIsDecidedForEachPartition() throws Exception {
        Map<Integer, Taken> first = takeAll("first");
        stores.database().inTransaction(LIMIT, connection -> {
            stores.generations()
                    .release(connection, Map.of(first.get(0).ownership().fence(), OptionalLong.of(10)));
            return true;
        });
        Map<Integer, Taken> second = takeAll("second", partition -> {
            if (partition.topicPartition().partition() == 1) {
                partition.takenAgain();
            }
        });
        assertThat(second.get(0).ownership().unclean()).isFalse();
        assertThat(second.get(1).ownership().unclean()).isTrue();
        assertThat(second.get(1).ownership().stuckTakeovers())
                .as("proof that nobody died")
                .isZero();
        assertThat(second.get(2).ownership().stuckTakeovers()).isEqualTo(1);
        assertThat(second.get(2).suspiciousUntil()).isZero();

        Map<Integer, Taken> third = takeAll("third");
        assertThat(third.get(0).suspiciousUntil()).isZero();
        assertThat(third.get(1).suspiciousUntil()).isZero();
        assertThat(third.get(2).suspiciousUntil()).as("twice without progress").isEqualTo(10 + 100);
    }

    @Test
    void manyPartitionsAreReleasedInOneStatementEachWithItsOwnWatermark() throws Exception {
        Map<Integer, Taken> first = takeAll("first");
        Map<Integer, Taken> second = new HashMap<>(first);
        BackgroundThread thread = new BackgroundThread("takeover", null, RealMachine.INSTANCE);
        threads.add(thread);
        Releases releases = new Releases(ownerships("second"), LIMIT, thread);
        second.remove(3);
        statements.set(0);
        releases.release(
                second.entrySet().stream()
                        .map(entry -> {
                            OwnedPartition partition = positioned(entry.getKey(), 10L + entry.getKey());
                            partition.takingOver();
                            partition.running(entry.getValue().ownership().fence(), StoredFacts.NONE, 0);
                            return partition;
                        })
                        .toList(),
                LIMIT);
        assertThat(statements).hasValueLessThan(5);
        Map<Integer, StoredPosition> rows = stores.database()
                .inTransaction(LIMIT, connection -> stores.generations().find(connection, List.of("payments")))
                .get("payments");
        second.keySet()
                .forEach(number -> assertThat(rows.get(number).watermark()).hasValue(10L + number));

        Map<Integer, Taken> third = takeAll("second");
        assertThat(third.values().stream().filter(of -> of.ownership().unclean()))
                .as("those that were not released")
                .containsExactly(third.get(3));
    }

    private String statusOf(RecordIdentity record) throws Exception {
        return stores.database().inTransaction(LIMIT, connection -> {
            try (var statement = connection.prepareStatement(
                    "SELECT status FROM dead_letters WHERE partition = ? AND record_offset = ?")) {
                statement.setInt(1, record.coordinates().partition());
                statement.setLong(2, record.coordinates().offset());
                try (var row = statement.executeQuery()) {
                    assertThat(row.next()).isTrue();
                    return row.getString(1);
                }
            }
        });
    }

    private static OwnedPartition positioned(int number, long position) {
        OwnedPartition partition = new OwnedPartition(
                new TopicPartition("payments", number), false, Clock.systemUTC(), () -> {}, RealMachine.INSTANCE);
        partition.positioned(TOPIC, position, 5);
        return partition;
    }

    private Map<Integer, Taken> takeAll(String worker) {
        return takeAll(worker, partition -> {});
    }

    /** By a process of its own. */
    private Map<Integer, Taken> takeAll(String worker, Consumer<OwnedPartition> prepare) {
        Map<Integer, Taken> taken = new ConcurrentHashMap<>();
        BackgroundThread thread = new BackgroundThread("takeover", null, RealMachine.INSTANCE);
        threads.add(thread);
        Takeovers takeovers = new Takeovers(
                ownerships(worker),
                LIMIT,
                100,
                new Backoff(RetryPolicy.DEFAULT, new Random(1)),
                new RuntimeMeters(new SimpleMeterRegistry(), "billing"),
                thread,
                (partition, ownership, facts, suspiciousUntil) -> taken.put(
                        partition.topicPartition().partition(), new Taken(ownership, facts, suspiciousUntil)));
        List<OwnedPartition> all = new ArrayList<>();
        for (int number = 0; number < PARTITIONS; number++) {
            OwnedPartition partition = positioned(number, 10);
            partition.takingOver();
            prepare.accept(partition);
            all.add(partition);
        }
        // All of them wait before the first chunk is taken.
        thread.execute(() -> all.forEach(takeovers::takeOver));
        await().atMost(Duration.ofSeconds(30)).until(() -> taken.size() == PARTITIONS);
        return taken;
    }

    private Ownerships ownerships(String worker) {
        return new DatabaseOwnerships(
                stores.database(),
                stores.generations(),
                new FactsLoader(stores.attempts(), stores.deadLetters()),
                worker);
    }

    private static RecordIdentity record(int partition, long offset) {
        return new RecordIdentity(new Coordinates("payments", partition, offset), TOPIC, 1_000, 77);
    }

    private static DeadLetter letter(RecordIdentity record) {
        return new DeadLetter(
                record,
                new Origin(record.coordinates(), record.timestamp(), 0),
                "id",
                DeadLetterReason.PERMANENT,
                "E",
                "e",
                "at",
                1,
                Instant.EPOCH,
                Instant.EPOCH,
                "worker",
                1);
    }

    private DataSource counting(DataSource dataSource) {
        return (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    Object result = method.invoke(dataSource, arguments);
                    return result instanceof Connection connection ? counting(connection) : result;
                });
    }

    private Connection counting(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (List.of("prepareStatement", "createStatement").contains(method.getName())) {
                        statements.incrementAndGet();
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private record Taken(Ownership ownership, StoredFacts facts, long suspiciousUntil) {}
}
