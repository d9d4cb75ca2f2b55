package dev.onceward.guarantees;

import static dev.onceward.guarantees.Ledger.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.EventNames;
import dev.onceward.catalog.MeterNames;
import dev.onceward.config.ConsumerSettings;
import dev.onceward.config.StartPosition;
import dev.onceward.handler.RetryAfterException;
import dev.onceward.runtime.ConsumerRuntime;
import dev.onceward.testsupport.Backends;
import dev.onceward.testsupport.InProcessKafka;
import dev.onceward.testsupport.KafkaOptions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

/** Gaps, lost offsets, retention, topics made again: nothing is skipped unless it is counted. */
class NothingLostIT {

    @Test
    void F05_theCommitReachesTheEndBehindAbortedTransactionsAndARestartRedeliversNothing()
            throws ExecutionException, InterruptedException {
        try (Ledger ledger = new Ledger(2)) {
            List<String> committed = sendInTransactions(ledger);
            ConsumerRuntime before = ledger.start(Ledger.HANDLER);
            await().untilAsserted(() -> assertThat(ledger.offsets())
                    .containsAllEntriesOf(
                            Map.of(ledger.partition(0), end(ledger, 0), ledger.partition(1), end(ledger, 1))));
            assertThat(ledger.texts("SELECT message_id FROM entries")).hasSameElementsAs(committed);
            assertThat(ledger.entries()).isEqualTo(committed.size());
            before.close();

            Scrape scrape = new Scrape();
            ledger.start(ledger.consumer().meterRegistry(scrape.registry()), Ledger.HANDLER);
            ledger.send(0, "k", "last", "10");
            await().untilAsserted(() -> assertThat(scrape.sum(MeterNames.MESSAGES, "outcome", "APPLIED"))
                    .isEqualTo(1));
            assertThat(scrape.sum(MeterNames.MESSAGES)).as("nothing came again").isEqualTo(1);
        }
    }

    /** Transactions of ten messages, every third aborted, the last ones too. Returns the ids that count. */
    private static List<String> sendInTransactions(Ledger ledger) {
        Map<String, Object> properties = Map.of(
                "bootstrap.servers",
                ledger.bootstrap,
                "transactional.id",
                "producer." + ledger.name,
                "max.in.flight.requests.per.connection",
                1);
        List<String> committed = new ArrayList<>();
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.initTransactions();
            for (int transaction = 0; transaction < 20; transaction++) {
                producer.beginTransaction();
                List<String> ids = new ArrayList<>();
                for (int i = 0; i < 10; i++) {
                    String id = "t" + transaction + "-" + i;
                    ProducerRecord<byte[], byte[]> record =
                            new ProducerRecord<>(ledger.topic, i % 2, "k".getBytes(UTF_8), "10".getBytes(UTF_8));
                    record.headers().add("message-id", id.getBytes(UTF_8));
                    var unused = producer.send(record);
                    ids.add(id);
                }
                if (transaction % 3 == 1) {
                    producer.flush(); // so that the aborted ones stand in the log
                    producer.abortTransaction();
                } else {
                    producer.commitTransaction();
                    committed.addAll(ids);
                }
            }
        }
        return committed;
    }

    @Test
    void F05_theCommitReachesTheEndOfACompactedTopicAndARestartRedeliversNothing()
            throws ExecutionException, InterruptedException {
        try (InProcessKafka kafka = InProcessKafka.start(KafkaOptions.defaults().with("log.cleaner.backoff.ms", "50"));
                Ledger ledger = new Ledger(1, Backends.shared().postgres(), kafka.bootstrapServers())) {
            ledger.admin()
                    .incrementalAlterConfigs(Map.of(
                            new ConfigResource(ConfigResource.Type.TOPIC, ledger.topic),
                            List.of(
                                    set("cleanup.policy", "compact"),
                                    set("segment.bytes", "1048576"),
                                    set("segment.ms", "50"),
                                    set("min.cleanable.dirty.ratio", "0.01"))))
                    .all()
                    .get();
            for (int i = 0; i < 300; i++) {
                ledger.send("k" + i % 3, "m" + i, "10");
                if (i % 30 == 0) {
                    ledger.flush();
                }
            }
            ledger.flush();
            int[] more = {300};
            await().until(
                            () -> { // a segment is closed by the next record after its time
                                ledger.send("k0", "m" + more[0]++, "10");
                                ledger.flush();
                                return ledger.records(ledger.topic).size() < more[0] / 2;
                            });

            ConsumerRuntime before = ledger.start(Ledger.HANDLER);
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(more[0]));
            assertThat(ledger.entries()).isLessThan(more[0]).isEqualTo(ledger.distinctEntries());
            before.close();

            Scrape scrape = new Scrape();
            ledger.start(ledger.consumer().meterRegistry(scrape.registry()), Ledger.HANDLER);
            ledger.send("k0", "last", "10");
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(more[0] + 1));
            assertThat(scrape.sum(MeterNames.MESSAGES)).as("nothing came again").isEqualTo(1);
        }
    }

    @Test
    void F44_aDeletedCommittedOffsetIsRestoredFromTheDatabaseThoughTheStartIsTheEnd()
            throws ExecutionException, InterruptedException {
        try (Ledger ledger = new Ledger(2);
                EventLog events = EventLog.of(ledger.name)) {
            // Partition 0 was worked on, partition 1 has never had a record.
            ConsumerRuntime before = ledger.start(ledger.consumer().startFrom(StartPosition.latest()), Ledger.HANDLER);
            await().untilAsserted(
                            () -> assertThat(ledger.offsets()).containsKeys(ledger.partition(0), ledger.partition(1)));
            ledger.send(0, "k", "m0", "10");
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(1));
            before.close();

            ledger.admin().deleteConsumerGroups(List.of(ledger.name)).all().get();
            assertThat(ledger.offsets()).isEmpty();
            for (int i = 1; i < 11; i++) {
                ledger.send(i % 2, "k", "m" + i, "10");
            }
            ledger.flush();
            ledger.start(ledger.consumer().startFrom(StartPosition.latest()), Ledger.HANDLER);
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(11));
            assertThat(ledger.entries()).isEqualTo(11);
            assertThat(events.count(EventNames.OFFSET_RESTORED)).isGreaterThanOrEqualTo(2);
        }
    }

    /** One partition begins where the database says, the other, of which it says nothing any more, from its start. */
    @Test
    void F06_aPartitionWhoseCommittedOffsetExpiredHasNoSecondEffects() throws ExecutionException, InterruptedException {
        Scrape scrape = new Scrape();
        try (Ledger ledger = new Ledger(2)) {
            for (int i = 0; i < 100; i++) {
                ledger.send(i % 2, "k" + i % 7, "m" + i, "10");
            }
            ledger.flush();
            ConsumerRuntime before = ledger.start(Ledger.HANDLER);
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(100));
            before.close();
            ledger.admin()
                    .deleteConsumerGroupOffsets(ledger.name, Set.of(ledger.partition(0), ledger.partition(1)))
                    .all()
                    .get();
            assertThat(ledger.committed()).isZero();
            ledger.execute("UPDATE partition_generations SET watermark = NULL WHERE partition = 1");

            ledger.start(ledger.consumer().meterRegistry(scrape.registry()), Ledger.HANDLER);
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(100));
            assertThat(scrape.sum(MeterNames.MESSAGES, "outcome", "DUPLICATE")).isEqualTo(50);
            assertThat(ledger.entries()).isEqualTo(100);
            assertThat(ledger.distinctEntries()).isEqualTo(100);
        }
    }

    @Test
    void anOffsetResetToTheBeginningRepeatsNoEffect() throws ExecutionException, InterruptedException {
        Scrape scrape = new Scrape();
        try (Ledger ledger = new Ledger(1)) {
            for (int i = 0; i < 200; i++) {
                ledger.send("k" + i % 7, "m" + i, "10");
            }
            ledger.flush();
            ConsumerRuntime before = ledger.start(Ledger.HANDLER);
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(200));
            before.close();
            ledger.commit(0);

            ledger.start(ledger.consumer().meterRegistry(scrape.registry()), Ledger.HANDLER);
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(200));
            assertThat(ledger.entries()).isEqualTo(200);
            assertThat(scrape.sum(MeterNames.MESSAGES, "outcome", "DUPLICATE")).isEqualTo(200);
        }
    }

    @Test
    void whatRetentionTookWhileNoWorkerRanIsCountedAndTheRestProcessed()
            throws ExecutionException, InterruptedException {
        Scrape scrape = new Scrape();
        try (Ledger ledger = new Ledger(1);
                EventLog events = EventLog.of(ledger.name)) {
            ledger.send("k", "m0", "10");
            ledger.flush();
            ConsumerRuntime before = ledger.start(Ledger.HANDLER);
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(1));
            before.close();
            for (int i = 1; i < 20; i++) {
                ledger.send("k", "m" + i, "10");
            }
            ledger.flush();
            ledger.deleteBefore(15);

            ledger.start(ledger.consumer().meterRegistry(scrape.registry()), Ledger.HANDLER);
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(20));
            assertThat(ledger.entriesOf("k")).isEqualTo(List.of("m0", "m15", "m16", "m17", "m18", "m19"));
            assertThat(scrape.sum(MeterNames.RECORDS_LOST, "topic", ledger.topic))
                    .isEqualTo(14);
            assertThat(events.count(EventNames.RECORDS_LOST)).isEqualTo(1);
        }
    }

    @Test
    void whatRetentionTakesFromARunningWorkerIsCountedButWhatItHasInHandTakesEffect()
            throws ExecutionException, InterruptedException {
        CountDownLatch goOn = new CountDownLatch(1);
        Scrape scrape = new Scrape();
        try (Ledger ledger = new Ledger(1);
                EventLog events = EventLog.of(ledger.name)) {
            for (int i = 0; i < 300; i++) {
                ledger.send("k" + i % 7, "m" + i, "10");
                if (i % 10 == 9) {
                    ledger.flush(); // small batches, of which little is fetched ahead
                }
            }
            ledger.start(
                    ledger.consumer()
                            .kafka("max.poll.records", "50")
                            .kafka("max.partition.fetch.bytes", "500")
                            .kafka("fetch.max.bytes", "500")
                            .backpressure(new ConsumerSettings.Backpressure(100, 1 << 20, 100, 1 << 20, 1_000))
                            .meterRegistry(scrape.registry()),
                    (message, effect) -> {
                        goOn.await();
                        Ledger.HANDLER.handle(message, effect);
                    });
            await().untilAsserted(() ->
                    assertThat(scrape.sum(MeterNames.PARTITIONS_PAUSED)).isEqualTo(1));
            int inHand = (int) scrape.sum(MeterNames.IN_FLIGHT);
            assertThat(inHand).isBetween(50, 150);
            ledger.deleteBefore(250);
            goOn.countDown();

            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(300));
            int kept = (int) ledger.entries();
            assertThat(ledger.distinctEntries()).isEqualTo(kept);
            assertThat(ledger.texts("SELECT message_id FROM entries"))
                    .as("what was in hand, and what was left")
                    .containsAll(IntStream.range(0, 300)
                            .filter(i -> i < inHand || i >= 250)
                            .mapToObj(i -> "m" + i)
                            .toList());
            assertThat(scrape.sum(MeterNames.RECORDS_LOST)).isEqualTo(300 - kept);
            assertThat(events.count(EventNames.RECORDS_LOST)).isEqualTo(1);
            assertThat(ledger.count("SELECT max(generation) FROM partition_generations"))
                    .isEqualTo(1);
        }
    }

    @Test
    void F45_aTopicMadeAgainIsProcessedFromItsBeginningAndOldFactsAreIgnored()
            throws ExecutionException, InterruptedException {
        try (Ledger ledger = new Ledger(1);
                EventLog events = EventLog.of(ledger.name)) {
            for (int i = 0; i < 10; i++) {
                ledger.send("k" + i, "old" + i, i == 3 ? "bad" : i == 5 ? "later" : "10");
            }
            ledger.flush();
            ConsumerRuntime before = ledger.start((message, effect) -> {
                if (message.value().equals("bad")) {
                    throw new IllegalStateException("cannot");
                }
                if (message.value().equals("later")) {
                    throw new RetryAfterException(Duration.ofHours(1), "not now");
                }
                Ledger.HANDLER.handle(message, effect);
            });
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(5));
            await().untilAsserted(() -> assertThat(ledger.entries()).isEqualTo(8));
            before.close();

            ledger.makeAgain();
            for (int i = 0; i < 20; i++) {
                ledger.send("k" + i, "new" + i, "10");
            }
            ledger.flush();
            List<Integer> attempts = new ArrayList<>();
            ledger.start((message, effect) -> {
                synchronized (attempts) {
                    attempts.add(message.attempt());
                }
                Ledger.HANDLER.handle(message, effect);
            });
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(20));
            assertThat(ledger.count("SELECT count(*) FROM entries WHERE message_id LIKE 'new%'"))
                    .isEqualTo(20);
            assertThat(ledger.distinctEntries()).isEqualTo(ledger.entries());
            assertThat(attempts).containsOnly(1);
            assertThat(events.count(EventNames.STORED_FACT_IGNORED)).isEqualTo(2);
            assertThat(ledger.deadLetters()).as("of the old topic").isEqualTo(1);
        }
    }

    /** Pruning may take minutes, and may wait for others; until then records would be taken for those of the old topic. */
    @Test
    void aTopicMadeAgainIsNoticedAlsoWhileTheMaintenanceOfTheTablesWaits()
            throws ExecutionException, InterruptedException, SQLException {
        try (Ledger ledger = new Ledger(1);
                EventLog events = EventLog.of(ledger.name)) {
            ledger.send("k", "old", "10");
            ledger.flush();
            Scrape scrape = new Scrape();
            ConsumerRuntime runtime = ledger.start(
                    ledger.consumer()
                            .meterRegistry(scrape.registry())
                            .kafka("max.poll.records", "5")
                            .backpressure(new ConsumerSettings.Backpressure(5, 1 << 20, 5, 1 << 20, 100))
                            .limits(new ConsumerSettings.Limits(
                                    Duration.ofSeconds(30),
                                    Duration.ofSeconds(29), // for so long the maintenance waits
                                    Duration.ofSeconds(5),
                                    Duration.ofSeconds(2),
                                    Duration.ofSeconds(5),
                                    Duration.ofMillis(200),
                                    3)),
                    Ledger.HANDLER);
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(1));
            // Full and paused: no fetch stumbles over the new topic.
            runtime.pause();
            for (int i = 0; i < 10; i++) {
                ledger.send("k", "last" + i, "10");
            }
            ledger.flush();
            await().until(() -> scrape.sum(MeterNames.PARTITIONS_PAUSED) > 0);
            try (Connection other = ledger.dataSource.getConnection();
                    Statement statement = other.createStatement()) {
                other.setAutoCommit(false);
                statement.execute("LOCK TABLE message_attempts IN ACCESS EXCLUSIVE MODE");
                await().until(() -> ledger.count("SELECT count(*) FROM pg_locks WHERE NOT granted"
                                + " AND relation = 'message_attempts'::regclass")
                        > 0);
                ledger.makeAgain();
                await().atMost(Duration.ofSeconds(15)).until(() -> events.count(EventNames.TOPIC_MADE_AGAIN) > 0);
                other.rollback();
            }
            runtime.resume();
            ledger.send("k", "new", "10");
            ledger.flush();
            await().untilAsserted(() -> assertThat(ledger.entriesOf("k")).containsExactly("old", "new"));
        }
    }

    @Test
    void aTopicMadeAgainUnderARunningWorkerIsProcessedFromItsBeginning()
            throws ExecutionException, InterruptedException {
        try (Ledger ledger = new Ledger(1)) {
            for (int i = 0; i < 50; i++) {
                ledger.send("k" + i % 7, "old" + i, "10");
            }
            ledger.flush();
            ConsumerRuntime runtime = ledger.start(
                    ledger.consumer()
                            .kafka("max.poll.records", "50")
                            .backpressure(new ConsumerSettings.Backpressure(50, 1 << 20, 50, 1 << 20, 1_000)),
                    Ledger.HANDLER);
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(50));
            // Full and paused: it does not even look at the topic while that is made again, and grows longer than
            // before.
            runtime.pause();
            for (int i = 0; i < 60; i++) {
                ledger.send("k" + i % 7, "last" + i, "10");
            }
            ledger.flush();
            await().until(() -> runtime.health().troubles().contains("paused"));
            ledger.makeAgain();
            for (int i = 0; i < 300; i++) {
                ledger.send("k" + i % 7, "new" + i, "10");
            }
            ledger.flush();
            runtime.resume();
            await().untilAsserted(
                            () -> assertThat(ledger.count("SELECT count(*) FROM entries WHERE message_id LIKE 'new%'"))
                                    .isEqualTo(300));
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(300));
            assertThat(ledger.distinctEntries()).isEqualTo(ledger.entries());
        }
    }

    @Test
    void aCommittedOffsetBeyondTheEndOfTheLogIsTakenBackAndNothingAfterItSkipped()
            throws ExecutionException, InterruptedException {
        try (Ledger ledger = new Ledger(1)) {
            for (int i = 0; i < 10; i++) {
                ledger.send("k", "m" + i, "10");
            }
            ledger.flush();
            ConsumerRuntime before = ledger.start(Ledger.HANDLER);
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(10));
            before.close();
            ledger.commit(100); // as after a leader that had lost the end of its log

            ConsumerRuntime shortlyThere = ledger.start(Ledger.HANDLER);
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(10));
            shortlyThere.close();
            for (int i = 10; i < 20; i++) {
                ledger.send("k", "m" + i, "10");
            }
            ledger.flush();
            ledger.start(Ledger.HANDLER);
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(20));
            assertThat(ledger.entriesOf("k"))
                    .isEqualTo(IntStream.range(0, 20).mapToObj(i -> "m" + i).toList());
        }
    }

    @Test
    void aPartitionGivenBackBeforeItsPositionIsFoundKeepsItsCommittedOffset() throws SQLException {
        try (Ledger ledger = new Ledger(1)) {
            for (int i = 0; i < 10; i++) {
                ledger.send("k", "m" + i, "10");
            }
            ledger.flush();
            ConsumerRuntime before = ledger.start(Ledger.HANDLER);
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(10));
            before.close();

            // Whoever asks for what is stored of a partition waits.
            try (Connection locked = ledger.dataSource.getConnection();
                    Statement statement = locked.createStatement()) {
                locked.setAutoCommit(false);
                statement.execute("LOCK TABLE partition_generations IN ACCESS EXCLUSIVE MODE");
                ConsumerRuntime stuck = ledger.start(ledger.consumer().limits(Ledger.impatient()), Ledger.HANDLER);
                await().untilAsserted(() -> assertThat(
                                ledger.count(
                                        "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'partition_generations'::regclass"))
                        .isPositive());
                stuck.close();
                assertThat(ledger.committed()).isEqualTo(10);
                locked.rollback();
            }
        }
    }

    @Test
    void F07_aDeadLetterThatIsTheLastOfItsPartitionIsCommittedAndNotRunAgain() {
        try (Ledger ledger = new Ledger(1)) {
            ledger.send("k", "m0", "10");
            ledger.send("k", "m1", "bad");
            ledger.flush();
            AtomicInteger runs = new AtomicInteger();
            int runsOfTheFirstWorker = 0;
            for (int start = 0; start < 3; start++) {
                try (ConsumerRuntime runtime = ledger.start((message, effect) -> {
                    Ledger.HANDLER.handle(message, effect);
                    if (message.value().equals("bad")) {
                        runs.incrementAndGet();
                        throw new IllegalStateException("cannot");
                    }
                })) {
                    await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(2));
                    await().until(() -> runtime.health().ready());
                }
                runsOfTheFirstWorker = start == 0 ? runs.get() : runsOfTheFirstWorker;
            }
            assertThat(runs).as("runs of later workers").hasValue(runsOfTheFirstWorker);
            assertThat(ledger.entriesOf("k")).isEqualTo(List.of("m0"));
            assertThat(ledger.count("SELECT count(*) FROM dead_letters")).isEqualTo(1);
            assertThat(ledger.records(ledger.deadLetterTopic())).hasSize(1);
        }
    }

    private static long end(Ledger ledger, int partition) throws ExecutionException, InterruptedException {
        return ledger.admin()
                .listOffsets(Map.of(ledger.partition(partition), OffsetSpec.latest()))
                .partitionResult(ledger.partition(partition))
                .get()
                .offset();
    }

    private static AlterConfigOp set(String name, String value) {
        return new AlterConfigOp(new ConfigEntry(name, value), AlterConfigOp.OpType.SET);
    }
}
