package dev.onceward.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.position.Known;
import dev.onceward.position.StoredPosition;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** A partition that holds offsets 10 to 50, and whatever Kafka and PostgreSQL may say about it. */
class PositionChooserTest {
    private static final UUID TOPIC = new UUID(1, 1);
    private static final long CONFIGURED = 42;

    @Test
    void whatKafkaHasCommittedCounts() {
        assertThat(choose(20, stored(15), true)).isEqualTo(position(20, 20, 0, false));
        assertThat(choose(20, Optional.empty(), false)).isEqualTo(position(20, 20, 0, false));
        assertThat(choose(50, stored(15), true)).isEqualTo(position(50, 50, 0, false));
    }

    @Test
    void withoutThatTheStoredWatermark() {
        assertThat(choose(-1, stored(15), true)).isEqualTo(position(15, -1, 0, false));
    }

    @Test
    void theStartPositionOnlyInATopicNeverSeen() {
        assertThat(choose(-1, Optional.empty(), false)).isEqualTo(position(CONFIGURED, -1, 0, false));
        assertThat(choose(-1, Optional.empty(), true)).isEqualTo(position(10, -1, 0, false));
    }

    @Test
    void whatRetentionTookIsCounted() {
        assertThat(choose(4, stored(4), true)).isEqualTo(position(10, 4, 6, false));
        assertThat(choose(-1, stored(4), true)).isEqualTo(position(10, -1, 6, false));
    }

    @Test
    void beyondTheEndTheStoredWatermarkServes() {
        assertThat(choose(1_000, stored(15), true)).isEqualTo(position(15, -1, 0, true));
        assertThat(choose(1_000, stored(50), true)).isEqualTo(position(50, -1, 0, true));
        assertThat(choose(1_000, stored(4), true)).isEqualTo(position(10, -1, 6, true));
        Optional<StoredPosition> never = Optional.of(new StoredPosition(TOPIC, OptionalLong.empty()));
        assertThat(choose(1_000, never, true)).as("nothing finished yet").isEqualTo(position(10, -1, 0, true));
    }

    @Test
    void beyondTheEndOfALogThatLostItTheEnd() {
        assertThat(choose(60, stored(55), true)).isEqualTo(position(50, -1, 0, true));
        assertThat(choose(-1, stored(55), true)).isEqualTo(position(50, -1, 0, true));
    }

    @Test
    void beyondTheEndWithoutAnythingStoredWhatIsPassedOverIsCounted() {
        assertThat(choose(1_000, Optional.empty(), false)).isEqualTo(position(50, -1, 40, true));
    }

    @Test
    void aTopicMadeAgainBeginsAtItsOldestRecordWhateverWasCommitted() {
        Optional<StoredPosition> namesake = Optional.of(new StoredPosition(new UUID(2, 2), OptionalLong.of(30)));
        for (long committed : new long[] {-1, 20, 1_000}) {
            assertThat(choose(committed, namesake, true)).isEqualTo(position(10, -1, 0, true));
        }
    }

    private static Position choose(long committed, Optional<StoredPosition> stored, boolean topicSeen) {
        Known known = new Known(TOPIC, committed, stored, topicSeen, 10, 50);
        return PositionChooser.choose(new TopicPartition("payments", 0), known, () -> CONFIGURED);
    }

    private static Optional<StoredPosition> stored(long watermark) {
        return Optional.of(new StoredPosition(TOPIC, OptionalLong.of(watermark)));
    }

    private static Position position(long offset, long committed, long lost, boolean takesBack) {
        return new Position(TOPIC, offset, committed, 10, lost, takesBack);
    }
}
