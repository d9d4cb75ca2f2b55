package dev.onceward.guarantees;

import static dev.onceward.guarantees.Ledger.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.config.ConsumerSettings;
import dev.onceward.config.RetryPolicy;
import dev.onceward.handler.Message;
import dev.onceward.handler.MessageHandler;
import dev.onceward.handler.RetryAfterException;
import dev.onceward.runtime.ConsumerRuntime;
import dev.onceward.runtime.ConsumerRuntimeBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Bounded: attempts belong to their record alone, and are kept for as long as it is not finished. */
class AttemptsIT {
    private static final int MOST = 4;

    /** The attempts that handlers were told of, by message. */
    private final Map<String, Queue<Integer>> attempts = new ConcurrentHashMap<>();

    @Test
    void F09_attemptsAreThoseOfTheRecordAloneAndOutliveARestart() {
        MessageHandler<String, String> handler = (message, effect) -> {
            remember(message);
            Ledger.HANDLER.handle(message, effect);
            if (message.attempt() <= Integer.parseInt(message.value())) {
                // The second attempt of each lasts until the next worker is there.
                throw message.attempt() == 2
                        ? new RetryAfterException(Duration.ofHours(1), "later")
                        : new IllegalStateException("not yet");
            }
        };
        try (Ledger ledger = new Ledger(2)) {
            // Of one key: the same in both partitions, so that offset 0 and the key are those of two records.
            ledger.send(0, "k", "given-up", String.valueOf(MOST));
            ledger.send(1, "k", "at-the-last", String.valueOf(MOST - 1));
            ledger.send(0, "k", "behind", "1");
            ledger.send(0, "other", "never", "0");
            ledger.flush();
            ConsumerRuntime first = ledger.start(each(ledger, MOST), handler);
            await().until(() -> ledger.count("SELECT count(*) FROM message_attempts WHERE attempts = 2") == 2);
            first.close();
            assertThat(attemptsOf("given-up")).containsExactly(1, 2);
            assertThat(attemptsOf("behind")).as("its key is held").isEmpty();

            ledger.execute("UPDATE message_attempts SET not_before = clock_timestamp()"); // the hour is over
            ledger.start(each(ledger, MOST), handler);
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(4));
            assertThat(attemptsOf("given-up")).containsExactly(1, 2, 3, 4);
            assertThat(attemptsOf("at-the-last")).containsExactly(1, 2, 3, 4);
            assertThat(attemptsOf("behind")).containsExactly(1, 2);
            assertThat(attemptsOf("never")).containsExactly(1);
            assertThat(ledger.texts("SELECT message_id || ' ' || reason || ' ' || attempts FROM dead_letters"))
                    .containsExactly("given-up ATTEMPTS_EXHAUSTED " + MOST);
            assertThat(ledger.texts("SELECT message_id FROM entries"))
                    .containsExactlyInAnyOrder("at-the-last", "behind", "never");
            assertThat(ledger.count("SELECT count(*) FROM message_attempts")).isZero();
        }
    }

    /** What a worker remembers of a partition that it had before is older than what others did in the meantime. */
    @Test
    void F09_attemptsGoOnWhereAnotherOwnerLeftThemAlsoWhenThePartitionComesBack() {
        int partitions = 4;
        AtomicBoolean mended = new AtomicBoolean();
        MessageHandler<String, String> handler = (message, effect) -> {
            remember(message);
            if (!mended.get()) {
                throw new RetryAfterException(Duration.ofMillis(50), "not yet");
            }
            Ledger.HANDLER.handle(message, effect);
        };
        try (Ledger ledger = new Ledger(partitions)) {
            for (int partition = 0; partition < partitions; partition++) {
                ledger.send(partition, "k", "m" + partition, "10");
            }
            ledger.flush();
            ledger.start(each(ledger, 1_000), handler);
            awaitMoreOfEach(ledger, 3);
            ConsumerRuntime other = ledger.start(each(ledger, 1_000), handler);
            String moved = "SELECT count(*) FROM partition_generations WHERE topic = ? AND worker_id = ?";
            await().until(() -> ledger.count(moved, ledger.topic, other.workerId()) > 0);
            awaitMoreOfEach(ledger, 3);
            other.close();
            awaitMoreOfEach(ledger, 3);
            assertThat(ledger.count("SELECT max(generation) FROM partition_generations WHERE topic = ?", ledger.topic))
                    .as("away and back")
                    .isEqualTo(3);
            mended.set(true);
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(partitions));

            for (int partition = 0; partition < partitions; partition++) {
                List<Integer> seen = attemptsOf("m" + partition);
                assertThat(seen)
                        .as("attempts of m%d: none forgotten, none counted twice", partition)
                        .containsExactlyElementsOf(
                                IntStream.rangeClosed(1, seen.size()).boxed().toList());
            }
            assertThat(ledger.entries()).isEqualTo(partitions);
            assertThat(ledger.count("SELECT count(*) FROM dead_letters")).isZero();
        }
    }

    private void awaitMoreOfEach(Ledger ledger, int more) {
        long least = ledger.count("SELECT max(attempts) FROM message_attempts") + more;
        await().until(() -> ledger.count("SELECT min(attempts) FROM message_attempts") >= least);
    }

    /** Each message in a transaction of its own: a run in a group with others is not counted. */
    private static ConsumerRuntimeBuilder each(Ledger ledger, int attempts) {
        return ledger.consumer("classic")
                .concurrency(new ConsumerSettings.Concurrency(4, 1, Duration.ofSeconds(5)))
                .retry(new RetryPolicy(attempts, Duration.ofMillis(10), Duration.ofMillis(50)));
    }

    private void remember(Message<String, String> message) {
        attempts.computeIfAbsent(message.id(), id -> new ConcurrentLinkedQueue<>())
                .add(message.attempt());
    }

    private List<Integer> attemptsOf(String id) {
        return List.copyOf(attempts.getOrDefault(id, new ConcurrentLinkedQueue<>()));
    }
}
