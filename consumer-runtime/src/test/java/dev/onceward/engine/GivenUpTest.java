package dev.onceward.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.handler.Coordinates;
import dev.onceward.message.RecordIdentity;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class GivenUpTest {
    private static final UUID TOPIC = new UUID(1, 1);

    @Test
    void knowsExactlyWhatWasAdded() {
        Random random = new Random(7);
        GivenUp givenUp = new GivenUp();
        Set<RecordIdentity> added = new HashSet<>();
        Set<Long> offsets = new HashSet<>();
        for (long offset = 0; offset < 3_000; offset += random.nextInt(3)) {
            RecordIdentity record = record(offset, new UUID(1, random.nextInt(2)), random.nextInt(2), 77);
            givenUp.add(record);
            added.add(record);
            offsets.add(offset);
        }
        for (long offset = -1; offset <= 3_000; offset++) {
            assertThat(givenUp.mention(offset)).isEqualTo(offsets.contains(offset));
            for (int i = 0; i < 8; i++) {
                RecordIdentity record = record(offset, new UUID(1, i & 1), i >> 1 & 1, 77 + (i >> 2));
                assertThat(givenUp.contain(record)).isEqualTo(added.contains(record));
            }
        }
    }

    @Test
    void nothingWasGivenUpWhereNothingWasAdded() {
        GivenUp givenUp = new GivenUp();
        assertThat(givenUp.mention(0)).isFalse();
        assertThat(givenUp.contain(record(0, TOPIC, 1, 1))).isFalse();
    }

    @Test
    void refusesWhatComesOutOfOrder() {
        GivenUp givenUp = new GivenUp();
        givenUp.add(record(5, TOPIC, 1, 1));
        assertThatThrownBy(() -> givenUp.add(record(4, TOPIC, 1, 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("offset 4 after 5");
    }

    private static RecordIdentity record(long offset, UUID topicId, long timestamp, long hash) {
        return new RecordIdentity(new Coordinates("payments", 0, offset), topicId, timestamp, hash);
    }
}
