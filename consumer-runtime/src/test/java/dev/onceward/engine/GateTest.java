package dev.onceward.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.config.RetryPolicy;
import dev.onceward.failure.Backoff;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Lanes at the gate, with a database that answers what the test says. */
class GateTest {
    private static final Backoff SHORT =
            new Backoff(new RetryPolicy(5, Duration.ofMillis(1), Duration.ofMillis(2)), new Random(1));

    private final AtomicInteger probes = new AtomicInteger();
    private final AtomicReference<Exception> answer = new AtomicReference<>();
    private final Gate gate = new Gate(this::ask, SHORT, RealMachine.INSTANCE);
    private final List<Thread> lanes = new ArrayList<>();

    private void ask() throws Exception {
        probes.incrementAndGet();
        Exception failure = answer.get();
        if (failure != null) {
            throw failure;
        }
    }

    @AfterEach
    void stopLanes() {
        gate.stop();
        lanes.forEach(Thread::interrupt);
    }

    @Test
    void openUntilSomethingIsNotThere() throws InterruptedException {
        assertThat(gate.isOpen()).isTrue();
        assertThat(gate.pass()).isEqualTo(Gate.Pass.OPEN);
        assertThat(probes).hasValue(0);
    }

    @Test
    void aLostConnectionIsProbedAtOnceAndIfTheDatabaseIsThereNobodyNotices() throws InterruptedException {
        Gate.Outages before = gate.outages();
        gate.close(Gate.Cause.DATABASE, new SQLException("connection reset"));
        assertThat(gate.isOpen()).isFalse();
        assertThat(gate.pass()).isEqualTo(Gate.Pass.OPEN);
        assertThat(probes).hasValue(1);
        assertThat(gate.outage()).isEmpty();
        assertThat(gate.noOutageSince(before)).isTrue();
    }

    @Test
    void lanesWaitWhileTheDatabaseIsDownAndOneProbes() {
        answer.set(new SQLException("down"));
        Gate.Outages before = gate.outages();
        gate.close(Gate.Cause.DATABASE, new SQLException("connection reset"));
        List<CompletableFuture<Gate.Pass>> waiting = List.of(lane(), lane(), lane());
        Awaitility.await().until(() -> probes.get() > 5);
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
        assertThat(gate.outage()).isEqualTo("down");
        assertThat(gate.noOutageSince(before)).isFalse();
        assertThat(gate.noOutageSince(gate.outages())).as("one is under way").isFalse();

        answer.set(null);
        assertThat(waiting).allSatisfy(pass -> assertThat(passed(pass)).isEqualTo(Gate.Pass.OPEN));
        assertThat(gate.outage()).isEmpty();
        assertThat(gate.noOutageSince(before)).as("there was one").isFalse();
        assertThat(gate.noOutageSince(gate.outages())).isTrue();
    }

    @Test
    void onlyOneLaneProbesAtATime() throws InterruptedException {
        SynchronousQueue<String> inside = new SynchronousQueue<>();
        AtomicInteger atOnce = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Gate slow = new Gate(
                () -> {
                    most.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
                    inside.put("asking");
                    atOnce.decrementAndGet();
                },
                SHORT,
                RealMachine.INSTANCE);
        slow.close(Gate.Cause.DATABASE, new SQLException("x"));
        List<CompletableFuture<Gate.Pass>> waiting = List.of(lane(slow), lane(slow), lane(slow));
        assertThat(inside.poll(10, TimeUnit.SECONDS)).isEqualTo("asking");
        assertThat(waiting).allSatisfy(pass -> assertThat(passed(pass)).isEqualTo(Gate.Pass.OPEN));
        assertThat(most).hasValue(1);
    }

    @Test
    void whatPassesTheProbeAndFailsAgainAndAgainIsAnOutageUntilAGroupCommits() throws InterruptedException {
        for (int i = 0; i < 3; i++) {
            gate.close(Gate.Cause.DATABASE, new SQLException("no rights"));
            assertThat(gate.pass()).isEqualTo(Gate.Pass.OPEN);
        }
        assertThat(gate.outage()).isEqualTo("no rights");
        gate.progress();
        assertThat(gate.outage()).isEmpty();
    }

    @Test
    void aDependencyIsTriedWithOneMessageWhichOpensTheGateIfItRuns() throws InterruptedException {
        gate.close(Gate.Cause.DEPENDENCY, new IllegalStateException("rates are down"));
        assertThat(gate.outage()).isEqualTo("rates are down");
        assertThat(gate.pass()).isEqualTo(Gate.Pass.TRIAL);
        CompletableFuture<Gate.Pass> other = lane();

        gate.close(Gate.Cause.DEPENDENCY, new IllegalStateException("still down")); // the trial failed
        gate.trialOver();
        assertThat(passed(other)).as("another lane may try").isEqualTo(Gate.Pass.TRIAL);
        assertThat(probes).as("the database is not asked").hasValue(0);
    }

    @Test
    void aTrialThatRanOpensTheGateForAll() throws InterruptedException {
        gate.close(Gate.Cause.DEPENDENCY, new IllegalStateException("rates are down"));
        assertThat(gate.pass()).isEqualTo(Gate.Pass.TRIAL);
        CompletableFuture<Gate.Pass> other = lane();
        gate.trialOver();
        assertThat(passed(other)).isEqualTo(Gate.Pass.OPEN);
        assertThat(gate.outage()).isEmpty();
    }

    @Test
    void aThreadGivenUpInItsTrialLeavesTheTrialToOthers() throws InterruptedException {
        gate.close(Gate.Cause.DEPENDENCY, new IllegalStateException("rates are down"));
        assertThat(gate.pass()).isEqualTo(Gate.Pass.TRIAL);
        CompletableFuture<Gate.Pass> other = lane();
        gate.givenUp(Thread.currentThread());
        assertThat(passed(other)).isEqualTo(Gate.Pass.TRIAL);
    }

    @Test
    void aPauseAndALateHeartbeatHoldEveryoneUntilBothAreOver() {
        gate.pause(true);
        gate.leaseExpired(true);
        CompletableFuture<Gate.Pass> waiting = lane();
        gate.pause(false);
        assertThat(gate.isOpen()).isFalse();
        assertThat(waiting).isNotDone();
        gate.leaseExpired(false);
        assertThat(passed(waiting)).isEqualTo(Gate.Pass.OPEN);
    }

    @Test
    void aStopEndsEveryWaitAlsoTheOneOfTheProber() {
        Backoff long1 = new Backoff(new RetryPolicy(5, Duration.ofHours(1), Duration.ofHours(1)), new Random(1));
        Gate patient = new Gate(
                () -> {
                    probes.incrementAndGet();
                    throw new SQLException("down");
                },
                long1,
                RealMachine.INSTANCE);
        patient.close(Gate.Cause.DATABASE, new SQLException("x"));
        CompletableFuture<Gate.Pass> prober = lane(patient);
        CompletableFuture<Gate.Pass> other = lane(patient);
        Awaitility.await().until(() -> probes.get() == 1);
        patient.stop();
        assertThat(passed(prober)).isEqualTo(Gate.Pass.STOPPED);
        assertThat(passed(other)).isEqualTo(Gate.Pass.STOPPED);
    }

    private static Gate.Pass passed(CompletableFuture<Gate.Pass> lane) {
        return lane.orTimeout(10, TimeUnit.SECONDS).join();
    }

    private CompletableFuture<Gate.Pass> lane() {
        return lane(gate);
    }

    private CompletableFuture<Gate.Pass> lane(Gate at) {
        CompletableFuture<Gate.Pass> passed = new CompletableFuture<>();
        Thread lane = new Thread(() -> {
            try {
                passed.complete(at.pass());
            } catch (InterruptedException e) {
                passed.completeExceptionally(new CompletionException(e));
            }
        });
        lane.setDaemon(true);
        lanes.add(lane);
        lane.start();
        return passed;
    }
}
