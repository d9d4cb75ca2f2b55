package dev.onceward.engine;

import dev.onceward.catalog.EventNames;
import dev.onceward.config.ConsumerSettings;
import dev.onceward.config.KafkaClientProperties;
import dev.onceward.deadletter.DeadLetterPublisher;
import dev.onceward.deadletter.DeadLetterTable;
import dev.onceward.deadletter.TopicProvisioner;
import dev.onceward.effect.AfterEffects;
import dev.onceward.effect.EffectTransaction;
import dev.onceward.effect.GroupLimits;
import dev.onceward.effect.TransactionWatch;
import dev.onceward.failure.Backoff;
import dev.onceward.failure.Classifier;
import dev.onceward.metrics.RuntimeMeters;
import dev.onceward.postgres.AttemptTable;
import dev.onceward.postgres.ClaimPruning;
import dev.onceward.postgres.Database;
import dev.onceward.postgres.FencedTransaction;
import dev.onceward.postgres.GenerationTable;
import dev.onceward.postgres.Opening;
import dev.onceward.postgres.Ownership;
import dev.onceward.postgres.TableSizes;
import dev.onceward.postgres.Tables;
import dev.onceward.postgres.WorkerTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One running worker: makes the parts, connects them, starts their threads, and stops them in order. */
final class Engine implements Worker, Takeovers.Results {
    private static final Logger LOG = LoggerFactory.getLogger(Engine.class);
    private static final Duration ADMIN_LIMIT = Duration.ofSeconds(10);
    private static final Duration MAINTENANCE_INTERVAL = Duration.ofSeconds(10);
    private static final int PRUNE_BATCH = 1_000;
    /** For what a lane does after a stop when no handler is in its way. */
    private static final Duration LANE_GRACE = Duration.ofMillis(500);

    private static final Duration TOPIC_CHECK_INTERVAL = Duration.ofSeconds(5);
    private static final Duration WATCH_INTERVAL = Duration.ofMillis(100);

    private final ConsumerSettings settings;
    private final Lifecycle lifecycle;
    private final RuntimeMeters meters;
    private final Admin admin;
    private final Consumer<byte[], byte[]> consumer;
    private final DeadLetterPublisher publisher;
    private final Database database;
    private final Gate gate;
    private final List<Lane> lanes = new ArrayList<>();
    private final Takeovers takeovers;
    private final Assignment assignment;
    private final Dispatcher dispatcher;
    private final Backpressure backpressure;
    private final PollLoop pollLoop;
    private final PollTrouble pollTrouble;
    private final Fencings fencings;
    private final Heartbeat heartbeat;
    private final Watchdog watchdog;
    private final Maintenance maintenance;
    private final BackgroundThread takeoverThread;
    private final BackgroundThread positionThread;
    private final BackgroundThread heartbeatThread;
    private final BackgroundThread maintenanceThread;
    private final BackgroundThread sessionThread;
    private final BackgroundThread watchThread;
    private final Thread pollThread;

    /** Makes everything and starts nothing. The checks at start have passed. */
    Engine(EngineParts parts, DataSource dataSource, int serverVersion, Admin admin) {
        this.settings = parts.settings();
        this.lifecycle = parts.lifecycle();
        this.meters = parts.meters();
        this.admin = admin;
        String threads = "onceward-" + settings.consumer();
        this.takeoverThread = new BackgroundThread(threads + "-takeover", this);
        this.positionThread = new BackgroundThread(threads + "-position", this);
        this.heartbeatThread = new BackgroundThread(threads + "-heartbeat", this);
        this.maintenanceThread = new BackgroundThread(threads + "-maintenance", this);
        this.sessionThread = new BackgroundThread(threads + "-sessions", this);
        this.watchThread = new BackgroundThread(threads + "-watch", this);

        Backoff backoff = new Backoff(settings.retry(), parts.random());
        Classifier classifier = new Classifier(parts.classifier());
        GroupLimits limits = new GroupLimits(
                settings.limits().handler(),
                settings.concurrency().groupBudget(),
                settings.limits().lock());
        this.database = new Database(dataSource, new Tables(settings.schema()), settings.consumer(), serverVersion);
        AttemptTable attempts = new AttemptTable(database);
        DeadLetterTable deadLetters = new DeadLetterTable(database, attempts);
        GenerationTable generations = new GenerationTable(database);
        AfterEffects afterEffects = new AfterEffects(database, attempts);
        Opening opening = new Opening(database, limits.transactionLimits());

        KafkaClientProperties kafka = new KafkaClientProperties(settings, parts.workerId());
        this.consumer = new KafkaConsumer<>(kafka.consumer());
        this.pollTrouble = new PollTrouble(kafka.usesConsumerProtocol());
        this.publisher = new DeadLetterPublisher(
                () -> new KafkaProducer<>(kafka.producer()),
                topic -> settings.deadLetters().deadLetterTopic(settings.consumer(), topic),
                settings.groupId(),
                parts.clock());

        this.gate = new Gate(() -> database.probe(settings.limits().lock()), backoff);
        LaneParts shared = new LaneParts(
                this,
                gate,
                new FencedTransaction(database, limits.transactionLimits()),
                attempts,
                deadLetters,
                afterEffects,
                publisher,
                new Letters(parts.workerId(), parts.clock()),
                backoff,
                classifier,
                settings.idReuse(),
                meters,
                parts.clock());
        Preparation preparation = new Preparation(
                parts.routes(), shared.letters(), settings.retry().maxAttempts());
        Turns turns = new Turns();
        for (int i = 0; i < settings.concurrency().lanes(); i++) {
            GroupSizer sizer = new GroupSizer(
                    settings.concurrency().maxGroupSize(),
                    settings.concurrency().groupBudget());
            lanes.add(new Lane(
                    i,
                    threads,
                    gate,
                    turns,
                    sizer,
                    lane -> {
                        TransactionWatch watch = new TransactionWatch();
                        Moves moves = new Moves(lane, shared);
                        return new LaneWork(
                                lane,
                                gate,
                                new EffectTransaction(
                                        database,
                                        opening,
                                        afterEffects,
                                        classifier,
                                        limits,
                                        watch,
                                        parts.jdbi(),
                                        parts.clock()),
                                watch,
                                limits,
                                preparation,
                                new Settlement(shared, moves, new GivingUp(lane, shared, moves)),
                                new BrokenWorker(lane, shared),
                                new Conflicts(parts.random()));
                    },
                    this));
        }

        this.takeovers = new Takeovers(
                database,
                generations,
                new FactsLoader(attempts, deadLetters),
                new Positions(admin, settings.groupId(), settings.startPosition(), database, generations, ADMIN_LIMIT),
                parts.workerId(),
                settings.limits().takeoverGrace(),
                settings.backpressure().partitionMessages(),
                backoff,
                meters,
                takeoverThread,
                positionThread);
        takeovers.connect(this);
        String replayTopic = settings.deadLetters().replayTopic(settings.consumer());
        this.fencings = new Fencings(backoff, System::nanoTime);
        this.assignment = new Assignment(
                consumer,
                replayTopic,
                takeovers,
                settings.limits().drain(),
                meters,
                parts.clock(),
                fencings,
                // Whoever owns it next publishes what is still to be published.
                partition -> publisher.forget(partition.topic(), partition.partition()));
        this.dispatcher = new Dispatcher(assignment, lanes, settings.ordering(), takeovers);
        OffsetCommitter committer =
                new OffsetCommitter(consumer, assignment, settings.limits().commitInterval(), System::nanoTime);
        assignment.connect(dispatcher, committer);
        this.backpressure = new Backpressure(consumer, assignment, settings.backpressure());
        List<String> topics = new ArrayList<>(parts.routes().keySet());
        topics.add(replayTopic);
        this.pollLoop = new PollLoop(
                consumer,
                topics,
                assignment,
                dispatcher,
                backpressure,
                committer,
                pollTrouble,
                () -> lifecycle.is(WorkerState.RUNNING));
        this.heartbeat = new Heartbeat(
                database,
                new WorkerTable(
                        database,
                        new WorkerTable.Identity(parts.workerId(), settings.groupId(), parts.host(), parts.version()),
                        settings.lease().duration()),
                assignment,
                gate,
                this,
                settings.lease());
        this.watchdog =
                new Watchdog(lanes, database, sessionThread, settings.limits().maxStuckHandlers(), meters, this);
        this.maintenance = new Maintenance(
                database,
                new ClaimPruning(database, settings.retention().claims(), PRUNE_BATCH),
                new TableSizes(database),
                settings.limits().lock(),
                settings.retention().pruning(),
                meters,
                () -> lifecycle.is(WorkerState.RUNNING));
        this.pollThread = new Thread(this::pollUntilTheEnd, threads + "-poll");
        pollThread.setDaemon(true);
        meters.worker(new EngineGauges(backpressure, lanes, heartbeat, gate, lifecycle));
    }

    /** Creates or checks topics; the admin client is the one the engine will use. */
    static void provision(Admin admin, ConsumerSettings settings, Map<String, Route> routes) {
        new TopicProvisioner(admin, ADMIN_LIMIT).provision(settings, routes.keySet());
    }

    /** Starts all threads; the worker is running. */
    void start() {
        lifecycle.to(WorkerState.RUNNING);
        lanes.forEach(Lane::start);
        heartbeatThread.every(settings.lease().interval(), heartbeat);
        watchThread.every(WATCH_INTERVAL, () -> {
            watchdog.run();
            heartbeat.checkLease();
        });
        maintenanceThread.every(MAINTENANCE_INTERVAL, maintenance);
        maintenanceThread.every(TOPIC_CHECK_INTERVAL, () -> takeovers.checkTopics(assignment.partitions()));
        pollThread.start();
        LOG.atInfo().addKeyValue(EventNames.KEY, EventNames.WORKER_STARTED).log("The worker runs");
    }

    // ---- the poll thread, and the orderly end ----

    private void pollUntilTheEnd() {
        try {
            pollLoop.run();
        } catch (Throwable e) { // whatever ends polling ends the worker, and says so
            fail("polling ended", e);
        }
        boolean failed = lifecycle.is(WorkerState.FAILED);
        if (failed) {
            heartbeatThread.stop(); // others shall see that it does not live any more
        }
        Stopping.quietly("giving partitions back", () -> {
            if (failed) {
                assignment.abandon();
            } else {
                assignment.giveBackAll(settings.limits().drain());
            }
        });
        // A takeover that came too late for the loop is released.
        Stopping.quietly("what was still posted", pollLoop::runPosted);
        gate.stop();
        lanes.forEach(Lane::stop);
        Stopping.quietly(
                "leaving the group",
                () -> consumer.close(CloseOptions.timeout(settings.limits().drain())));
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
        takeoverThread.stopNow();
        watchThread.stopNow();
        maintenanceThread.stopNow();
        sessionThread.stop();
        positionThread.stop();
        // Last: until here the worker may still have written.
        heartbeatThread.stop();
        Stopping.uninterrupted(() -> {
            if (heartbeatThread.awaitEnd(left(deadline))) {
                heartbeat.end();
            }
        });
        Stopping.uninterrupted(() -> positionThread.awaitEnd(left(deadline)));
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
        partition.stopTaking();
        pollLoop.post(() -> assignment.fenced(partition));
    }

    @Override
    public void suspectFinished(Delivery delivery) {
        pollLoop.post(() -> dispatcher.suspectFinished(delivery));
    }

    @Override
    public void positioned(OwnedPartition partition, Position position) {
        pollLoop.post(() -> assignment.positioned(partition, position));
    }

    @Override
    public void madeAgain(OwnedPartition partition) {
        pollLoop.post(() -> assignment.beginAnew(partition));
    }

    @Override
    public void takenOver(OwnedPartition partition, Ownership ownership, StoredFacts facts, long suspiciousUntil) {
        pollLoop.post(() -> {
            if (assignment.isCurrent(partition) && partition.in(PartitionState.TAKING_OVER)) {
                partition.running(ownership.fence(), facts, suspiciousUntil);
                dispatcher.takenOver(partition);
            } else {
                takeovers.releaseLate(ownership);
            }
        });
    }

    // ---- for the runtime ----

    void pause(boolean wanted) {
        gate.pause(wanted);
    }

    /** What keeps the worker from being ready; empty if nothing does. */
    List<String> troubles() {
        List<String> troubles = new ArrayList<>();
        if (!assignment.joined()) {
            troubles.add("the group is not joined yet");
        }
        if (!gate.outage().isEmpty()) {
            troubles.add("consumption stands still: " + gate.outage());
        }
        if (heartbeat.expired()) {
            troubles.add("no heartbeat succeeded for one lease");
        }
        if (fencings.twoOwners()) {
            troubles.add("two owners: partitions are taken over by others again and again");
        }
        if (gate.isPaused()) {
            troubles.add("paused");
        }
        pollTrouble.text().ifPresent(text -> troubles.add("polling fails: " + text));
        publisher.trouble().ifPresent(text -> troubles.add("dead letters cannot be published: " + text));
        return troubles;
    }
}
