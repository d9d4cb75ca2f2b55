package dev.onceward.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.config.Ordering;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

class OrderingKeyTest {
    private final OwnedPartition partition = Deliveries.partition(0);

    @Test
    void equalKeyBytesAreOneKey() {
        assertThat(of(Ordering.KEY, 1, "a")).isEqualTo(of(Ordering.KEY, 2, "a")).isNotEqualTo(of(Ordering.KEY, 1, "b"));
    }

    @Test
    void recordsWithoutAKeyHaveNoOrder() {
        assertThat(of(Ordering.KEY, 1, null)).isNotEqualTo(of(Ordering.KEY, 2, null));
    }

    @Test
    void orderingByPartitionOrNotAtAll() {
        assertThat(of(Ordering.PARTITION, 1, "a")).isEqualTo(of(Ordering.PARTITION, 2, "b"));
        assertThat(of(Ordering.UNORDERED, 1, "a")).isNotEqualTo(of(Ordering.UNORDERED, 2, "a"));
    }

    @Test
    void anotherIncarnationIsAnotherKey() {
        OwnedPartition later = Deliveries.partition(0);
        assertThat(OrderingKey.of(later, record(1, "a"), Ordering.KEY)).isNotEqualTo(of(Ordering.KEY, 1, "a"));
    }

    @Test
    void similarKeysSpreadOverTheLanes() {
        int[] counts = new int[8];
        for (int i = 0; i < 8_000; i++) {
            counts[of(Ordering.KEY, i, "account-" + i).lane(8)]++;
        }
        assertThat(Arrays.stream(counts)).allMatch(count -> count > 800 && count < 1_200);
    }

    @Test
    void fewPartitionsUseManyLanesWhenEachIsOrderedAsAWhole() {
        assertThat(IntStream.range(0, 8)
                        .map(i -> OrderingKey.of(Deliveries.partition(i), record(1, "a"), Ordering.PARTITION)
                                .lane(8))
                        .distinct()
                        .count())
                .isEqualTo(8);
    }

    private OrderingKey of(Ordering ordering, long offset, String key) {
        return OrderingKey.of(partition, record(offset, key), ordering);
    }

    private static ConsumerRecord<byte[], byte[]> record(long offset, String key) {
        return new ConsumerRecord<>("payments", 0, offset, key == null ? null : key.getBytes(UTF_8), new byte[0]);
    }
}
