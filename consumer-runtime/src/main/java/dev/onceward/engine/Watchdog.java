package dev.onceward.engine;

import dev.onceward.catalog.EventNames;
import dev.onceward.effect.TransactionWatch;
import dev.onceward.metrics.RuntimeMeters;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends what is over its time: aborts the connection, ends the server process, interrupts the handler or deserialiser. One
 * that ignores even that loses its lane to a new thread; after a few of these the worker gives up.
 */
final class Watchdog implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Watchdog.class);
    private static final long INTERRUPT_GRACE_NANOS = Duration.ofSeconds(2).toNanos();

    private final List<Lane> lanes;
    private final Sessions sessions;
    private final Executor sessionThread;
    private final int maxStuck;
    private final RuntimeMeters meters;
    private final Worker worker;
    private final Machine machine;
    /** Threads that were given up, most of which still run. Added to and cleared by the watch thread, read by any. */
    private final List<Thread> stuckThreads = new CopyOnWriteArrayList<>();
    /** When the connection of those over their time was ended: from then on their thread should come back. */
    private final Map<LaneWork, Long> ended = new ConcurrentHashMap<>();

    Watchdog(
            List<Lane> lanes,
            Sessions sessions,
            Executor sessionThread,
            int maxStuck,
            RuntimeMeters meters,
            Worker worker,
            Machine machine) {
        this.lanes = lanes;
        this.sessions = sessions;
        this.sessionThread = sessionThread;
        this.maxStuck = maxStuck;
        this.meters = meters;
        this.worker = worker;
        this.machine = machine;
    }

    /** Looks at every lane; called several times a second by one thread. */
    @Override
    public void run() {
        long now = machine.nanoTime();
        for (Lane lane : lanes) {
            LaneWork work = lane.work();
            if (work != null) {
                work.watch().expireIfOver(now).ifPresent(expired -> end(work, expired));
                replaceIfStuck(lane, work, now);
            }
        }
    }

    /** What is wrong while handlers that were given up still run: each keeps a thread and a connection. */
    Optional<String> trouble() {
        long running = stuckThreads.stream().filter(machine::isAlive).count();
        return running == 0
                ? Optional.empty()
                : Optional.of((running == 1 ? "1 handler ignores its" : running + " handlers ignore their")
                        + " time limit; " + maxStuck + " may (limits.max-stuck-handlers)");
    }

    private void end(LaneWork work, TransactionWatch.Expired expired) {
        LOG.atWarn()
                .addKeyValue(EventNames.KEY, EventNames.TIME_OVER)
                .addKeyValue("phase", expired.phase())
                .log("A lane was over its time; its connection is ended, its handler interrupted");
        // Both may block: not in the thread that watches the others. And the abort not behind anything that asks the
        // database: where the network swallows everything, the handler comes back by the abort alone.
        Thread aborting = machine.thread(Thread.currentThread().getName() + "-abort", () -> {
            expired.abort();
            if (expired.phase().isTeamsCode()) {
                ended.put(work, machine.nanoTime());
            }
        });
        aborting.start();
        if (expired.backendPid() != 0) {
            sessionThread.execute(() -> endBackend(expired.backendPid()));
        }
    }

    private void endBackend(int pid) {
        try {
            sessions.end(pid);
        } catch (SQLException e) {
            LOG.atInfo().addKeyValue("error", e.toString()).log("The server process could not be ended");
        }
    }

    private void replaceIfStuck(Lane lane, LaneWork work, long now) {
        if (!work.watch().stuck()) {
            ended.remove(work);
            return;
        }
        Optional<Long> since = Optional.ofNullable(ended.get(work));
        if (since.isPresent()
                && now - since.get() > INTERRUPT_GRACE_NANOS
                && work.watch().giveUp()) {
            ended.remove(work);
            meters.stuckHandler();
            LOG.atError()
                    .addKeyValue(EventNames.KEY, EventNames.HANDLER_STUCK)
                    .log("A handler ignored its limit and its interrupt; its lane gets a new thread");
            lane.replaceThread(work).ifPresent(stuckThreads::add);
            stuckThreads.removeIf(thread -> !machine.isAlive(thread));
            if (stuckThreads.size() > maxStuck) {
                worker.fail(
                        "more than " + maxStuck + " handlers ignored their time limit (limits.max-stuck-handlers)",
                        new IllegalStateException("handlers do not come back"));
            }
        }
    }
}
