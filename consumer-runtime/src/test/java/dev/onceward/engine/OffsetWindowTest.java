package dev.onceward.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OffsetWindowTest {

    @Test
    void beginsWhereFetchingBegins() {
        OffsetWindow window = new OffsetWindow(42);
        assertThat(window.watermark()).isEqualTo(42);
        assertThat(window.nextFetch()).isEqualTo(42);
        assertThat(window.oldestTimestamp()).isEmpty();
    }

    @Test
    void theWatermarkStaysAtTheLowestUnfinishedOffset() {
        OffsetWindow window = new OffsetWindow(0);
        for (int offset = 0; offset < 3; offset++) {
            window.register(offset, 1_000 + offset, 10);
        }
        window.complete(1);
        window.complete(2);
        assertThat(window.watermark()).isZero();
        assertThat(window.oldestTimestamp()).hasValue(1_000);
        assertThat(window.size()).isEqualTo(1);
        window.complete(0);
        assertThat(window.watermark()).isEqualTo(3);
        assertThat(window.oldestTimestamp()).isEmpty();
    }

    @Test
    void gapsBetweenRecordsDoNotStopIt() {
        OffsetWindow window = new OffsetWindow(0);
        window.register(5, 1, 1);
        window.register(9, 1, 1);
        assertThat(window.watermark()).isEqualTo(5);
        window.complete(5);
        assertThat(window.watermark()).isEqualTo(9);
        window.complete(9);
        assertThat(window.watermark()).isEqualTo(10);
    }

    @Test
    void followsThePositionPastWhatIsNeverDeliveredAndNeverBackwards() {
        OffsetWindow window = new OffsetWindow(0);
        window.register(0, 1, 1);
        window.advance(7);
        assertThat(window.watermark()).isZero();
        window.complete(0);
        assertThat(window.watermark()).isEqualTo(7);
        window.advance(3);
        assertThat(window.watermark()).isEqualTo(7);
        assertThatThrownBy(() -> window.register(6, 1, 1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aRecordIsCompletedOnce() {
        OffsetWindow window = new OffsetWindow(0);
        window.register(0, 1, 10);
        window.register(1, 1, 20);
        window.complete(0);
        window.complete(0);
        window.complete(17);
        assertThat(window.bytes()).isEqualTo(20);
        assertThat(window.size()).isEqualTo(1);
        assertThat(window.watermark()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void agreesWithASortedSetInAnyOrderOfCompletion(int seed) {
        Random random = new Random(seed);
        OffsetWindow window = new OffsetWindow(0);
        TreeSet<Long> unfinished = new TreeSet<>();
        long next = 0;
        for (int i = 0; i < 20_000; i++) {
            if (random.nextBoolean() && unfinished.size() < 500) {
                long offset = next + (random.nextInt(4) == 0 ? random.nextInt(10) : 0);
                window.register(offset, offset * 2, 3);
                unfinished.add(offset);
                next = offset + 1;
            } else if (!unfinished.isEmpty()) {
                List<Long> all = new ArrayList<>(unfinished);
                long done = all.get(random.nextInt(all.size()));
                window.complete(done);
                unfinished.remove(done);
            } else {
                next += random.nextInt(3);
                window.advance(next);
            }
            assertThat(window.watermark()).isEqualTo(unfinished.isEmpty() ? next : unfinished.first());
            assertThat(window.size()).isEqualTo(unfinished.size());
            assertThat(window.bytes()).isEqualTo(3L * unfinished.size());
            assertThat(window.oldestTimestamp().orElse(-1))
                    .isEqualTo(unfinished.isEmpty() ? -1 : unfinished.first() * 2);
        }
    }
}
