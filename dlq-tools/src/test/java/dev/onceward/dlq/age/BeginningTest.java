package dev.onceward.dlq.age;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.position.Known;
import dev.onceward.position.StoredPosition;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Where a worker would begin in a partition of offsets 10 to 100. */
class BeginningTest {
    private static final UUID TOPIC = new UUID(1, 1);
    private static final UUID OLD_TOPIC = new UUID(2, 2);
    private static final long NONE = -1;

    @Test
    void atTheCommittedOffset() {
        assertThat(choose(50, TOPIC, 40L)).isEqualTo(new Beginning(50, ""));
        assertThat(choose(100, TOPIC, 40L)).isEqualTo(new Beginning(100, ""));
    }

    @Test
    void atTheWatermarkIfNothingIsCommitted() {
        assertThat(choose(NONE, TOPIC, 40L).offset()).isEqualTo(40);
    }

    @Test
    void atTheBeginningOfAPartitionAddedToAKnownTopic() {
        assertThat(choose(NONE, null, null).offset()).isEqualTo(10);
        assertThat(choose(NONE, TOPIC, null).offset()).isEqualTo(10);
    }

    @Test
    void atTheBeginningOfATopicMadeAgain() {
        assertThat(choose(50, OLD_TOPIC, 40L).offset()).isEqualTo(10);
    }

    @Test
    void whereRetentionLeftSomething() {
        assertThat(choose(7, TOPIC, 4L).offset()).isEqualTo(10);
        assertThat(choose(7, TOPIC, 4L).note()).contains("3 offsets gone by retention");
        assertThat(choose(NONE, TOPIC, 4L).note()).contains("6 offsets gone by retention");
    }

    @Test
    void atTheWatermarkIfTheCommittedOffsetIsBeyondTheEnd() {
        assertThat(choose(101, TOPIC, 40L).offset()).isEqualTo(40);
        assertThat(choose(101, TOPIC, 4L).offset()).isEqualTo(10);
        assertThat(choose(101, TOPIC, null).offset()).isEqualTo(10);
        assertThat(choose(200, TOPIC, 150L).offset()).isEqualTo(100);
        assertThat(choose(NONE, TOPIC, 150L).offset()).isEqualTo(100);
        assertThat(choose(101, null, null).offset()).isEqualTo(100);
    }

    @Test
    void unknownInATopicNeverSeenUnlessItIsEmpty() {
        assertThat(Beginning.of(new Known(TOPIC, NONE, Optional.empty(), false, 10, 100))
                        .offset())
                .isEqualTo(Beginning.UNKNOWN);
        assertThat(Beginning.of(new Known(TOPIC, NONE, Optional.empty(), false, 10, 10))
                        .offset())
                .isEqualTo(10);
    }

    private static Beginning choose(long committed, @Nullable UUID topicId, @Nullable Long watermark) {
        OptionalLong finished = watermark == null ? OptionalLong.empty() : OptionalLong.of(watermark);
        return Beginning.of(new Known(
                TOPIC,
                committed,
                Optional.ofNullable(topicId).map(id -> new StoredPosition(id, finished)),
                true,
                10,
                100));
    }
}
