package dev.onceward.engine;

import dev.onceward.catalog.EventNames;
import dev.onceward.effect.TransactionWatch;
import dev.onceward.metrics.RuntimeMeters;
import dev.onceward.postgres.Database;
import java.sql.PreparedStatement;
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
    // Only a process that holds our lock: the number may have been given to another one since.
    private static final String END_BACKEND =
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'"
                    + " AND classid = ?::bigint::oid AND objsubid = 2 AND granted AND pid = ? LIMIT 1";

    private final List<Lane> lanes;
    private final Database database;
    private final Executor sessionThread;
    private final int maxStuck;
    private final RuntimeMeters meters;
    private final Worker worker;
    /** Threads that were given up, most of which still run. Added to and cleared by the watch thread, read by any. */
    private final List<Thread> stuckThreads = new CopyOnWriteArrayList<>();
    /** When the connection of those over their time was ended: from then on their thread should come back. */
    private final Map<LaneWork, Long> ended = new ConcurrentHashMap<>();

    Watchdog(
            List<Lane> lanes,
            Database database,
            Executor sessionThread,
            int maxStuck,
            RuntimeMeters meters,
            Worker worker) {
        this.lanes = lanes;
        this.database = database;
        this.sessionThread = sessionThread;
        this.maxStuck = maxStuck;
        this.meters = meters;
        this.worker = worker;
    }

    /** Looks at every lane; called several times a second by one thread. */
    @Override
    public void run() {
        long now = System.nanoTime();
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
        long running = stuckThreads.stream().filter(Thread::isAlive).count();
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
        Thread aborting = new Thread(
                () -> {
                    expired.abort();
                    if (expired.phase().isTeamsCode()) {
                        ended.put(work, System.nanoTime());
                    }
                },
                Thread.currentThread().getName() + "-abort");
        aborting.setDaemon(true);
        aborting.start();
        if (expired.backendPid() != 0) {
            sessionThread.execute(() -> endBackend(expired.backendPid()));
        }
    }

    private void endBackend(int pid) {
        try {
            database.inTransaction(Duration.ofSeconds(5), connection -> {
                try (PreparedStatement statement = connection.prepareStatement(END_BACKEND)) {
                    statement.setLong(1, database.tables().lockClass());
                    statement.setInt(2, pid);
                    return statement.execute();
                }
            });
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
            stuckThreads.removeIf(thread -> !thread.isAlive());
            if (stuckThreads.size() > maxStuck) {
                worker.fail(
                        "more than " + maxStuck + " handlers ignored their time limit (limits.max-stuck-handlers)",
                        new IllegalStateException("handlers do not come back"));
            }
        }
    }
}
