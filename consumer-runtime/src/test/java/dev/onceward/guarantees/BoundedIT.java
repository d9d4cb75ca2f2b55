package dev.onceward.guarantees;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.onceward.catalog.MeterNames;
import dev.onceward.config.ConsumerSettings;
import dev.onceward.config.RetryPolicy;
import dev.onceward.handler.RetryAfterException;
import dev.onceward.runtime.ConsumerRuntime;
import dev.onceward.runtime.ConsumerRuntimeBuilder;
import dev.onceward.runtime.RuntimeState;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

/** What is in flight, how far it runs ahead, and how long an end takes: nothing grows without a bound. */
class BoundedIT {
    private static final Duration SHUTDOWN = Duration.ofSeconds(4);
    /** Beyond a limit, on a machine that does many things at once. */
    private static final Duration SLACK = Duration.ofSeconds(3);

    private final Scrape scrape = new Scrape();

    @Test
    void messagesInFlightStayWithinTheBounds() {
        int partitions = 10;
        int perPoll = 5;
        int ofPartition = 100;
        int ofWorker = 200;
        int most = ofWorker + partitions * perPoll;
        try (Ledger ledger = new Ledger(partitions)) {
            sendEach(ledger, partitions, 200, "10");
            Blocker handler = Blocker.polite();
            AtomicLong seen = new AtomicLong();
            ledger.start(
                    ledger.consumer()
                            .backpressure(new ConsumerSettings.Backpressure(
                                    ofPartition, 8 << 20, ofWorker, 24 << 20, 100_000))
                            .kafka("consumer.max.poll.records", String.valueOf(perPoll))
                            .meterRegistry(scrape.registry()),
                    (message, effect) -> {
                        seen.accumulateAndGet((long) scrape.sum(MeterNames.PARTITION_IN_FLIGHT), Math::max);
                        handler.handle(message, effect);
                    });
            // Every partition gets its share, and then nothing more is fetched, however long the handlers take.
            Ledger.await().untilAsserted(() -> {
                for (int partition = 0; partition < partitions; partition++) {
                    assertThat(inFlight(ledger, partition)).isPositive();
                }
                assertThat(scrape.sum(MeterNames.PARTITIONS_PAUSED)).isEqualTo(partitions);
            });
            Ledger.await().during(Duration.ofSeconds(1)).untilAsserted(() -> {
                for (int partition = 0; partition < partitions; partition++) {
                    assertThat(inFlight(ledger, partition)).isBetween(1.0, ofPartition + perPoll - 1.0);
                }
                assertThat(scrape.sum(MeterNames.IN_FLIGHT))
                        .isBetween(ofWorker / 2.0, (double) most)
                        .isEqualTo(scrape.sum(MeterNames.PARTITION_IN_FLIGHT));
            });
            handler.open();
            int sent = partitions * 200;
            Ledger.await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(sent));
            assertThat(seen.get()).isBetween(ofWorker / 2L, (long) most);
            assertThat(ledger.entries()).isEqualTo(sent);
            Ledger.await().untilAsserted(() -> {
                assertThat(scrape.sum(MeterNames.IN_FLIGHT)).isZero();
                assertThat(scrape.sum(MeterNames.PARTITIONS_PAUSED)).isZero();
            });
        }
    }

    @Test
    void bytesInFlightStayWithinTheBound() {
        int size = 8 << 10;
        int ofPartition = 128 << 10;
        int ofWorker = 192 << 10;
        // One poll returns at most one fetch, of at most half the bound; a batch of the producer is never divided. In
        // memory a record takes more than in a fetch.
        int most = ofWorker + (ofWorker / 2 + (16 << 10)) / size * (size + 1_000);
        try (Ledger ledger = new Ledger(2)) {
            sendEach(ledger, 2, 100, "x".repeat(size));
            Blocker handler = Blocker.polite();
            ledger.start(
                    ledger.consumer()
                            .backpressure(
                                    new ConsumerSettings.Backpressure(2_000, ofPartition, 20_000, ofWorker, 100_000))
                            .meterRegistry(scrape.registry()),
                    handler);
            Ledger.await().until(() -> scrape.sum(MeterNames.PARTITIONS_PAUSED) == 2);
            Ledger.await().during(Duration.ofSeconds(1)).untilAsserted(() -> {
                double bytes = scrape.sum(MeterNames.IN_FLIGHT_BYTES);
                assertThat(bytes).isBetween(ofWorker / 2.0, (double) most);
                // The records themselves, not a part of them: value, key and headers.
                assertThat(bytes).isGreaterThan(scrape.sum(MeterNames.IN_FLIGHT) * size);
            });
            handler.open();
            Ledger.await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(200));
            assertThat(ledger.entries()).isEqualTo(200);
            Ledger.await().until(() -> scrape.sum(MeterNames.IN_FLIGHT_BYTES) == 0);
        }
    }

    /** Nearly all of it in headers: tracing, claims, signatures. */
    @Test
    void bytesOfHeadersCountToo() {
        int size = 24 << 10;
        int ofPartition = 128 << 10;
        int ofWorker = 192 << 10;
        try (Ledger ledger = new Ledger(1)) {
            for (int i = 0; i < 40; i++) {
                ProducerRecord<byte[], byte[]> message =
                        new ProducerRecord<>(ledger.topic, Ledger.bytes("k"), Ledger.bytes("1"));
                message.headers().add("message-id", Ledger.bytes("m" + i)).add("big", new byte[size]);
                ledger.send(message);
            }
            ledger.flush();
            Blocker handler = Blocker.polite();
            ledger.start(
                    ledger.consumer()
                            .backpressure(
                                    new ConsumerSettings.Backpressure(2_000, ofPartition, 20_000, ofWorker, 100_000))
                            .meterRegistry(scrape.registry()),
                    handler);
            Ledger.await().until(() -> scrape.sum(MeterNames.PARTITIONS_PAUSED) == 1);
            Ledger.await().during(Duration.ofSeconds(1)).untilAsserted(() -> {
                assertThat(scrape.sum(MeterNames.IN_FLIGHT_BYTES))
                        .isGreaterThan(scrape.sum(MeterNames.IN_FLIGHT) * size)
                        .isLessThan(ofPartition * 2.0);
                assertThat(scrape.sum(MeterNames.IN_FLIGHT)).isBetween(1.0, ofPartition * 2.0 / size);
            });
            handler.open();
            Ledger.await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(40));
            assertThat(ledger.entries()).isEqualTo(40);
        }
    }

    @Test
    void aPartitionRunsOnlySoFarAheadOfItsOldestMessage() {
        int perPoll = 10;
        int maxAhead = 100;
        AtomicBoolean mended = new AtomicBoolean();
        try (Ledger ledger = new Ledger(1)) {
            sendEach(ledger, 1, 500, "10");
            ledger.start(
                    ledger.consumer()
                            .retry(new RetryPolicy(1_000, Duration.ofMillis(10), Duration.ofMillis(100)))
                            .backpressure(new ConsumerSettings.Backpressure(50, 8 << 20, 20_000, 24 << 20, maxAhead))
                            .kafka("consumer.max.poll.records", String.valueOf(perPoll))
                            .meterRegistry(scrape.registry()),
                    (message, effect) -> {
                        if (message.id().equals("0-0") && !mended.get()) {
                            throw new IllegalStateException("not yet");
                        }
                        Ledger.HANDLER.handle(message, effect);
                    });
            Ledger.await().until(() -> ledger.entries() >= maxAhead - 1);
            Ledger.await().during(Duration.ofSeconds(1)).untilAsserted(() -> {
                assertThat(ledger.entries()).isBetween(maxAhead - 1L, maxAhead - 1L + perPoll);
                assertThat(scrape.sum(MeterNames.PARTITION_IN_FLIGHT, "topic", ledger.topic))
                        .isBetween(1.0, 11.0);
                assertThat(scrape.sum(MeterNames.KEYS_HELD)).isEqualTo(1);
            });
            mended.set(true);
            Ledger.await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(500));
            assertThat(ledger.entries()).isEqualTo(500);
        }
    }

    @Test
    void F11_aBackOffOfTenMinutesDoesNotHoldUpTheEnd() {
        try (Ledger ledger = new Ledger(1)) {
            sendEach(ledger, 1, 10, "10");
            ConsumerRuntime runtime = ledger.start(bounded(ledger), (message, effect) -> {
                if (message.id().equals("0-3")) {
                    throw new RetryAfterException(Duration.ofMinutes(10), "come back later");
                }
                Ledger.HANDLER.handle(message, effect);
            });
            Ledger.await()
                    .until(() -> ledger.entries() == 9
                            && ledger.count("SELECT coalesce(sum(attempts), 0) FROM message_attempts") == 1);

            assertThat(timeToClose(runtime)).isLessThan(SHUTDOWN);

            assertThat(runtime.state()).isEqualTo(RuntimeState.STOPPED);
            assertThat(ledger.offsets().get(ledger.partition(0))).isEqualTo(3);
            assertThat(ledger.count("SELECT count(*) FROM dead_letters")).isZero();
            assertThat(ledger.records(ledger.deadLetterTopic())).isEmpty();
            assertThat(ledger.count("SELECT attempts FROM message_attempts")).isEqualTo(1);
            assertThat(
                            ledger.count(
                                    "SELECT count(*) FROM partition_generations WHERE worker_id IS NOT NULL AND released_at IS NULL"))
                    .isZero();
            nothingIsLeft(ledger);
        }
    }

    @Test
    void aHandlerThatWaitsIsEndedWithTheWorker() {
        try (Ledger ledger = new Ledger(1)) {
            sendEach(ledger, 1, 1, "10");
            Blocker handler = Blocker.polite();
            ConsumerRuntime runtime = ledger.start(bounded(ledger), handler);
            Ledger.await().until(() -> handler.blocked() == 1);

            assertThat(timeToClose(runtime)).isLessThan(SHUTDOWN.plus(SLACK));

            nothingIsLeft(ledger);
            theMessageStays(ledger);
        }
    }

    @Test
    void aHandlerThatIgnoresInterruptsDoesNotHoldUpTheEnd() {
        try (Ledger ledger = new Ledger(1)) {
            sendEach(ledger, 1, 1, "10");
            Blocker handler = Blocker.stubborn();
            ConsumerRuntime runtime = ledger.start(bounded(ledger), handler);
            Ledger.await().until(() -> handler.blocked() == 1);

            assertThat(timeToClose(runtime)).isLessThan(SHUTDOWN.plus(SLACK));

            Ledger.await().until(() -> connections(ledger) == 0);
            handler.open(); // what it comes back to is gone
            nothingIsLeft(ledger);
            theMessageStays(ledger);
        }
    }

    @Test
    void theTeamsPoolGetsItsConnectionsBackAndStaysOpen() {
        try (Ledger ledger = new Ledger(1);
                HikariDataSource pool = teamPool(ledger)) {
            sendEach(ledger, 1, 1, "10");
            Blocker handler = Blocker.polite();
            ConsumerRuntime runtime = ledger.start(
                    limited(
                            ConsumerRuntime.named(ledger.name)
                                    .bootstrapServers(ledger.bootstrap)
                                    .dataSource(pool),
                            ledger),
                    handler);
            Ledger.await().until(() -> handler.blocked() == 1);

            assertThat(timeToClose(runtime)).isLessThan(SHUTDOWN.plus(SLACK));

            assertThat(pool.isClosed()).isFalse();
            Ledger.await().untilAsserted(() -> {
                assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
                assertThat(threads(ledger)).isEmpty();
                assertThat(ledger.count("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"
                                + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"))
                        .isZero();
            });
            theMessageStays(ledger);
        }
    }

    @Test
    void nothingIsLeftOfAWorkerThatHasEnded() {
        try (Ledger ledger = new Ledger(3)) {
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < 100; i++) {
                    ledger.send("account-" + i, "m" + round + "-" + i, i == 7 ? "bad" : "10");
                }
                ledger.flush();
                ConsumerRuntime runtime = ledger.start(bounded(ledger), (message, effect) -> {
                    Ledger.HANDLER.handle(message, effect);
                    if ("bad".equals(message.value())) {
                        throw new IllegalStateException("cannot");
                    }
                });
                int sent = (round + 1) * 100;
                Ledger.await()
                        .untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(sent));
                assertThat(threads(ledger)).isNotEmpty(); // or the check below says nothing
                assertThat(connections(ledger)).isPositive();
                runtime.close();
                nothingIsLeft(ledger);
            }
        }
    }

    private double inFlight(Ledger ledger, int partition) {
        return scrape.sum(
                MeterNames.PARTITION_IN_FLIGHT, "topic", ledger.topic, "partition", String.valueOf(partition));
    }

    private static void sendEach(Ledger ledger, int partitions, int messages, String value) {
        for (int partition = 0; partition < partitions; partition++) {
            for (int i = 0; i < messages; i++) {
                ledger.send(partition, i == 0 ? "first" : "account-" + i % 20, partition + "-" + i, value);
            }
        }
        ledger.flush();
    }

    private static ConsumerRuntimeBuilder bounded(Ledger ledger) {
        return limited(ledger.consumer(), ledger);
    }

    private static ConsumerRuntimeBuilder limited(ConsumerRuntimeBuilder builder, Ledger ledger) {
        return builder.workerId("worker-" + ledger.name)
                .limits(new ConsumerSettings.Limits(
                        Duration.ofSeconds(30),
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(1),
                        SHUTDOWN,
                        Duration.ofMillis(200),
                        3));
    }

    private static HikariDataSource teamPool(Ledger ledger) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("team-" + ledger.databaseName);
        config.setJdbcUrl(ledger.postgres.jdbcUrl(ledger.databaseName));
        config.setUsername(ledger.postgres.user());
        config.setPassword(ledger.postgres.password());
        return new HikariDataSource(config);
    }

    private static Duration timeToClose(ConsumerRuntime runtime) {
        long begun = System.nanoTime();
        runtime.close();
        return Duration.ofNanos(System.nanoTime() - begun);
    }

    private static void nothingIsLeft(Ledger ledger) {
        Ledger.await().untilAsserted(() -> {
            assertThat(threads(ledger)).isEmpty();
            assertThat(connections(ledger)).isZero();
        });
    }

    /** Nothing was committed of a message whose handler did not come back, and the next worker handles it. */
    private static void theMessageStays(Ledger ledger) {
        assertThat(ledger.offsets()).containsEntry(ledger.partition(0), 0L);
        assertThat(ledger.entries()).isZero();
        assertThat(ledger.count("SELECT count(*) FROM processed_messages")).isZero();
        assertThat(ledger.count("SELECT count(*) FROM dead_letters")).isZero();
        assertThat(ledger.count("SELECT count(*) FROM message_attempts")).isZero();
        ledger.start(Ledger.HANDLER);
        Ledger.await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(1));
        assertThat(ledger.entries()).isEqualTo(1);
    }

    /** Those of the worker, of its pool and of its Kafka clients: all bear the consumer's name or the worker's id. */
    private static List<String> threads(Ledger ledger) {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.contains(ledger.name))
                .toList();
    }

    private static long connections(Ledger ledger) {
        return ledger.connectionsOf("worker-" + ledger.name);
    }
}
