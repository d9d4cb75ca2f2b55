package dev.onceward.engine;

import dev.onceward.catalog.EventNames;
import dev.onceward.config.ConsumerSettings;
import dev.onceward.config.KafkaClientProperties;
import dev.onceward.crash.CrashPoint;
import dev.onceward.deadletter.DeadLetterPublisher;
import dev.onceward.deadletter.TopicProvisioner;
import dev.onceward.failure.Backoff;
import dev.onceward.metrics.RuntimeMeters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
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
    private final Admin admin;
    private final DeadLetterPublisher publisher;
    private final Gate gate;
    private final List<Lane> lanes;
    private final PollSide pollSide;
    private final BackgroundJobs jobs;
    private final Thread pollThread;

    /** Makes everything and starts nothing. The checks at start have passed. */
    Engine(EngineParts parts, DataSource dataSource, int serverVersion, Admin admin) {
        ConsumerSettings settings = parts.settings();
        this.lifecycle = parts.lifecycle();
        this.meters = parts.meters();
        this.admin = admin;
        Stores stores = Stores.of(settings, dataSource, serverVersion);
        Backoff backoff = new Backoff(settings.retry(), parts.random());
        KafkaClientProperties kafka = new KafkaClientProperties(settings, parts.workerId());
        this.publisher = new DeadLetterPublisher(
                () -> new KafkaProducer<>(kafka.producer()),
                topic -> settings.deadLetters().deadLetterTopic(settings.consumer(), topic),
                settings.groupId(),
                parts.clock());
        this.gate = new Gate(() -> stores.database().probe(settings.limits().lock()), backoff);
        this.lanes = new LaneFactory(parts, stores, gate, publisher, backoff, this).lanes();
        MetadataUpdates metadata = new MetadataUpdates();
        Consumer<byte[], byte[]> consumer = consumer(kafka, metadata);
        this.pollSide = new PollSide(parts, consumer, metadata, kafka, stores, admin, publisher, lanes, backoff, this);
        this.jobs = new BackgroundJobs(parts, stores.database(), pollSide.partitions(), lanes, gate, this);
        this.pollThread = new Thread(this::pollUntilTheEnd, parts.threads() + "-poll");
        pollThread.setDaemon(true);
        meters.worker(new EngineGauges(pollSide.backpressure(), lanes, jobs.heartbeat(), gate, lifecycle));
    }

    /** The last thing that wrong settings can make fail: what was made before it is closed then. */
    private Consumer<byte[], byte[]> consumer(KafkaClientProperties kafka, MetadataUpdates metadata) {
        try {
            return new KafkaConsumer<>(kafka.consumer(), new ByteArrayDeserializer(), metadata);
        } catch (RuntimeException e) {
            publisher.close(Duration.ZERO);
            throw e;
        }
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
        long deadline = System.nanoTime() + limit.toNanos();
        lifecycle.to(WorkerState.STOPPING);
        Stopping.uninterrupted(() -> TimeUnit.NANOSECONDS.timedJoin(pollThread, left(deadline)));
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
        Stopping.quietly("closing the admin client", () -> admin.close(Duration.ofNanos(left(deadline))));
        meters.close();
        LOG.atInfo().addKeyValue(EventNames.KEY, EventNames.WORKER_STOPPED).log("The worker has ended");
    }

    /** The partitions are given back: a handler that still runs had its time, and its effect would only be in the way. */
    private void endLanes(long deadline) {
        long soon = Math.min(deadline, System.nanoTime() + LANE_GRACE.toNanos());
        for (Lane lane : lanes) {
            Stopping.uninterrupted(() -> {
                if (!lane.awaitStopped(Math.max(1, soon - System.nanoTime()))) {
                    lane.abandon();
                }
            });
        }
    }

    private static long left(long deadline) {
        return Math.max(deadline - System.nanoTime(), TimeUnit.MILLISECONDS.toNanos(100));
    }

    // ---- what others tell ----

    @Override
    public void fail(String why, Throwable cause) {
        if (lifecycle.fail(why, cause)) {
            gate.stop();
        }
    }

    @Override
    public void fenced(OwnedPartition partition) {
        pollSide.fenced(partition);
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
