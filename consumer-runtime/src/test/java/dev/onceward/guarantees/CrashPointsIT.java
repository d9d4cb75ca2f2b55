package dev.onceward.guarantees;

import static dev.onceward.guarantees.Ledger.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.crash.CrashPoint;
import dev.onceward.crash.CrashingWorkerMain;
import dev.onceward.testsupport.ProcessControl;
import dev.onceward.testsupport.guarantees.DeadLetterOnce;
import dev.onceward.testsupport.guarantees.EffectOnce;
import dev.onceward.testsupport.guarantees.Guarantee;
import dev.onceward.testsupport.guarantees.KeyOrder;
import dev.onceward.testsupport.guarantees.NoWriteAfterFence;
import dev.onceward.testsupport.guarantees.NothingLost;
import dev.onceward.testsupport.guarantees.ObservedConsumer;
import dev.onceward.testsupport.guarantees.OffsetsNeverBack;
import dev.onceward.testsupport.guarantees.SourceRecords;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A worker dies at each step of its path, one after the other on one topic, and the next one goes on from whatever that left
 * behind. At the end of it all the guarantees held.
 */
@Timeout(value = 6, unit = TimeUnit.MINUTES)
class CrashPointsIT {
    private static final Duration EXIT = Duration.ofSeconds(60);
    private static final int ACCOUNTS = 12;
    /** What one crash may leave behind in the dead-letter topic: what its lanes had handed over. */
    private static final int LANES = 3;
    /** Each point is passed once before the worker dies there. */
    private static final int FIRST_TIMES = 1;

    private static final Set<CrashPoint> STOPPING =
            EnumSet.of(CrashPoint.STOPPING, CrashPoint.LEAVING, CrashPoint.LEFT);
    private static final Set<CrashPoint> REVOKED = EnumSet.of(CrashPoint.REVOKED, CrashPoint.GIVEN_BACK);
    private static final Set<CrashPoint> ONCE_EACH =
            EnumSet.of(CrashPoint.ASSIGNED, CrashPoint.BEFORE_TAKEOVER, CrashPoint.GENERATION_RAISED);

    private final Ledger ledger = new Ledger(2);
    private final ObservedConsumer observed = ObservedConsumer.named(ledger.name, ledger.dataSource, ledger.bootstrap);
    private int messages;

    @AfterEach
    void close() {
        ledger.close();
    }

    @Test
    void aWorkerMayDieAtEachStepOfAMessage() throws InterruptedException {
        dieAtEach(EnumSet.range(CrashPoint.BEFORE_CLAIM, CrashPoint.AFTER_OFFSET_COMMIT));
    }

    @Test
    void aWorkerMayDieAtEachStepOfARebalanceATakeoverAHeartbeatAndItsEnd() throws InterruptedException {
        dieAtEach(EnumSet.range(CrashPoint.ASSIGNED, CrashPoint.LEFT));
    }

    private void dieAtEach(Set<CrashPoint> points) throws InterruptedException {
        NoWriteAfterFence fence = NoWriteAfterFence.watch(observed, "entries");
        for (CrashPoint point : points) {
            send();
            dieAt(point);
        }
        send();
        try (ProcessControl last = start("")) {
            await().atMost(EXIT).until(() -> ledger.committed() == messages);
            last.terminate();
            last.awaitExit(EXIT);
        }

        SourceRecords source = SourceRecords.withIdHeader(observed, List.of(ledger.topic), "message-id");
        Guarantee.assertHeld(
                EffectOnce.of(observed, "SELECT message_id FROM entries").forEveryClaim(),
                NothingLost.ofEverything(observed, source),
                KeyOrder.of(observed, source, "SELECT message_id, id FROM entries"),
                fence,
                DeadLetterOnce.of(observed).withUnnamedCopies((long) points.size() * LANES),
                OffsetsNeverBack.of(observed));
        assertThat(ledger.distinctEntries()).isEqualTo(messages - ledger.deadLetters());
    }

    /** Some messages of each account, one of them bad. */
    private void send() {
        for (int i = 0; i < 5 * ACCOUNTS; i++) {
            String id = i == ACCOUNTS ? "bad" + messages : "m" + messages;
            ledger.send("account-" + i % ACCOUNTS, id, String.valueOf(messages));
            messages++;
        }
        ledger.flush();
    }

    private void dieAt(CrashPoint point) throws InterruptedException {
        boolean atOnce = STOPPING.contains(point)
                || REVOKED.contains(point)
                || ONCE_EACH.contains(point)
                || point == CrashPoint.LOST;
        try (ProcessControl worker = start(point + ":" + (atOnce ? 0 : FIRST_TIMES))) {
            if (STOPPING.contains(point)) {
                worker.terminate();
            } else if (point == CrashPoint.LOST) {
                awaitOwner();
                worker.freeze();
                TimeUnit.SECONDS.sleep(4); // longer than its session
                worker.resume();
            } else if (REVOKED.contains(point)) {
                awaitOwner();
                try (ProcessControl other = start("")) {
                    assertDied(worker, point);
                    other.terminate();
                    other.awaitExit(EXIT);
                }
            }
            assertDied(worker, point);
        }
    }

    private static void assertDied(ProcessControl worker, CrashPoint point) {
        assertThat(worker.awaitExit(EXIT)).as("exit code at " + point).isEqualTo(CrashingWorkerMain.CRASHED);
    }

    private void awaitOwner() {
        await().until(() -> ledger.count(
                        "SELECT count(*) FROM partition_generations WHERE topic = ? AND released_at IS NULL"
                                + " AND acquired_at > clock_timestamp() - interval '20 seconds'",
                        ledger.topic)
                == 2);
    }

    private ProcessControl start(String crash) throws InterruptedException {
        CountDownLatch runs = new CountDownLatch(1);
        ProcessControl worker = CrashingWorkerMain.process(
                        ledger.name, ledger.topic, ledger.postgres, ledger.databaseName, ledger.bootstrap, crash)
                .onOutput(line -> {
                    if (line.equals(CrashingWorkerMain.RUNS)) {
                        runs.countDown();
                    }
                })
                .start();
        assertThat(runs.await(60, TimeUnit.SECONDS) || !worker.isAlive()).isTrue();
        return worker;
    }
}
