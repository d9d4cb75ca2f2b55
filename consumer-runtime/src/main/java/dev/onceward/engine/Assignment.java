package dev.onceward.engine;

import dev.onceward.catalog.EventNames;
import dev.onceward.crash.CrashPoint;
import dev.onceward.metrics.RuntimeMeters;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What begins and ends the partitions of this worker: Kafka's callbacks above all. Poll thread only.
 *
 * <p>A callback names only what is new or gone, so retained partitions go on undisturbed. It never touches the database
 * and never throws: what must be asked or written happens in other threads, and a revoke waits for them within its bound.
 */
final class Assignment implements ConsumerRebalanceListener {
    private static final Logger LOG = LoggerFactory.getLogger(Assignment.class);

    private static final Duration LOOK_UP_LIMIT = Duration.ofSeconds(5);
    private static final Duration COMMIT_AGAIN = Duration.ofMillis(500);

    private final Consumer<byte[], byte[]> consumer;
    private final Partitions partitions;
    private final String replayTopic;
    private final Dispatcher dispatcher;
    private final OffsetCommitter committer;
    private final PositionSearch search;
    private final Releases releases;
    private final Duration drainLimit;
    private final RuntimeMeters meters;
    private final Clock clock;
    private final Fencings fencings;
    private final java.util.function.Consumer<TopicPartition> gone;
    private final Machine machine;
    private volatile boolean joined;

    /** @param gone told of each partition that is not this worker's any more */
    Assignment(
            Consumer<byte[], byte[]> consumer,
            Partitions partitions,
            String replayTopic,
            Dispatcher dispatcher,
            OffsetCommitter committer,
            PositionSearch search,
            Releases releases,
            Duration drainLimit,
            RuntimeMeters meters,
            Clock clock,
            Fencings fencings,
            java.util.function.Consumer<TopicPartition> gone,
            Machine machine) {
        this.consumer = consumer;
        this.partitions = partitions;
        this.replayTopic = replayTopic;
        this.dispatcher = dispatcher;
        this.committer = committer;
        this.search = search;
        this.releases = releases;
        this.drainLimit = drainLimit;
        this.meters = meters;
        this.clock = clock;
        this.fencings = fencings;
        this.gone = gone;
        this.machine = machine;
    }

    /** Whether the group was ever joined: an empty assignment counts. */
    boolean joined() {
        return joined;
    }

    // ---- Kafka's callbacks, on the poll thread ----

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> added) {
        joined = true;
        guarded("assigned", () -> {
            if (!added.isEmpty()) {
                CrashPoint.ASSIGNED.reached();
            }
            begin(added, Duration.ZERO, false);
            added.forEach(partition -> event(EventNames.PARTITION_ASSIGNED, partition, "Assigned by Kafka"));
        });
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> revoked) {
        guarded("revoked", () -> {
            CrashPoint.REVOKED.reached();
            giveBack(revoked, drainLimit);
            CrashPoint.GIVEN_BACK.reached();
            revoked.forEach(partition -> event(
                    EventNames.PARTITION_REVOKED, partition, "Taken back by Kafka: drained, committed, released"));
        });
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> lost) {
        guarded("lost", () -> {
            CrashPoint.LOST.reached();
            for (OwnedPartition partition : remove(lost)) {
                event(EventNames.PARTITION_LOST, partition, "Lost without notice: dropped, nothing committed");
                end(partition);
            }
        });
    }

    private static void guarded(String callback, Runnable action) {
        try {
            action.run();
        } catch (RuntimeException e) { // thrown from a callback it would end the consumer
            LOG.atError()
                    .setCause(e)
                    .addKeyValue(EventNames.KEY, EventNames.REBALANCE_FAILED)
                    .addKeyValue("callback", callback)
                    .log("A rebalance callback failed; the partitions concerned will be fetched again");
        }
    }

    // ---- how a partition begins and ends ----

    private void begin(Collection<TopicPartition> added, Duration delay, boolean afterFencing) {
        List<OwnedPartition> begun = new ArrayList<>();
        for (TopicPartition topicPartition : added) {
            OwnedPartition partition = new OwnedPartition(
                    topicPartition, topicPartition.topic().equals(replayTopic), clock, meters::clockSkew, machine);
            if (afterFencing) {
                partition.takenAgain();
            }
            partitions.add(partition).ifPresent(this::end);
            // Any position, so that the consumer does not look for one itself; nothing is fetched while it is paused.
            consumer.pause(List.of(topicPartition));
            consumer.seek(topicPartition, 0);
            meters.partition(topicPartition.topic(), topicPartition.partition(), partition.age());
            begun.add(partition);
        }
        search.find(begun, delay);
    }

    /**
     * The position of a partition is known: fetching begins. Where Kafka may hold an offset that must not count any more,
     * only when it has taken the position: were the worker to end after it had begun and before it had committed, the next
     * one would believe the old offset.
     */
    void positioned(OwnedPartition partition, Position position) {
        if (!partitions.isCurrent(partition)) {
            return;
        }
        if (!position.takesBack()) {
            fetch(partition, position, position.committed());
            return;
        }
        boolean sent = committer.takeBack(partition.topicPartition(), position.offset(), failure -> {
            if (failure == null) {
                fetch(partition, position, position.offset());
            } else {
                LOG.debug("the position of {} could not be committed yet", partition, failure);
                search.find(List.of(partition), COMMIT_AGAIN);
            }
        });
        if (!sent) {
            search.find(List.of(partition), COMMIT_AGAIN);
        }
    }

    private void fetch(OwnedPartition partition, Position position, long committed) {
        if (partitions.isCurrent(partition)) {
            if (position.lost() > 0) {
                meters.recordsLost(partition.topicPartition().topic(), position.lost());
            }
            partition.positioned(position.topicId(), position.offset(), position.earliest());
            partition.committed(committed);
            consumer.seek(partition.topicPartition(), position.offset());
            consumer.resume(List.of(partition.topicPartition()));
        }
    }

    /** The position of a partition is good for nothing: it is looked up anew. */
    void beginAnew(OwnedPartition partition) {
        if (partitions.isCurrent(partition)) {
            List<TopicPartition> again = List.of(partition.topicPartition());
            remove(again);
            end(partition);
            begin(again, Duration.ZERO, false);
        }
    }

    /**
     * The broker has nothing at these positions. Where retention was faster, what is in hand stays and fetching goes on
     * behind the gap, which is counted; where the log ends before the position, everything is looked up anew.
     */
    void outOfRange(Map<TopicPartition, Long> positions) {
        Map<TopicPartition, Long> beginnings = consumer.beginningOffsets(positions.keySet(), LOOK_UP_LIMIT);
        positions.forEach((topicPartition, position) -> {
            OwnedPartition partition = partitions.get(topicPartition);
            long beginning = beginnings.getOrDefault(topicPartition, -1L);
            if (partition == null || partition.in(PartitionState.POSITIONING)) {
                LOG.debug("{} is not fetched any more", topicPartition);
            } else if (beginning > position) {
                skip(partition, position, beginning);
            } else {
                beginAnew(partition);
            }
        });
    }

    private void skip(OwnedPartition partition, long from, long to) {
        TopicPartition topicPartition = partition.topicPartition();
        LOG.atError()
                .addKeyValue(EventNames.KEY, EventNames.RECORDS_LOST)
                .addKeyValue("partition", topicPartition)
                .addKeyValue("from", from)
                .addKeyValue("to", to)
                .log("Retention deleted records before they were fetched");
        meters.recordsLost(topicPartition.topic(), to - from);
        partition.window().advance(to);
        consumer.seek(topicPartition, to);
    }

    /**
     * The generation of a partition is another's. Where Kafka still assigns it here: from the start, after a jittered delay.
     *
     * @param refused whether a write was refused: that is told also where Kafka has taken the partition away in the meantime.
     *     What only a heartbeat saw may be a partition that was given back in order after it had looked
     */
    void fenced(OwnedPartition partition, boolean refused) {
        if (!(refused || partitions.isCurrent(partition)) || !partition.foundStale()) {
            return;
        }
        event(
                EventNames.FENCED,
                partition,
                "The partition has a newer generation: nothing of it is written here any more");
        meters.fenced();
        if (partitions.isCurrent(partition)) {
            TopicPartition topicPartition = partition.topicPartition();
            remove(List.of(topicPartition));
            end(partition);
            begin(List.of(topicPartition), fencings.next(topicPartition), true);
        }
    }

    /** Drain, commit, release: what runs may finish within the bound. */
    void giveBack(Collection<TopicPartition> revoked, Duration limit) {
        List<OwnedPartition> leaving = remove(revoked);
        leaving.forEach(OwnedPartition::draining);
        leaving.forEach(dispatcher::forgetWaiting);
        long deadline = machine.nanoTime() + limit.toNanos();
        for (OwnedPartition partition : leaving) {
            if (!awaitIdle(partition, deadline)) {
                event(EventNames.DRAIN_EXPIRED, partition, "Groups still ran when the time for draining ended");
            }
        }
        committer.commitNow(leaving, remaining(deadline));
        releases.release(leaving, remaining(deadline));
        leaving.forEach(this::end);
    }

    /** At an orderly end. */
    void giveBackAll(Duration limit) {
        giveBack(partitions.names(), limit);
    }

    /** After a failure: nothing is committed, nothing released, so that the next owner knows. */
    void abandon() {
        remove(partitions.names()).forEach(this::end);
    }

    private List<OwnedPartition> remove(Collection<TopicPartition> ended) {
        List<OwnedPartition> removed = new ArrayList<>();
        for (TopicPartition topicPartition : ended) {
            partitions.remove(topicPartition).ifPresent(partition -> {
                removed.add(partition);
                meters.partitionGone(topicPartition.topic(), topicPartition.partition());
                gone.accept(topicPartition);
            });
        }
        return removed;
    }

    private void end(OwnedPartition partition) {
        partition.end();
        dispatcher.forget(partition);
    }

    private boolean awaitIdle(OwnedPartition partition, long deadline) {
        try {
            return partition.awaitIdle(remaining(deadline));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** At least a moment, so that what is quick is still done after a slow drain. */
    private Duration remaining(long deadline) {
        return Duration.ofNanos(
                Math.max(deadline - machine.nanoTime(), Duration.ofSeconds(1).toNanos()));
    }

    private static void event(EventNames event, OwnedPartition partition, String what) {
        event(event, partition.topicPartition(), what);
    }

    private static void event(EventNames event, TopicPartition partition, String what) {
        LOG.atInfo()
                .addKeyValue(EventNames.KEY, event)
                .addKeyValue("partition", partition)
                .log(what);
    }
}
