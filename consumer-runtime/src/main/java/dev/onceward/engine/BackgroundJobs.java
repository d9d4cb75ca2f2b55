package dev.onceward.engine;

import dev.onceward.config.ConsumerSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What a worker does again and again beside the straight path: heartbeat, watch over time limits, maintenance. */
final class BackgroundJobs {
    private static final Duration MAINTENANCE_INTERVAL = Duration.ofSeconds(10);
    private static final Duration TOPIC_CHECK_INTERVAL = Duration.ofSeconds(5);
    private static final Duration WATCH_INTERVAL = Duration.ofMillis(100);

    private final ConsumerSettings settings;
    private final Heartbeat heartbeat;
    private final Watchdog watchdog;
    private final Runnable maintenance;
    private final BackgroundThread heartbeatThread;
    private final BackgroundThread watchThread;
    private final BackgroundThread sessionThread;
    private final BackgroundThread maintenanceThread;
    private final BackgroundThread topicThread;

    BackgroundJobs(
            EngineParts parts, Outside outside, Partitions partitions, List<Lane> lanes, Gate gate, Worker worker) {
        this.settings = parts.settings();
        this.heartbeatThread = new BackgroundThread(parts.threads() + "-heartbeat", worker, outside.machine());
        this.watchThread = new BackgroundThread(parts.threads() + "-watch", worker, outside.machine());
        this.sessionThread = new BackgroundThread(parts.threads() + "-sessions", worker, outside.machine());
        this.maintenanceThread = new BackgroundThread(parts.threads() + "-maintenance", worker, outside.machine());
        this.topicThread = new BackgroundThread(parts.threads() + "-topics", worker, outside.machine());
        this.heartbeat =
                new Heartbeat(outside.presence(), partitions, gate, worker, settings.lease(), outside.machine());
        this.watchdog = new Watchdog(
                lanes,
                outside.sessions(),
                sessionThread,
                settings.limits().maxStuckHandlers(),
                parts.meters(),
                worker,
                outside.machine());
        this.maintenance = outside.maintenance();
    }

    Heartbeat heartbeat() {
        return heartbeat;
    }

    /**
     * Starts them all. Topics are checked in a thread of their own: pruning may take minutes, and until it is known that
     * a topic was made again, its records are taken for those of the old one.
     */
    void start(Runnable checkTopics) {
        heartbeatThread.every(settings.lease().interval(), heartbeat);
        watchThread.every(WATCH_INTERVAL, () -> {
            watchdog.run();
            heartbeat.checkLease();
        });
        maintenanceThread.every(MAINTENANCE_INTERVAL, maintenance);
        topicThread.every(TOPIC_CHECK_INTERVAL, checkTopics);
    }

    /** What keeps the worker from being ready, as seen from here. */
    List<String> troubles() {
        List<String> troubles = new ArrayList<>();
        heartbeat.trouble().ifPresent(troubles::add);
        watchdog.trouble().ifPresent(troubles::add);
        return troubles;
    }

    /** All but the heartbeat. */
    void stop() {
        watchThread.stopNow();
        maintenanceThread.stopNow();
        topicThread.stopNow();
        sessionThread.stop();
    }

    /** No heartbeat comes after the one that may be under way. */
    void stopHeartbeat() {
        heartbeatThread.stop();
    }

    /** Waits for the heartbeat that is under way, then takes the worker's row away. */
    void endHeartbeat(long nanos) throws InterruptedException {
        if (heartbeatThread.awaitEnd(nanos)) {
            heartbeat.end();
        }
    }
}
