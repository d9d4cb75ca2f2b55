package dev.onceward.guarantees;

import static dev.onceward.guarantees.Ledger.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.EventNames;
import dev.onceward.runtime.ConsumerRuntime;
import dev.onceward.runtime.RuntimeState;
import dev.onceward.testsupport.ProcessControl;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a handler throws that is no exception, and what ends its whole worker: nothing is lost, and it ends some day. */
class FatalErrorIT {
    private static final int MESSAGES = 60;
    private static final String FATAL = "m30";
    /** Two without progress make it suspicious; what the others got done before may put that off. */
    private static final int MOST_DEATHS = HaltingWorkerMain.ATTEMPTS + 4;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void F10_anOutOfMemoryErrorEndsTheWorkerAndNothingOfItsMessageIsThere(boolean batch) {
        try (Ledger ledger = ledger();
                EventLog events = EventLog.of(ledger.name)) {
            Queue<Integer> attempts = new ConcurrentLinkedQueue<>();
            ConsumerRuntime failing = batch
                    ? ledger.started(ledger.consumer()
                            .handleBatch(
                                    ledger.topic,
                                    new StringDeserializer(),
                                    new StringDeserializer(),
                                    (messages, effect) -> {
                                        for (var message : messages) {
                                            Ledger.HANDLER.handle(message, effect);
                                            failOn(message.id());
                                        }
                                    })
                            .start())
                    : ledger.start((message, effect) -> {
                        Ledger.HANDLER.handle(message, effect);
                        failOn(message.id());
                    });
            await().untilAsserted(() -> assertThat(failing.state()).isEqualTo(RuntimeState.FAILED));
            assertThat(failing.health().live()).isFalse();
            assertThat(failing.health().troubles()).singleElement().asString().contains("OutOfMemoryError");
            assertThat(events.count(EventNames.WORKER_FAILED)).isEqualTo(1);
            assertThat(ledger.count("SELECT count(*) FROM entries WHERE message_id = ?", FATAL))
                    .isZero();
            assertThat(ledger.count("SELECT count(*) FROM processed_messages WHERE message_id = ?", FATAL))
                    .isZero();
            // Whatever took effect beside it did so with its claim, and what did not has none.
            assertThat(ledger.entries()).isEqualTo(ledger.count("SELECT count(*) FROM processed_messages"));
            assertThat(ledger.committed()).isLessThanOrEqualTo(30);
            assertThat(ledger.count("SELECT count(*) FROM dead_letters")).isZero();

            ledger.start((message, effect) -> {
                if (message.id().equals(FATAL)) {
                    attempts.add(message.attempt());
                }
                Ledger.HANDLER.handle(message, effect);
            });
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(MESSAGES));
            assertThat(ledger.entries()).isEqualTo(MESSAGES);
            assertThat(ledger.distinctEntries()).isEqualTo(MESSAGES);
            // The attempt counted, where it is known whose it was; and there was no need for more than one.
            assertThat(attempts).last().isIn(1, 2);
            if (!batch) {
                assertThat(attempts).last().isEqualTo(2);
            }
        }
    }

    private static void failOn(String id) {
        if (id.equals(FATAL)) {
            throw new OutOfMemoryError("as good as a real one");
        }
    }

    @Test
    void F10_aStackOverflowIsCountedAndTheMessageGivenUpInTheEnd() {
        try (Ledger ledger = ledger()) {
            AtomicInteger depth = new AtomicInteger();
            ConsumerRuntime runtime = ledger.start((message, effect) -> {
                Ledger.HANDLER.handle(message, effect);
                if (message.id().equals(FATAL)) {
                    depth.set(depthOf(0));
                }
            });
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(MESSAGES));
            assertThat(depth).hasValue(0);
            assertThat(runtime.state()).isEqualTo(RuntimeState.RUNNING);
            assertThat(runtime.health().ready()).isTrue();
            allButTheFatalOneOnce(ledger);
            assertThat(
                            ledger.texts(
                                    "SELECT message_id || ' ' || reason || ' ' || attempts || ' ' || error_class FROM dead_letters"))
                    .containsExactly(FATAL + " ATTEMPTS_EXHAUSTED 5 java.lang.StackOverflowError");
        }
    }

    @SuppressWarnings("InfiniteRecursion") // wanted
    private static int depthOf(int depth) {
        return depthOf(depth + 1) + 1;
    }

    @Test
    void F48_aMessageThatKillsItsWorkerEachTimeIsPassedAndNobodyBesideItIsCounted() {
        try (Ledger ledger = ledger()) {
            Queue<String> said = new ConcurrentLinkedQueue<>();
            int deaths = 0;
            while (ledger.committed() < MESSAGES) {
                try (ProcessControl worker = worker(ledger, said)) {
                    await().atMost(Duration.ofSeconds(60))
                            .until(() -> !worker.isAlive() || ledger.committed() == MESSAGES);
                    if (!worker.isAlive()) {
                        assertThat(worker.awaitExit(Duration.ofSeconds(10))).isEqualTo(HaltingWorkerMain.HALTED);
                        deaths++;
                        assertThat(deaths).isLessThanOrEqualTo(MOST_DEATHS);
                    }
                }
            }
            // Those before somebody was suspected, then one for each attempt.
            assertThat(deaths).isGreaterThanOrEqualTo(HaltingWorkerMain.ATTEMPTS);
            allButTheFatalOneOnce(ledger);
            assertThat(ledger.texts("SELECT message_id || ' ' || reason || ' ' || attempts FROM dead_letters"))
                    .containsExactly(FATAL + " ATTEMPTS_EXHAUSTED " + HaltingWorkerMain.ATTEMPTS);
            assertThat(ledger.deadLetters()).isEqualTo(1);
            assertThat(ledger.records(ledger.deadLetterTopic())).hasSize(1);
            // The value of an entry is the number of the attempt that wrote it.
            assertThat(ledger.texts("SELECT DISTINCT amount FROM entries")).containsExactly("1");
            assertThat(said).filteredOn(line -> line.startsWith(FATAL)).hasSizeGreaterThanOrEqualTo(deaths);
        }
    }

    /** Its attempt is counted before it runs; if another message ended the worker in the meantime, it would be blamed. */
    @Test
    void F48_nothingRunsBesideAMessageUnderSuspicion() {
        try (Ledger ledger = ledger()) {
            workersDiedOver(ledger, ledger.partition(0));
            AtomicInteger running = new AtomicInteger();
            Queue<Integer> besideSuspects = new ConcurrentLinkedQueue<>();
            ledger.start((message, effect) -> {
                running.incrementAndGet();
                // Long enough to meet whatever else may run.
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
                if (message.coordinates().partition() == 0) {
                    besideSuspects.add(running.get() - 1);
                }
                Ledger.HANDLER.handle(message, effect);
                running.decrementAndGet();
            });
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(MESSAGES));
            assertThat(besideSuspects).hasSize(MESSAGES / 2).containsOnly(0);
            assertThat(ledger.distinctEntries()).isEqualTo(MESSAGES);
            assertThat(ledger.count("SELECT count(*) FROM message_attempts")).isZero();
        }
    }

    /** As if workers had died twice at the first record of a partition. */
    private static void workersDiedOver(Ledger ledger, TopicPartition partition) {
        ledger.execute("INSERT INTO partition_generations (consumer_name, topic, partition, topic_id, generation,"
                + " worker_id, stuck_takeovers, resume_offset, watermark) VALUES ('" + ledger.name + "', '"
                + partition.topic() + "', " + partition.partition() + ", '" + ledger.topicId() + "', 2,"
                + " 'a worker that died', 1, 0, 0)");
    }

    private static ProcessControl worker(Ledger ledger, Queue<String> said) {
        return ProcessControl.java(HaltingWorkerMain.class)
                .jvmOptions("-Xmx96m", "-XX:TieredStopAtLevel=1")
                .arguments(
                        ledger.name,
                        ledger.topic,
                        ledger.bootstrap,
                        ledger.postgres.jdbcUrl(ledger.databaseName),
                        ledger.postgres.user(),
                        ledger.postgres.password(),
                        FATAL)
                .onOutput(said::add)
                .start();
    }

    /** Twelve keys over two partitions: the fatal message has some before, behind and beside it. */
    private static Ledger ledger() {
        Ledger ledger = new Ledger(2);
        for (int i = 0; i < MESSAGES; i++) {
            ledger.send(i % 2, "account-" + i % 12, "m" + i, "10");
        }
        ledger.flush();
        return ledger;
    }

    private static void allButTheFatalOneOnce(Ledger ledger) {
        assertThat(ledger.entries()).isEqualTo(MESSAGES - 1);
        assertThat(ledger.distinctEntries()).isEqualTo(MESSAGES - 1);
        assertThat(ledger.count("SELECT count(*) FROM entries WHERE message_id = ?", FATAL))
                .isZero();
        assertThat(ledger.count("SELECT count(*) FROM message_attempts")).isZero();
        for (int account = 0; account < 12; account++) {
            int first = account;
            List<String> expected = IntStream.range(0, MESSAGES / 12)
                    .mapToObj(n -> "m" + (first + 12 * n))
                    .filter(id -> !id.equals(FATAL))
                    .toList();
            assertThat(ledger.entriesOf("account-" + account)).isEqualTo(expected);
        }
    }
}
