package dev.onceward.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.config.RetryPolicy;
import dev.onceward.failure.Backoff;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who may work beside whom. Each lane that has to wait does so in a thread of its own. */
@Timeout(30)
class TurnsTest {
    private static final boolean ALONE = true;
    private static final boolean BESIDE = false;

    private final Turns turns = new Turns(RealMachine.INSTANCE);
    private final Lane a = lane(0);
    private final Lane b = lane(1);
    private final Lane c = lane(2);
    private final List<Thread> waiting = new ArrayList<>();

    /** A lane that is not started: who it is, is all that counts here. */
    private static Lane lane(int number) {
        Gate gate = new Gate(
                () -> {},
                new Backoff(new RetryPolicy(5, Duration.ofMillis(1), Duration.ofMillis(2)), new Random(1)),
                RealMachine.INSTANCE);
        return new Lane(
                number,
                "turns",
                gate,
                new Turns(RealMachine.INSTANCE),
                new GroupSizer(1, Duration.ofSeconds(1)),
                lane -> {
                    throw new AssertionError("not started");
                },
                new NoWorker(),
                RealMachine.INSTANCE);
    }

    @AfterEach
    void interruptWhoeverStillWaits() {
        waiting.forEach(Thread::interrupt);
    }

    @Test
    void lanesWorkSideBySide() throws Exception {
        turns.begin(a, BESIDE);
        turns.begin(b, BESIDE);
        turns.begin(c, BESIDE);
    }

    @Test
    void oneThatWantsToBeAloneWaitsForAllWhoWork() throws Exception {
        turns.begin(a, BESIDE);
        turns.begin(b, BESIDE);
        FutureTask<Void> suspect = begin(c, ALONE);

        turns.end(a);
        assertWaits(suspect);
        turns.end(b);
        suspect.get();
    }

    @Test
    void nobodyBeginsBesideOneThatIsAlone() throws Exception {
        turns.begin(a, ALONE);
        FutureTask<Void> other = begin(b, BESIDE);
        FutureTask<Void> suspect = begin(c, ALONE);
        assertWaits(other);
        assertWaits(suspect);

        turns.end(a);
        Awaitility.await().until(() -> other.isDone() || suspect.isDone());
        // Whoever of the two comes first: they do not work at the same time.
        assertThat(other.isDone() && suspect.isDone()).isFalse();
        turns.end(other.isDone() ? b : c);
        other.get();
        suspect.get();
    }

    /** Else a suspect would wait for ever in a worker that always has something to do. */
    @Test
    void oneThatWaitsForBeingAloneComesToItsTurnThoughOthersKeepComing() throws Exception {
        turns.begin(a, BESIDE);
        FutureTask<Void> suspect = begin(b, ALONE);
        FutureTask<Void> later = begin(c, BESIDE);
        assertWaits(later);

        turns.end(a);
        suspect.get();
        assertWaits(later);
        turns.end(b);
        later.get();
    }

    @Test
    void anEndTooManyChangesNothing() throws Exception {
        turns.end(a); // has not begun
        turns.begin(a, ALONE);
        turns.end(b); // another one's end ends nothing of a
        FutureTask<Void> other = begin(b, BESIDE);
        assertWaits(other);

        turns.end(a);
        other.get();
        turns.end(a);
        turns.end(a);
        FutureTask<Void> suspect = begin(c, ALONE);
        assertWaits(suspect); // b works
        turns.end(b);
        suspect.get();
    }

    @Test
    void oneThatIsInterruptedWhileItWaitsForBeingAloneLetsTheOthersGoOn() throws Exception {
        turns.begin(a, BESIDE);
        FutureTask<Void> suspect = begin(b, ALONE);

        waiting.get(0).interrupt();
        assertThat(suspect)
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableThat()
                .withCauseInstanceOf(InterruptedException.class);
        turns.begin(c, BESIDE);
    }

    /** A lane that was given up has not ended its turn itself. */
    @Test
    void aLaneWhoseThreadWasReplacedInItsTurnCanBeginAgainOnceItsTurnWasEnded() throws Exception {
        turns.begin(a, ALONE);
        turns.end(a);
        turns.begin(a, ALONE);
        turns.end(a);
        turns.begin(b, BESIDE);
    }

    /** Asks for a turn in a thread of its own; returns when it has one, or waits. */
    private FutureTask<Void> begin(Lane lane, boolean alone) {
        Callable<Void> asks = () -> {
            turns.begin(lane, alone);
            return null;
        };
        FutureTask<Void> task = new FutureTask<>(asks);
        Thread thread = new Thread(task, "asks-for-a-turn");
        thread.setDaemon(true);
        waiting.add(thread);
        thread.start();
        Awaitility.await().until(() -> task.isDone() || thread.getState() == Thread.State.WAITING);
        return task;
    }

    private void assertWaits(FutureTask<Void> task) {
        // Whoever was woken has looked again before it waits again.
        Awaitility.await()
                .until(() -> waiting.stream()
                        .allMatch(thread -> thread.getState() == Thread.State.WAITING
                                || thread.getState() == Thread.State.TERMINATED));
        assertThat(task).isNotDone();
    }

    private static final class NoWorker implements Worker {
        @Override
        public void fail(String why, Throwable cause) {
            throw new AssertionError(why, cause);
        }

        @Override
        public void refused(OwnedPartition partition) {
            throw new AssertionError(partition);
        }

        @Override
        public void seenStale(OwnedPartition partition) {
            throw new AssertionError(partition);
        }

        @Override
        public void suspectFinished(Delivery delivery) {
            throw new AssertionError(delivery);
        }
    }
}
