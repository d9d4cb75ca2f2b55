package dev.onceward.guarantees;

import static dev.onceward.guarantees.Ledger.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.MeterNames;
import dev.onceward.config.ConsumerSettings;
import dev.onceward.config.Ordering;
import dev.onceward.config.RetryPolicy;
import dev.onceward.handler.MessageHandler;
import dev.onceward.handler.RetryAfterException;
import dev.onceward.runtime.ConsumerRuntime;
import dev.onceward.runtime.ConsumerRuntimeBuilder;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages of one key take effect in offset order; a failing key holds only itself. */
class OrderIT {
    private static final RetryPolicy FOR_EVER = new RetryPolicy(1000, Duration.ofMillis(5), Duration.ofMillis(50));

    /** Writes, then fails the first attempts of a message as often as its value says. */
    private static final MessageHandler<String, String> FAILING = (message, effect) -> {
        Ledger.HANDLER.handle(message, effect);
        if (message.attempt() <= Integer.parseInt(message.value())) {
            throw new RetryAfterException(Duration.ofMillis(20), "attempt " + message.attempt() + " has to fail");
        }
    };

    @Test
    void messagesOfOneKeyTakeEffectInOffsetOrderAlsoDuringRetries() {
        try (Ledger ledger = new Ledger(2)) {
            // One in seven fails once or twice, one in fifty for ever.
            for (int i = 0; i < 1_000; i++) {
                int failures = i % 50 == 49 ? 5 : i % 7 == 3 ? 1 + i % 2 : 0;
                ledger.send("account-" + i % 20, "m" + i, String.valueOf(failures));
            }
            ledger.flush();
            ledger.start(FAILING);

            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(1_000));
            assertThat(ledger.deadLetters()).isEqualTo(20);
            for (int account = 0; account < 20; account++) {
                int first = account;
                assertThat(ledger.entriesOf("account-" + account))
                        .isEqualTo(IntStream.range(0, 50)
                                .map(n -> first + n * 20)
                                .filter(i -> i % 50 != 49)
                                .mapToObj(i -> "m" + i)
                                .toList());
            }
        }
    }

    @Test
    void aFailingKeyHoldsOnlyItself() {
        AtomicBoolean mended = new AtomicBoolean();
        Scrape scrape = new Scrape();
        try (Ledger ledger = new Ledger(1)) {
            ledger.send("broken", "b0", "1");
            for (int i = 0; i < 200; i++) {
                ledger.send("account-" + i % 10, "m" + i, "1");
                if (i % 20 == 0) {
                    ledger.send("broken", "b" + (i / 20 + 1), "1");
                }
            }
            ledger.flush();
            ledger.start(ledger.consumer().retry(FOR_EVER).meterRegistry(scrape.registry()), (message, effect) -> {
                Ledger.HANDLER.handle(message, effect);
                if (message.id().equals("b0") && !mended.get()) {
                    throw new IllegalStateException("not yet");
                }
            });

            await().untilAsserted(() -> assertThat(ledger.entries()).isEqualTo(200));
            assertThat(ledger.entriesOf("broken")).isEmpty();
            assertThat(scrape.sum(MeterNames.KEYS_HELD)).isEqualTo(1);
            assertThat(ledger.committed()).isZero();

            mended.set(true);
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(211));
            assertThat(ledger.entriesOf("broken"))
                    .isEqualTo(
                            IntStream.rangeClosed(0, 10).mapToObj(i -> "b" + i).toList());
            assertThat(ledger.entries()).isEqualTo(211);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void F01_everyRecordTakesEffectInOrderThoughFiftyPartitionsMoveDuringBackOffs(String protocol) {
        int partitions = 50;
        int perKey = 8;
        try (Ledger ledger = new Ledger(partitions)) {
            for (int i = 0; i < perKey; i++) {
                for (int partition = 0; partition < partitions; partition++) {
                    ledger.send(partition, "k" + partition, "k" + partition + "-" + i, i % 2 == 0 ? "2" : "0");
                }
            }
            ledger.flush();
            // Each even message waits a second after each of two failed attempts, in which others join and leave.
            MessageHandler<String, String> handler = (message, effect) -> {
                Ledger.HANDLER.handle(message, effect);
                if (message.attempt() <= Integer.parseInt(message.value())) {
                    throw new RetryAfterException(Duration.ofSeconds(1), "has to fail");
                }
            };
            // Full with what backs off, so that it has paused what it holds when others come to it.
            Scrape scrape = new Scrape();
            ConsumerRuntimeBuilder full = ledger.consumer(protocol)
                    .meterRegistry(scrape.registry())
                    .kafka("consumer.max.poll.records", "4")
                    .backpressure(new ConsumerSettings.Backpressure(4, 8 << 20, 400, 24 << 20, 100_000));
            ConsumerRuntime first = ledger.start(full, handler);
            // All of them: those that it never had could not move.
            await().untilAsserted(() -> assertThat(ledger.count(
                            "SELECT count(*) FROM partition_generations WHERE topic = ? AND generation > 0",
                            ledger.topic))
                    .isEqualTo(partitions));
            await().until(() -> scrape.sum(MeterNames.PARTITIONS_PAUSED) > partitions / 2.0);
            ledger.start(ledger.consumer(protocol), handler);
            await().untilAsserted(() -> assertThat(owners(ledger)).isEqualTo(2));
            ledger.start(ledger.consumer(protocol), handler);
            await().untilAsserted(() -> assertThat(owners(ledger)).isEqualTo(3));
            first.close();

            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(ledger.committed()).isEqualTo((long) perKey * partitions));
            for (int partition = 0; partition < partitions; partition++) {
                String key = "k" + partition;
                assertThat(ledger.entriesOf(key))
                        .isEqualTo(IntStream.range(0, perKey)
                                .mapToObj(i -> key + "-" + i)
                                .toList());
            }
            assertThat(ledger.count(
                            "SELECT count(*) FROM partition_generations WHERE topic = ? AND generation > 1",
                            ledger.topic))
                    .as("partitions that moved")
                    .isGreaterThan(partitions / 2);
        }
    }

    private static long owners(Ledger ledger) {
        return ledger.count(
                "SELECT count(DISTINCT worker_id) FROM partition_generations WHERE topic = ? AND generation > 0",
                ledger.topic);
    }

    @Test
    void orderingByPartitionHoldsWhateverTheKeys() {
        try (Ledger ledger = new Ledger(2)) {
            for (int i = 0; i < 100; i++) {
                ledger.send(i % 2, "key-" + i, "m" + i, i % 10 == 5 ? "2" : "0");
            }
            ledger.flush();
            ledger.start(ledger.consumer().ordering(Ordering.PARTITION), FAILING);

            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(100));
            for (int partition = 0; partition < 2; partition++) {
                int first = partition;
                assertThat(ledger.texts(
                                "SELECT message_id FROM entries WHERE substr(message_id, 2)::int % 2 = ? ORDER BY id",
                                partition))
                        .isEqualTo(IntStream.range(0, 50)
                                .mapToObj(n -> "m" + (first + 2 * n))
                                .toList());
            }
        }
    }

    @Test
    void withoutOrderingAFailingMessageHoldsNotEvenItsKey() {
        AtomicBoolean mended = new AtomicBoolean();
        try (Ledger ledger = new Ledger(1)) {
            for (int i = 0; i < 50; i++) {
                ledger.send("same", "m" + i, "1");
            }
            ledger.flush();
            ledger.start(ledger.consumer().ordering(Ordering.UNORDERED).retry(FOR_EVER), (message, effect) -> {
                Ledger.HANDLER.handle(message, effect);
                if (message.id().equals("m0") && !mended.get()) {
                    throw new IllegalStateException("not yet");
                }
            });
            await().untilAsserted(() -> assertThat(ledger.entries()).isEqualTo(49));
            assertThat(ledger.entriesOf("same")).doesNotContain("m0");
            mended.set(true);
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(50));
            assertThat(ledger.entries()).isEqualTo(50);
        }
    }

    @Test
    void aMessageThatWaitsForItsRetryDoesNotOvertakeEarlierOnesAfterTheOrderWasMadeStricter() {
        CountDownLatch never = new CountDownLatch(1);
        try (Ledger ledger = new Ledger(1)) {
            for (int i = 0; i < 8; i++) {
                ledger.send("key-" + i, "m" + i, "1");
            }
            ledger.flush();
            // Without order: the first one hangs, some others fail and wait for their next attempts.
            ConsumerRuntime before = ledger.start(
                    ledger.consumer().ordering(Ordering.UNORDERED).limits(Ledger.impatient()), (message, effect) -> {
                        if (message.id().equals("m0")) {
                            never.await();
                        }
                        throw new RetryAfterException(Duration.ofHours(1), "later");
                    });
            await().untilAsserted(() -> assertThat(ledger.count("SELECT count(*) FROM message_attempts"))
                    .isPositive());
            before.close();

            ledger.start(ledger.consumer().ordering(Ordering.PARTITION), Ledger.HANDLER);
            int firstThatWaits = (int) ledger.count("SELECT min(record_offset) FROM message_attempts");
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(firstThatWaits));
            assertThat(ledger.texts("SELECT message_id FROM entries ORDER BY id"))
                    .isEqualTo(IntStream.range(0, firstThatWaits)
                            .mapToObj(i -> "m" + i)
                            .toList());
        }
    }
}
