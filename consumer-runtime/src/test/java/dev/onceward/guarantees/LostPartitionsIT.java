package dev.onceward.guarantees;

import static dev.onceward.guarantees.Ledger.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.EventNames;
import dev.onceward.catalog.MeterNames;
import dev.onceward.config.ConsumerSettings;
import dev.onceward.config.Ordering;
import dev.onceward.handler.MessageHandler;
import dev.onceward.runtime.ConsumerRuntime;
import dev.onceward.runtime.ConsumerRuntimeBuilder;
import dev.onceward.testsupport.ProcessControl;
import dev.onceward.testsupport.guarantees.Guarantee;
import dev.onceward.testsupport.guarantees.OffsetsNeverBack;
import dev.onceward.testsupport.proxy.Direction;
import dev.onceward.testsupport.proxy.PostgresProxy;
import dev.onceward.testsupport.proxy.ProxiedConnection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Partitions that a worker loses while it still works on them. */
class LostPartitionsIT {

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void F02_aWorkerThatIsLateNeitherWritesNorCommitsAfterItsPartitionWasTakenOver(String protocol) {
        CountDownLatch hanging = new CountDownLatch(4);
        CountDownLatch wake = new CountDownLatch(1);
        MessageHandler<String, String> hangs = (message, effect) -> {
            Ledger.HANDLER.handle(message, effect);
            if (message.value().equals("hangs")) {
                hanging.countDown();
                wake.await();
            }
        };
        try (Ledger ledger = new Ledger(4)) {
            for (int partition = 0; partition < 4; partition++) {
                for (int i = 0; i < 40; i++) {
                    ledger.send(partition, "k" + i, partition + "-" + i, i == 10 ? "hangs" : "10");
                }
            }
            ledger.flush();
            ConsumerRuntime slow = ledger.start(eachPartitionItsLane(ledger, protocol), hangs);
            await().until(() -> hanging.getCount() == 0);
            ConsumerRuntime other = ledger.start(eachPartitionItsLane(ledger, protocol), Ledger.HANDLER);
            String moved = "SELECT coalesce(sum(watermark), 0) FROM partition_generations WHERE topic = ?"
                    + " AND worker_id <> ? AND watermark = 40";
            await().untilAsserted(() -> assertThat(ledger.count(moved, ledger.topic, slow.workerId()))
                    .as("the other one went past the message that hangs")
                    .isGreaterThanOrEqualTo(40));
            wake.countDown();

            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(160));
            // They come back to the one that was late: what it knew of them before does not.
            other.close();
            for (int partition = 0; partition < 4; partition++) {
                ledger.send(partition, "k", partition + "-later", "10");
            }
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(164));
            assertThat(ledger.entries()).isEqualTo(164);
            assertThat(ledger.distinctEntries()).isEqualTo(164);
            Guarantee.assertHeld(OffsetsNeverBack.of(ledger.observed()));
        }
    }

    @Test
    void F03_whatIsLostWithoutNoticeIsDroppedUncommittedAndTheWorkerJoinsAgain()
            throws ExecutionException, InterruptedException {
        Scrape scrape = new Scrape();
        try (Ledger ledger = new Ledger(2);
                EventLog events = EventLog.of(ledger.name)) {
            for (int i = 0; i < 100; i++) {
                ledger.send("k" + i % 7, "m" + i, "10");
            }
            ledger.flush();
            ConsumerSettings.Limits limits = Ledger.impatient();
            ConsumerSettings.Limits neverCommits = new ConsumerSettings.Limits(
                    limits.handler(),
                    limits.lock(),
                    limits.takeoverGrace(),
                    limits.drain(),
                    limits.shutdown(),
                    Duration.ofMinutes(1),
                    limits.maxStuckHandlers());
            ConsumerRuntime runtime = ledger.start(
                    ledger.consumer().limits(neverCommits).meterRegistry(scrape.registry()), Ledger.HANDLER);
            await().untilAsserted(() -> assertThat(ledger.entries()).isEqualTo(100));

            ledger.admin()
                    .removeMembersFromConsumerGroup(ledger.name, new RemoveMembersFromConsumerGroupOptions())
                    .all()
                    .get();
            await().untilAsserted(() ->
                    assertThat(events.count(EventNames.PARTITION_LOST)).isGreaterThanOrEqualTo(2));
            for (int i = 100; i < 200; i++) {
                ledger.send("k" + i % 7, "m" + i, "10");
            }
            await().untilAsserted(() -> assertThat(ledger.entries()).isEqualTo(200));
            assertThat(ledger.distinctEntries()).isEqualTo(200);
            assertThat(runtime.health().ready()).isTrue();
            assertThat(ledger.offsets()).as("nothing was committed").isEmpty();
            assertThat(scrape.sum(MeterNames.MESSAGES, "outcome", "DUPLICATE"))
                    .as("it went on from the watermark in the database")
                    .isZero();
            runtime.close();
            assertThat(ledger.committed()).isEqualTo(200);
        }
    }

    /** Beyond {@code max.poll.interval.ms}, in code that the team plugged in, while it owns partitions. */
    @Test
    void F03_aWorkerWhosePollThreadStallsPastThePollLimitLosesItsPartitionsAndComesBack() {
        CountDownLatch goOn = new CountDownLatch(1);
        try (Ledger ledger = new Ledger(2);
                EventLog events = EventLog.of(ledger.name)) {
            ConsumerRuntime stalled = ledger.start(
                    ledger.consumer("classic")
                            .limits(Ledger.impatient())
                            .kafka(
                                    "consumer.partition.assignment.strategy",
                                    StuckPollThreadIT.StuckAssignor.class.getName())
                            .kafka("consumer.max.poll.interval.ms", "3000"),
                    Ledger.HANDLER);
            send(ledger, 0, 100);
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(100));

            StuckPollThreadIT.StuckAssignor.OPEN.put(ledger.name, goOn);
            ConsumerRuntime other = ledger.start(ledger.consumer("classic").limits(Ledger.impatient()), Ledger.HANDLER);
            awaitOwner(ledger, other, 2);
            goOn.countDown();
            awaitOwner(ledger, stalled, 1);
            ledger.flush();
            await().untilAsserted(() -> assertThat(ledger.committed())
                    .isEqualTo(ledger.records(ledger.topic).size()));
            assertThat(ledger.entries()).isEqualTo(ledger.records(ledger.topic).size());
            assertThat(ledger.distinctEntries()).isEqualTo(ledger.entries());
            assertThat(events.count(EventNames.PARTITION_LOST)).isPositive();
            assertThat(stalled.health().live()).isTrue();
            Guarantee.assertHeld(OffsetsNeverBack.of(ledger.observed()));
        } finally {
            goOn.countDown();
        }
    }

    /** A partition is taken over when it has records. */
    private static void awaitOwner(Ledger ledger, ConsumerRuntime worker, int partitions) {
        await().untilAsserted(() -> {
            for (int partition = 0; partition < 2; partition++) {
                ledger.send(partition, "wake", "w" + UUID.randomUUID(), "10");
            }
            assertThat(ledger.count(
                            "SELECT count(*) FROM partition_generations WHERE topic = ? AND worker_id = ?"
                                    + " AND released_at IS NULL",
                            ledger.topic,
                            worker.workerId()))
                    .isGreaterThanOrEqualTo(partitions);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void F03_aWorkerFrozenPastItsSessionLosesItsPartitionsAndComesBackToItsGroup(String protocol)
            throws ExecutionException, InterruptedException {
        try (Ledger ledger = new Ledger(4)) {
            ledger.admin()
                    .incrementalAlterConfigs(Map.of(
                            new ConfigResource(ConfigResource.Type.GROUP, ledger.name),
                            List.of(
                                    set("consumer.session.timeout.ms", "2000"),
                                    set("consumer.heartbeat.interval.ms", "200"))))
                    .all()
                    .get();
            send(ledger, 0, 400);
            try (ProcessControl frozen = ProcessControl.java(LedgerWorkerMain.class)
                    .named("frozen")
                    .jvmOptions("-Xmx96m")
                    .arguments(
                            ledger.name,
                            "frozen",
                            ledger.bootstrap,
                            ledger.postgres.jdbcUrl(ledger.databaseName),
                            ledger.postgres.user(),
                            ledger.postgres.password(),
                            protocol,
                            ledger.topic)
                    .onOutput(line -> {})
                    .start()) {
                await().untilAsserted(() -> assertThat(ledger.entries()).isEqualTo(400));
                send(ledger, 400, 4_000);
                await().untilAsserted(() -> assertThat(ledger.entries()).isGreaterThan(600));
                frozen.freeze();

                ledger.start(ledger.consumer(protocol).limits(Ledger.impatient()), Ledger.HANDLER);
                await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(4_000));
                send(ledger, 4_000, 4_400);
                frozen.resume();
                await().untilAsserted(() -> {
                    // A partition is taken over when it has records.
                    for (int partition = 0; partition < 4; partition++) {
                        ledger.send(partition, "wake", "w" + UUID.randomUUID(), "10");
                    }
                    assertThat(ledger.count("SELECT count(*) FROM partition_generations WHERE worker_id = 'frozen'"
                                    + " AND generation > 2 AND released_at IS NULL"))
                            .as("partitions that it has got again")
                            .isPositive();
                });
                ledger.flush();
                await().untilAsserted(() -> assertThat(ledger.committed())
                        .isEqualTo(ledger.records(ledger.topic).size()));
            }
            assertThat(ledger.entries()).isEqualTo(ledger.records(ledger.topic).size());
            assertThat(ledger.distinctEntries()).isEqualTo(ledger.entries());
            Guarantee.assertHeld(OffsetsNeverBack.of(ledger.observed()));
        }
    }

    @Test
    void aWorkerCutOffInTheMiddleOfItsHeartbeatKeepsNobodyFromItsPartitions() {
        try (Ledger ledger = new Ledger(2);
                PostgresProxy proxy = PostgresProxy.to(ledger.postgres)) {
            send(ledger, 0, 100);
            // The server gets the watermarks, and its answer does not arrive: the worker says nothing more.
            CompletableFuture<ProxiedConnection> struck = proxy.network()
                    .afterBytes(
                            Direction.TO_SERVER,
                            "SET watermark = m.watermark".getBytes(UTF_8),
                            connection -> connection.stall(Direction.TO_CLIENT));
            ConsumerRuntime cutOff = ledger.start(
                    ledger.consumer("classic")
                            .limits(Ledger.impatient())
                            .database(
                                    proxy.jdbcUrl(ledger.databaseName),
                                    ledger.postgres.user(),
                                    ledger.postgres.password()),
                    Ledger.HANDLER);
            await().until(struck::isDone);
            await().untilAsserted(() -> assertThat(ledger.entries()).isEqualTo(100));
            proxy.network().stall(Direction.TO_SERVER);
            proxy.network().stall(Direction.TO_CLIENT);
            cutOff.close();

            send(ledger, 100, 200);
            ledger.start(ledger.consumer("classic").limits(Ledger.impatient()), Ledger.HANDLER);
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(200));
            assertThat(ledger.entries()).isEqualTo(200);
            assertThat(ledger.distinctEntries()).isEqualTo(200);
        }
    }

    private static void send(Ledger ledger, int from, int to) {
        for (int i = from; i < to; i++) {
            ledger.send("k" + i % 40, "m" + i, "10");
        }
        ledger.flush();
    }

    private static AlterConfigOp set(String name, String value) {
        return new AlterConfigOp(new ConfigEntry(name, value), AlterConfigOp.OpType.SET);
    }

    private static ConsumerRuntimeBuilder eachPartitionItsLane(Ledger ledger, String protocol) {
        return ledger.consumer(protocol).ordering(Ordering.PARTITION).limits(Ledger.impatient());
    }
}
