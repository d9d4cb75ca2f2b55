package dev.onceward.guarantees;

import static dev.onceward.guarantees.Ledger.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.MeterNames;
import dev.onceward.config.ConsumerSettings;
import dev.onceward.config.RetryPolicy;
import dev.onceward.handler.MessageHandler;
import dev.onceward.runtime.ConsumerRuntime;
import dev.onceward.runtime.ConsumerRuntimeBuilder;
import dev.onceward.testsupport.guarantees.Guarantee;
import dev.onceward.testsupport.guarantees.OffsetsNeverBack;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Workers come, go and are lost: every effect once, no offset backwards, what stays goes on. */
class RebalanceIT {
    private static final RetryPolicy PATIENT = new RetryPolicy(1000, Duration.ofMillis(200), Duration.ofMillis(500));

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void F02_noOffsetGoesBackwardsThoughWorkersComeAndGoInTheMiddleOfGroups(String protocol) {
        int messages = 3_000;
        Semaphore permits = new Semaphore(200);
        MessageHandler<String, String> paced = (message, effect) -> {
            Ledger.HANDLER.handle(message, effect);
            permits.acquire();
        };
        try (Ledger ledger = new Ledger(12)) {
            for (int i = 0; i < messages; i++) {
                ledger.send("account-" + i % 60, "m" + i, "10");
            }
            ledger.flush();
            ConsumerRuntime first = ledger.start(small(ledger, protocol), paced);
            await().until(() -> permits.availablePermits() == 0); // from here on groups wait half-way
            paced(permits, () -> assertThat(owners(ledger)).isEqualTo(1));

            ConsumerRuntime second = ledger.start(small(ledger, protocol), paced);
            paced(permits, () -> assertThat(owners(ledger)).isEqualTo(2));
            assertThat(ledger.count(
                            "SELECT count(*) FROM partition_generations WHERE generation = 1 AND worker_id = ?",
                            first.workerId()))
                    .as("partitions that stayed, and were not taken over again")
                    .isGreaterThanOrEqualTo(5);
            ledger.start(small(ledger, protocol), paced);
            paced(permits, () -> assertThat(owners(ledger)).isEqualTo(3));
            CompletableFuture<Void> closed = CompletableFuture.runAsync(first::close);
            paced(permits, () -> assertThat(closed).isDone());
            ledger.start(small(ledger, protocol), paced);
            paced(permits, () -> assertThat(owners(ledger)).isEqualTo(3));
            assertThat(ledger.entries()).as("the workers moved under load").isLessThan(messages);
            permits.release(100_000);
            second.close();

            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(messages));
            assertThat(ledger.entries()).isEqualTo(messages);
            assertThat(ledger.distinctEntries()).isEqualTo(messages);
            Guarantee.assertHeld(OffsetsNeverBack.of(ledger.observed()));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void aTopicThatIsDeletedDoesNotHoldUpTheOthers(String protocol) throws ExecutionException, InterruptedException {
        Duration drain = Duration.ofSeconds(25);
        try (Ledger ledger = new Ledger(1)) {
            String other = "other." + ledger.name;
            ledger.create(other, 1);
            ledger.create("dlq." + ledger.name + "." + other, 1);
            ledger.started(ledger.consumer(protocol)
                    .limits(new ConsumerSettings.Limits(
                            Duration.ofSeconds(30),
                            Duration.ofSeconds(5),
                            Duration.ofSeconds(1),
                            drain,
                            drain.plusSeconds(1),
                            Duration.ofMinutes(5), // so that there is something to commit at the end
                            3))
                    .handle(ledger.topic, new StringDeserializer(), new StringDeserializer(), Ledger.HANDLER)
                    .handle(other, new StringDeserializer(), new StringDeserializer(), Ledger.HANDLER)
                    .start());
            ledger.send("k", "m0", "10");
            ProducerRecord<byte[], byte[]> gone = new ProducerRecord<>(other, Ledger.bytes("k"), Ledger.bytes("10"));
            gone.headers().add("message-id", Ledger.bytes("o0"));
            ledger.send(gone);
            ledger.flush();
            await().until(() -> ledger.entries() == 2);

            ledger.admin().deleteTopics(List.of(other)).all().get();
            long slowest = 0;
            long sent = 1;
            // Until the group knows, and a little longer.
            for (boolean assigned = true; assigned; sent++) {
                assigned = assigned(ledger).contains(new TopicPartition(other, 0));
                long begin = System.nanoTime();
                ledger.send("k", "m" + sent, "10");
                ledger.flush();
                long expected = sent + 2;
                await().atMost(drain.multipliedBy(2)).until(() -> ledger.entries() == expected);
                slowest = Math.max(slowest, System.nanoTime() - begin);
            }
            assertThat(Duration.ofNanos(slowest)).isLessThan(drain.dividedBy(2));
        }
    }

    private static Set<TopicPartition> assigned(Ledger ledger) throws ExecutionException, InterruptedException {
        return ledger
                .admin()
                .describeConsumerGroups(List.of(ledger.name))
                .describedGroups()
                .get(ledger.name)
                .get()
                .members()
                .stream()
                .flatMap(member -> member.assignment().topicPartitions().stream())
                .collect(Collectors.toSet());
    }

    private static ConsumerRuntimeBuilder small(Ledger ledger, String protocol) {
        return ledger.consumer(protocol).concurrency(new ConsumerSettings.Concurrency(4, 10, Duration.ofSeconds(5)));
    }

    /** A few messages at a time, until it is so. */
    private static void paced(Semaphore permits, ThrowingRunnable assertion) {
        await().untilAsserted(() -> {
            permits.release(5);
            assertion.run();
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void F04_partitionsThatStayGoOnWhileOthersAreDrainedAndNothingNewBeginsInThose(String protocol) {
        int partitions = 6;
        Set<Integer> running = ConcurrentHashMap.newKeySet();
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicBoolean mended = new AtomicBoolean();
        // The first long message of each partition that gets a lane waits in the middle of its transaction.
        MessageHandler<String, String> handler = (message, effect) -> {
            Ledger.HANDLER.handle(message, effect);
            if (message.value().equals("long")) {
                if (running.add(message.coordinates().partition())) {
                    goOn.await();
                }
            } else if (!mended.get()) {
                throw new IllegalStateException("not yet");
            }
        };
        Scrape scrape = new Scrape();
        try (Ledger ledger = new Ledger(partitions)) {
            for (int partition = 0; partition < partitions; partition++) {
                for (int i = 0; i < 20; i++) {
                    ledger.send(partition, "k" + i, partition + "-" + i, "held");
                }
            }
            ledger.flush();
            ledger.start(
                    ledger.consumer(protocol)
                            .retry(PATIENT)
                            .concurrency(new ConsumerSettings.Concurrency(32, 1, Duration.ofSeconds(5)))
                            .limits(drains(Duration.ofSeconds(25)))
                            .meterRegistry(scrape.registry()),
                    handler);
            await().untilAsserted(() -> assertThat(ledger.count("SELECT count(*) FROM message_attempts"))
                    .isEqualTo(20L * partitions));
            for (int partition = 0; partition < partitions; partition++) {
                for (int i = 0; i < 20; i++) {
                    ledger.send(partition, "long" + i, partition + "-long" + i, "long");
                }
            }
            await().until(() -> running.size() == partitions);

            ConsumerRuntime second = ledger.start(ledger.consumer(protocol).retry(PATIENT), handler);
            await().until(() -> shown(scrape, ledger).size() < partitions); // it is draining those not shown
            mended.set(true);
            List<String> staying = shown(scrape, ledger);
            String progress = "SELECT DISTINCT split_part(message_id, '-', 1) FROM entries WHERE amount = 'held'";
            await().untilAsserted(() -> assertThat(ledger.texts(progress)).hasSameElementsAs(staying));
            goOn.countDown();

            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(40L * partitions));
            assertThat(ledger.entries()).isEqualTo(40L * partitions);
            assertThat(ledger.distinctEntries()).isEqualTo(40L * partitions);
            assertThat(owned(ledger, second)).isEqualTo(partitions - staying.size());

            // And once more the other way: told only of those that come, it goes on with those that it has.
            second.close();
            for (int partition = 0; partition < partitions; partition++) {
                ledger.send(partition, "later", partition + "-later", "later");
            }
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(41L * partitions));
            assertThat(ledger.entries()).isEqualTo(41L * partitions);
            assertThat(ledger.texts(
                            "SELECT partition FROM partition_generations WHERE topic = ? AND generation = 1",
                            ledger.topic))
                    .as("those that stayed were never taken over again")
                    .hasSameElementsAs(staying);
        }
    }

    /** The partitions that a runtime still holds. */
    private static List<String> shown(Scrape scrape, Ledger ledger) {
        return scrape.series(MeterNames.LAG, "topic", ledger.topic).stream()
                .map(series -> series.getId().getTag("partition"))
                .toList();
    }

    private static ConsumerSettings.Limits drains(Duration patience) {
        ConsumerSettings.Limits limits = ConsumerSettings.Limits.DEFAULT;
        return new ConsumerSettings.Limits(
                limits.handler(),
                limits.lock(),
                limits.takeoverGrace(),
                patience,
                limits.shutdown(),
                limits.commitInterval(),
                limits.maxStuckHandlers());
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void F08_aWorkerWithoutAPartitionWaitsQuietlyAndStepsInWhenTheOthersLeave(String protocol) {
        try (Ledger ledger = new Ledger(1)) {
            ledger.send("a", "m0", "10");
            ledger.flush();
            ConsumerRuntime first = ledger.start(ledger.consumer(protocol), Ledger.HANDLER);
            ConsumerRuntime second = ledger.start(ledger.consumer(protocol), Ledger.HANDLER);
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(1));
            await().until(() -> second.health().ready());

            Set<Long> others = threads(ledger);
            ConsumerRuntime idle = ledger.start(ledger.consumer(protocol), Ledger.HANDLER);
            await().until(() -> idle.health().ready());
            Set<Long> its = threads(ledger);
            its.removeAll(others);
            String heartbeats = "SELECT extract(epoch FROM heartbeat_at - started_at) * 1000 FROM consumer_workers"
                    + " WHERE worker_id = ?";
            long beganMillis = ledger.count(heartbeats, idle.workerId());
            long beganCpu = cpuNanos(its);
            await().until(() -> ledger.count(heartbeats, idle.workerId()) > beganMillis + 3_000);
            double share = (cpuNanos(its) - beganCpu) / 1e6 / (ledger.count(heartbeats, idle.workerId()) - beganMillis);
            assertThat(share).as("share of one core").isLessThan(0.07);

            first.close();
            second.close();
            ledger.send("a", "m1", "10");
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(2));
            assertThat(owned(ledger, idle)).isEqualTo(1);
            assertThat(ledger.entries()).isEqualTo(2);
        }
    }

    /** Threads of the ledger's consumer, over all its workers. */
    private static Set<Long> threads(Ledger ledger) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().contains(ledger.name))
                .map(Thread::getId)
                .collect(Collectors.toSet());
    }

    private static long cpuNanos(Set<Long> threads) {
        ThreadMXBean bean = ManagementFactory.getThreadMXBean();
        return threads.stream()
                .mapToLong(bean::getThreadCpuTime)
                .filter(nanos -> nanos > 0)
                .sum();
    }

    private static long owners(Ledger ledger) {
        return ledger.count(
                "SELECT count(DISTINCT worker_id) FROM partition_generations WHERE topic = ? AND released_at IS NULL"
                        + " AND worker_id IS NOT NULL",
                ledger.topic);
    }

    private static long owned(Ledger ledger, ConsumerRuntime runtime) {
        return ledger.count(
                "SELECT count(*) FROM partition_generations WHERE topic = ? AND released_at IS NULL AND worker_id = ?",
                ledger.topic,
                runtime.workerId());
    }
}
