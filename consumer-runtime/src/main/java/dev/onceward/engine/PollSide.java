package dev.onceward.engine;

import dev.onceward.config.ConsumerSettings;
import dev.onceward.config.KafkaClientProperties;
import dev.onceward.failure.Backoff;
import dev.onceward.postgres.Ownership;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;

/**
 * The poll thread's side of a worker: the consumer, the partitions, and the threads that find out for it what a rebalance
 * needs from the database. What any other thread found out is posted, and changes partitions on the poll thread alone.
 *
 * <p>Takeovers have a thread of their own, since one may have to wait for the transactions of the old owner; positions
 * and releases share another, so that they never wait for a takeover.
 */
final class PollSide implements Takeovers.Results, PositionSearch.Results, TopicConfirmations.Results {
    private final Lifecycle lifecycle;
    private final Duration drainLimit;
    private final Consumer<byte[], byte[]> consumer;
    private final Partitions partitions = new Partitions();
    private final BackgroundThread takeoverThread;
    private final BackgroundThread positionThread;
    private final BackgroundThread topicThread;
    private final Takeovers takeovers;
    private final PositionSearch search;
    private final Releases releases;
    private final Dispatcher dispatcher;
    private final Fencings fencings;
    private final Assignment assignment;
    private final Backpressure backpressure;
    private final PollTrouble trouble;
    private final PollWatch watch;
    private final PollLoop loop;

    PollSide(EngineParts parts, Outside outside, List<Lane> lanes, Backoff backoff, Worker worker) {
        ConsumerSettings settings = parts.settings();
        this.lifecycle = parts.lifecycle();
        this.drainLimit = settings.limits().drain();
        Machine machine = outside.machine();
        KafkaClientProperties kafka = new KafkaClientProperties(settings, parts.workerId());
        this.consumer = outside.consumer();
        this.trouble = new PollTrouble(kafka.usesConsumerProtocol(), machine);
        this.takeoverThread = new BackgroundThread(parts.threads() + "-takeover", worker, machine);
        this.positionThread = new BackgroundThread(parts.threads() + "-position", worker, machine);
        this.topicThread = new BackgroundThread(parts.threads() + "-confirm", worker, machine);
        this.takeovers = new Takeovers(
                outside.ownerships(),
                settings.limits().takeoverGrace(),
                settings.backpressure().partitionMessages(),
                backoff,
                parts.meters(),
                takeoverThread,
                this);
        this.search = new PositionSearch(
                new Positions(outside.cluster(), settings.startPosition(), outside.ownerships(), Engine.ADMIN_LIMIT),
                backoff,
                positionThread,
                this);
        this.releases = new Releases(outside.ownerships(), settings.limits().takeoverGrace(), positionThread);
        this.dispatcher = new Dispatcher(
                partitions,
                lanes,
                settings.ordering(),
                takeovers,
                new TopicConfirmations(outside.metadata(), search, topicThread, this));
        String sender =
                parts.workerId() + "/" + Integer.toHexString(parts.random().nextInt());
        OffsetCommitter committer = new OffsetCommitter(
                consumer, partitions, sender, settings.limits().commitInterval(), machine::nanoTime);
        String replayTopic = settings.deadLetters().replayTopic(settings.consumer());
        this.fencings = new Fencings(backoff, machine::nanoTime);
        this.assignment = new Assignment(
                consumer,
                partitions,
                replayTopic,
                dispatcher,
                committer,
                search,
                releases,
                drainLimit,
                parts.meters(),
                parts.clock(),
                fencings,
                // Whoever owns it next publishes what is still to be published.
                partition -> outside.publisher().forget(partition.topic(), partition.partition()),
                machine);
        this.backpressure = new Backpressure(consumer, partitions, settings.backpressure());
        List<String> topics = new ArrayList<>(parts.routes().keySet());
        topics.add(replayTopic);
        this.watch = new PollWatch(drainLimit, kafka.maxPollInterval(), machine::nanoTime);
        this.loop = new PollLoop(
                consumer,
                topics,
                partitions,
                assignment,
                dispatcher,
                backpressure,
                committer,
                trouble,
                watch,
                () -> lifecycle.is(WorkerState.RUNNING));
    }

    Partitions partitions() {
        return partitions;
    }

    Backpressure backpressure() {
        return backpressure;
    }

    // ---- on the poll thread ----

    /** Polls until the worker runs no more; throws what it cannot go on after. */
    void run() {
        loop.run();
    }

    /** In order: drained, committed and released. After a failure: nothing of that, so that the next owner knows. */
    void givePartitionsBack(boolean failed) {
        Stopping.quietly("giving partitions back", () -> {
            if (failed) {
                assignment.abandon();
            } else {
                assignment.giveBackAll(drainLimit);
            }
        });
        // A takeover that came too late for the loop is released.
        Stopping.quietly("what was still posted", loop::runPosted);
    }

    void leaveGroup() {
        Stopping.quietly("leaving the group", () -> consumer.close(CloseOptions.timeout(drainLimit)));
    }

    // ---- from other threads ----

    void fenced(OwnedPartition partition, boolean refused) {
        partition.stopTaking();
        loop.post(() -> assignment.fenced(partition, refused));
    }

    void suspectFinished(Delivery delivery) {
        loop.post(() -> dispatcher.suspectFinished(delivery));
    }

    @Override
    public void positioned(OwnedPartition partition, Position position) {
        loop.post(() -> assignment.positioned(partition, position));
    }

    @Override
    public void madeAgain(OwnedPartition partition) {
        loop.post(() -> assignment.beginAnew(partition));
    }

    @Override
    public void confirmed(OwnedPartition partition, int update) {
        loop.post(() -> {
            if (partitions.isCurrent(partition)) {
                dispatcher.confirmed(partition, update);
            }
        });
    }

    @Override
    public void takenOver(OwnedPartition partition, Ownership ownership, StoredFacts facts, long suspiciousUntil) {
        loop.post(() -> {
            if (partitions.isCurrent(partition) && partition.in(PartitionState.TAKING_OVER)) {
                partition.running(ownership.fence(), facts, suspiciousUntil);
                dispatcher.takenOver(partition);
            } else {
                releases.releaseLate(ownership);
            }
        });
    }

    /** Looks whether topics were made again; now and then, in a thread that may wait for the cluster. */
    void checkTopics() {
        search.checkTopics(partitions.all());
    }

    /** Whether the poll loop goes round, or may still come back before the group gives the partitions away. */
    boolean polls() {
        return !watch.dead();
    }

    /** What keeps the worker from being ready, as seen from here. */
    List<String> troubles() {
        List<String> troubles = new ArrayList<>();
        if (!assignment.joined()) {
            troubles.add("the group is not joined yet");
        }
        if (fencings.twoOwners()) {
            troubles.add("two owners: partitions are taken over by others again and again");
        }
        watch.trouble().ifPresent(troubles::add);
        trouble.text().ifPresent(text -> troubles.add("polling fails: " + text));
        return troubles;
    }

    // ---- the end ----

    /** Whatever waits for an old owner is not taken over any more. */
    void stopTakeovers() {
        takeoverThread.stopNow();
        topicThread.stopNow();
    }

    /** What is being released may end. */
    void stopReleases() {
        positionThread.stop();
    }

    void awaitReleases(long nanos) throws InterruptedException {
        positionThread.awaitEnd(nanos);
    }
}
