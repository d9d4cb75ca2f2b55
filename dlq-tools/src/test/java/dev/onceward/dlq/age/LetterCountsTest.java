package dev.onceward.dlq.age;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.dlq.index.Stats;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class LetterCountsTest {
    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 50); // it may overflow
    private final List<String> read = new ArrayList<>();
    private final LetterCounts counts = new LetterCounts(this::read, clock::get);

    @Test
    void areKeptForTwentyTimesAsLongAsTheyTook() throws SQLException {
        assertThat(counts.of("billing"))
                .containsOnlyKeys(new TopicPartition("payments", 1))
                .allSatisfy((partition, some) -> assertThat(some.count()).isEqualTo(1));
        clock.addAndGet(199);
        assertThat(counts.of("billing").values())
                .extracting(Stats.OfPartition::count)
                .containsExactly(1L);
        clock.addAndGet(1);
        assertThat(counts.of("billing").values())
                .extracting(Stats.OfPartition::count)
                .containsExactly(2L);
    }

    @Test
    void areThoseOfTheConsumer() throws SQLException {
        counts.of("billing");
        counts.of("shipping");
        counts.of("billing");

        assertThat(read).containsExactly("billing", "shipping");
    }

    /** Takes ten nanoseconds. */
    private List<Stats.OfPartition> read(String consumer) {
        clock.addAndGet(10);
        read.add(consumer);
        return List.of(new Stats.OfPartition(consumer, "payments", 1, read.size(), Instant.EPOCH));
    }
}
