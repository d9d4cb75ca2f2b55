package dev.onceward.engine;

import dev.onceward.catalog.EventNames;
import dev.onceward.config.ConsumerSettings;
import dev.onceward.crash.CrashPoint;
import dev.onceward.deadletter.Publisher;
import dev.onceward.deadletter.TopicProvisioner;
import dev.onceward.failure.Backoff;
import dev.onceward.metrics.RuntimeMeters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One running worker: starts its threads, and stops them in order. */
final class Engine implements Worker {
    static final Duration ADMIN_LIMIT = Duration.ofSeconds(10);

    private static final Logger LOG = LoggerFactory.getLogger(Engine.class);
    /** For what a lane does after a stop when no handler is in its way. */
    private static final Duration LANE_GRACE = Duration.ofMillis(500);

    private final Lifecycle lifecycle;
    private final RuntimeMeters meters;
    private final Machine machine;
    private final Publisher publisher;
    private final Cluster cluster;
    private final Gate gate;
    private final List<Lane> lanes;
    private final PollSide pollSide;
    private final BackgroundJobs jobs;
    private final Thread pollThread;

    /** Makes everything and starts nothing. The checks at start have passed. */
    Engine(EngineParts parts, Outside outside) {
        this.lifecycle = parts.lifecycle();
        this.meters = parts.meters();
        this.machine = outside.machine();
        this.publisher = outside.publisher();
        this.cluster = outside.cluster();
        Backoff backoff = new Backoff(parts.settings().retry(), parts.random());
        this.gate = new Gate(outside.probe(), backoff, machine);
        this.lanes = new LaneFactory(parts, outside, gate, backoff, this).lanes();
        this.pollSide = new PollSide(parts, outside, lanes, backoff, this);
        this.jobs = new BackgroundJobs(parts, outside, pollSide.partitions(), lanes, gate, this);
        this.pollThread = machine.thread(parts.threads() + "-poll", this::pollUntilTheEnd);
        meters.worker(new EngineGauges(pollSide.backpressure(), lanes, jobs.heartbeat(), gate, lifecycle));
    }

    /** Creates or checks topics; the admin client is the one the engine will use. */
    static void provision(Admin admin, ConsumerSettings settings, Map<String, Route> routes) {
        new TopicProvisioner(admin, ADMIN_LIMIT).provision(settings, routes.keySet());
    }

    /** Starts all threads; the worker is running. */
    void start() {
        lifecycle.to(WorkerState.RUNNING);
        lanes.forEach(Lane::start);
        jobs.start(pollSide::checkTopics);
        pollThread.start();
        LOG.atInfo().addKeyValue(EventNames.KEY, EventNames.WORKER_STARTED).log("The worker runs");
    }

    // ---- the poll thread, and the orderly end ----

    private void pollUntilTheEnd() {
        try {
            pollSide.run();
        } catch (Throwable e) { // whatever ends polling ends the worker, and says so
            fail("polling ended", e);
        }
        CrashPoint.STOPPING.reached();
        boolean failed = lifecycle.is(WorkerState.FAILED);
        if (failed) {
            jobs.stopHeartbeat(); // others shall see that it does not live any more
        }
        pollSide.givePartitionsBack(failed);
        gate.stop();
        lanes.forEach(Lane::stop);
        CrashPoint.LEAVING.reached();
        pollSide.leaveGroup();
        CrashPoint.LEFT.reached();
        lifecycle.to(WorkerState.STOPPED);
    }

    /** Drains, commits, leaves the group, within the limit; whatever hangs is left behind. */
    void stop(Duration limit) {
        long deadline = machine.nanoTime() + limit.toNanos();
        lifecycle.to(WorkerState.STOPPING);
        Stopping.uninterrupted(() -> machine.join(pollThread, left(deadline)));
        gate.stop();
        lanes.forEach(Lane::stop);
        endLanes(deadline);
        Stopping.quietly("closing the publisher", () -> publisher.close(Duration.ofNanos(left(deadline))));
        pollSide.stopTakeovers();
        jobs.stop();
        pollSide.stopReleases();
        // Last: until here the worker may still have written.
        jobs.stopHeartbeat();
        Stopping.uninterrupted(() -> jobs.endHeartbeat(left(deadline)));
        Stopping.uninterrupted(() -> pollSide.awaitReleases(left(deadline)));
        Stopping.quietly("closing the admin client", () -> cluster.close(Duration.ofNanos(left(deadline))));
        meters.close();
        LOG.atInfo().addKeyValue(EventNames.KEY, EventNames.WORKER_STOPPED).log("The worker has ended");
    }

    /** The partitions are given back: a handler that still runs had its time, and its effect would only be in the way. */
    private void endLanes(long deadline) {
        long soon = Math.min(deadline, machine.nanoTime() + LANE_GRACE.toNanos());
        for (Lane lane : lanes) {
            Stopping.uninterrupted(() -> {
                if (!lane.awaitStopped(Math.max(1, soon - machine.nanoTime()))) {
                    lane.abandon();
                }
            });
        }
    }

    private long left(long deadline) {
        return Math.max(deadline - machine.nanoTime(), TimeUnit.MILLISECONDS.toNanos(100));
    }

    // ---- what others tell ----

    @Override
    public void fail(String why, Throwable cause) {
        if (lifecycle.fail(why, cause)) {
            gate.stop();
        }
    }

    @Override
    public void refused(OwnedPartition partition) {
        pollSide.fenced(partition, true);
    }

    @Override
    public void seenStale(OwnedPartition partition) {
        pollSide.fenced(partition, false);
    }

    @Override
    public void suspectFinished(Delivery delivery) {
        pollSide.suspectFinished(delivery);
    }

    // ---- for the runtime ----

    void pause(boolean wanted) {
        gate.pause(wanted);
    }

    /** Whether the poll loop goes round, or may still come back before the group gives the partitions away. */
    boolean polls() {
        return pollSide.polls();
    }

    /** What keeps the worker from being ready; empty if nothing does. */
    List<String> troubles() {
        List<String> troubles = new ArrayList<>(pollSide.troubles());
        if (!gate.outage().isEmpty()) {
            troubles.add("consumption stands still: " + gate.outage());
        }
        troubles.addAll(jobs.troubles());
        if (gate.isPaused()) {
            troubles.add("paused");
        }
        publisher.trouble().ifPresent(text -> troubles.add("dead letters cannot be published: " + text));
        return troubles;
    }
}
