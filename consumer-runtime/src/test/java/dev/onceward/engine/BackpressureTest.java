package dev.onceward.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.config.ConsumerSettings;
import dev.onceward.config.Ordering;
import dev.onceward.config.RetryPolicy;
import dev.onceward.failure.Backoff;
import dev.onceward.metrics.RuntimeMeters;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** Which partitions are fetched, by what is in flight; Kafka's own mock stands for the consumer's list of paused ones. */
class BackpressureTest {
    private static final int BYTES = 10;

    private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("none");
    private final Backoff backoff = new Backoff(RetryPolicy.DEFAULT, new Random(1));
    private Partitions owned = new Partitions();
    private Assignment assignment = assigned(1);

    @Test
    void aPartitionIsPausedAtItsBoundAndResumedAtHalfOfIt() {
        Backpressure backpressure = bounded(100, 1_000_000, 10_000, 1_000_000, 100_000);
        deliver(0, 0, 99);
        backpressure.apply();
        assertThat(consumer.paused()).isEmpty();
        deliver(0, 99, 100);
        backpressure.apply();
        assertThat(consumer.paused()).containsExactly(partition(0));
        assertThat(backpressure.pausedPartitions()).isEqualTo(1);
        assertThat(backpressure.messages()).isEqualTo(100);
        assertThat(backpressure.bytes()).isEqualTo(100 * BYTES);

        finish(0, 0, 49);
        backpressure.apply();
        assertThat(consumer.paused()).isNotEmpty();
        finish(0, 49, 50);
        backpressure.apply();
        assertThat(consumer.paused()).isEmpty();
        assertThat(backpressure.pausedPartitions()).isZero();
    }

    @Test
    void bytesCountAsMessagesDo() {
        Backpressure backpressure = bounded(1_000, 50 * BYTES, 10_000, 1_000_000, 100_000);
        deliver(0, 0, 50);
        backpressure.apply();
        assertThat(consumer.paused()).containsExactly(partition(0));
        finish(0, 0, 25);
        backpressure.apply();
        assertThat(consumer.paused()).isEmpty();
    }

    @Test
    void aPartitionDoesNotRunFartherAheadOfItsOldestMessageThanAllowed() {
        Backpressure backpressure = bounded(100, 1_000_000, 10_000, 1_000_000, 500);
        deliver(0, 0, 1); // this one is never finished
        for (int from = 1; from < 500; from++) {
            deliver(0, from, from + 1);
            finish(0, from, from + 1);
        }
        backpressure.apply();
        assertThat(consumer.paused()).as("one in flight, 500 ahead").containsExactly(partition(0));
        finish(0, 0, 1);
        backpressure.apply();
        assertThat(consumer.paused()).isEmpty();
    }

    @Test
    void whenTheWorkerIsFullThoseWithMoreThanTheirShareArePausedAndTheOthersFetched() {
        assignment = assigned(4);
        Backpressure backpressure = bounded(1_000, 1_000_000, 1_000, 1_000_000, 100_000);
        deliver(0, 0, 700); // with the shares of 125 kept free for the other three: more than 1,000
        deliver(1, 0, 10);
        backpressure.apply();
        assertThat(consumer.paused()).containsExactly(partition(0));

        finish(0, 0, 600);
        backpressure.apply();
        assertThat(consumer.paused()).isEmpty();
    }

    @Test
    void thePartitionsTogetherStayWithinTheWorkersBound() {
        int partitions = 10;
        assignment = assigned(partitions);
        Backpressure backpressure = bounded(1_000, 1_000_000, 1_000, 1_000_000, 100_000);
        Random random = new Random(7);
        int[] next = new int[partitions];
        for (int i = 0; i < 2_000; i++) {
            backpressure.apply();
            int number = random.nextInt(partitions);
            if (!consumer.paused().contains(partition(number))) {
                deliver(number, next[number], next[number] + 5);
                next[number] += 5;
            }
            int most = IntStream.range(0, partitions)
                    .map(n -> owned(n).window().size())
                    .sum();
            assertThat(most).isLessThanOrEqualTo(1_000 + partitions * 5);
        }
        assertThat(consumer.paused()).as("nothing is finished: all stand still").hasSize(partitions);
    }

    @Test
    void aPartitionWithoutAPositionStaysPausedAndItsNextIncarnationIsCountedAnew() {
        Backpressure backpressure = bounded(100, 1_000_000, 10_000, 1_000_000, 100_000);
        deliver(0, 0, 100);
        backpressure.apply();
        assignment.beginAnew(owned(0));
        backpressure.apply();
        assertThat(backpressure.pausedPartitions()).isZero();
        assertThat(consumer.paused()).as("it looks for its position").containsExactly(partition(0));
        assignment.positioned(owned(0), new Position(new UUID(0, 1), 0, -1, 0, 0, false));
        backpressure.apply();
        assertThat(consumer.paused()).isEmpty();
    }

    private Backpressure bounded(
            int partitionMessages, long partitionBytes, int workerMessages, long workerBytes, long maxAhead) {
        return new Backpressure(
                consumer,
                owned,
                new ConsumerSettings.Backpressure(
                        partitionMessages, partitionBytes, workerMessages, workerBytes, maxAhead));
    }

    /** An assignment of positioned partitions; its positions come from the test, never from a server. */
    private Assignment assigned(int count) {
        owned = new Partitions();
        BackgroundThread none = new BackgroundThread("none", null, RealMachine.INSTANCE);
        none.stopNow();
        Assignment made = new Assignment(
                consumer,
                owned,
                "replay",
                new Dispatcher(owned, List.of(), Ordering.KEY, null, null),
                null,
                new PositionSearch(null, backoff, none, null),
                null,
                Duration.ofSeconds(1),
                new RuntimeMeters(new SimpleMeterRegistry(), "c"),
                Clock.systemUTC(),
                new Fencings(backoff, System::nanoTime),
                gone -> {},
                RealMachine.INSTANCE);
        List<TopicPartition> partitions =
                IntStream.range(0, count).mapToObj(BackpressureTest::partition).toList();
        consumer.assign(partitions);
        made.onPartitionsAssigned(partitions);
        for (TopicPartition topicPartition : partitions) {
            OwnedPartition partition = Objects.requireNonNull(owned.get(topicPartition));
            made.positioned(partition, new Position(new UUID(0, 1), 0, -1, 0, 0, false));
        }
        return made;
    }

    private OwnedPartition owned(int number) {
        return Objects.requireNonNull(owned.get(partition(number)));
    }

    private void deliver(int number, int from, int to) {
        for (int offset = from; offset < to; offset++) {
            owned(number).window().register(offset, 0, BYTES);
        }
    }

    private void finish(int number, int from, int to) {
        for (int offset = from; offset < to; offset++) {
            owned(number).window().complete(offset);
        }
    }

    private static TopicPartition partition(int number) {
        return new TopicPartition("payments", number);
    }
}
