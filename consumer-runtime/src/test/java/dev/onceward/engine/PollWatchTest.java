package dev.onceward.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PollWatchTest {
    private final AtomicLong now = new AtomicLong(-5);
    private final PollWatch watch = new PollWatch(Duration.ofSeconds(10), Duration.ofMinutes(5), now::get);

    @Test
    void aRoundMayTakeAsLongAsADrainWithWhatFollows() {
        pass(Duration.ofSeconds(30));
        assertThat(watch.trouble()).isEmpty();
        watch.round();
        pass(Duration.ofSeconds(30));
        assertThat(watch.trouble()).isEmpty();
    }

    @Test
    void afterThatItIsShownForHowLongTheThreadIsStuck() {
        pass(Duration.ofSeconds(31));
        assertThat(watch.trouble()).contains("the poll thread is stuck: it has not gone round for 31 s");
        assertThat(watch.dead()).isFalse();
        watch.round();
        assertThat(watch.trouble()).isEmpty();
    }

    @Test
    void whenTheGroupHasGivenThePartitionsAwayItIsDeadUntilItGoesRoundAgain() {
        pass(Duration.ofMinutes(5));
        assertThat(watch.dead()).isFalse();
        pass(Duration.ofNanos(1));
        assertThat(watch.dead()).isTrue();
        watch.round();
        assertThat(watch.dead()).isFalse();
    }

    @Test
    void itIsShownBeforeTheGroupActsAlsoWhereThatIsSoon() {
        PollWatch soon = new PollWatch(Duration.ofSeconds(10), Duration.ofSeconds(20), now::get);
        pass(Duration.ofSeconds(11));
        assertThat(soon.trouble()).isPresent();
        assertThat(soon.dead()).isFalse();
    }

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }
}
