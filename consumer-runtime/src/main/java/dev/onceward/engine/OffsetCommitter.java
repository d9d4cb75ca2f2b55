package dev.onceward.engine;

import dev.onceward.catalog.EventNames;
import dev.onceward.crash.CrashPoint;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicIdException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits watermarks: asynchronously now and then, synchronously when partitions are given back. Only of partitions
 * held by our own bookkeeping, only forward, and never after a partition was lost: its incarnation is gone from the
 * assignment then. Poll thread only.
 *
 * <p>One commit at a time: of two under way, the older could be the one that the broker takes last. Where an
 * answer was lost with its connection, that can still be: the old connection's request may arrive behind one that was sent
 * on a new connection, and then the broker holds an offset of a moment ago until the next commit. So a while after a
 * commit has failed, everything is committed once more, also where nothing has moved. Whoever reads the broker's log of
 * commits recognises a late one by what is sent along with each: the worker and its count.
 */
final class OffsetCommitter {
    private static final Logger LOG = LoggerFactory.getLogger(OffsetCommitter.class);
    /** By then the broker has dealt with whatever a broken connection may still have brought. */
    private static final long ONCE_MORE_NANOS = Duration.ofMinutes(1).toNanos();

    private final Consumer<byte[], byte[]> consumer;
    private final Partitions partitions;
    private final long intervalNanos;
    private final LongSupplier nanoTime;
    private final FetchProgress fetches;
    private final String sender;
    /** The last offset sent of each partition that is held, by whichever incarnation. */
    private final Map<TopicPartition, Sent> lastSent = new HashMap<>();

    private long lastNanos;
    private long sent;
    private @Nullable Moment underWay;
    private @Nullable Moment onceMore;

    /** @param sender names the worker in what is sent along; never used by another one, nor by the same one after a restart */
    OffsetCommitter(
            Consumer<byte[], byte[]> consumer,
            Partitions partitions,
            String sender,
            Duration interval,
            LongSupplier nanoTime) {
        this.consumer = consumer;
        this.partitions = partitions;
        this.sender = sender;
        this.fetches = new FetchProgress(consumer::metrics, nanoTime);
        this.intervalNanos = interval.toNanos();
        this.nanoTime = nanoTime;
        this.lastNanos = nanoTime.getAsLong();
    }

    void commitIfDue() {
        if (nanoTime.getAsLong() - lastNanos < intervalNanos) {
            return;
        }
        lastNanos = nanoTime.getAsLong();
        lastSent.keySet().retainAll(partitions.names()); // others may commit, and reset, the rest
        boolean silent = fetches.silent();
        for (OwnedPartition partition : partitions.all()) {
            observe(partition, silent);
        }
        if (isUnderWay()) {
            return; // when it is answered, or its connection is given up
        }
        Moment again = onceMore;
        boolean unmoved = again != null && lastNanos - again.nanos() >= ONCE_MORE_NANOS;
        Map<OwnedPartition, Long> watermarks = watermarks(partitions.all(), unmoved);
        if (!watermarks.isEmpty()) {
            CrashPoint.BEFORE_OFFSET_COMMIT.reached();
            send(offsets(watermarks), failure -> {
                if (failure == null) {
                    CrashPoint.AFTER_OFFSET_COMMIT.reached();
                    watermarks.forEach(OwnedPartition::committed);
                    if (unmoved && onceMore == again) { // unless another one has failed since
                        onceMore = null;
                    }
                } else {
                    failed(failure);
                }
            });
        }
    }

    /**
     * Commits where a partition begins, behind what Kafka may hold: nothing of it was sent that would count any more.
     *
     * @param then what became of it
     * @return false if another commit is under way: nothing was done, it is to be tried again
     */
    boolean takeBack(TopicPartition partition, long offset, java.util.function.Consumer<@Nullable Exception> then) {
        if (isUnderWay()) {
            return false;
        }
        lastSent.remove(partition);
        send(Map.of(partition, new OffsetAndMetadata(offset, metadata())), then);
        return true;
    }

    /** One that is never answered must not end committing. */
    private boolean isUnderWay() {
        Moment current = underWay;
        return current != null && nanoTime.getAsLong() - current.nanos() < ONCE_MORE_NANOS;
    }

    private void send(
            Map<TopicPartition, OffsetAndMetadata> offsets, java.util.function.Consumer<@Nullable Exception> then) {
        Moment mine = new Moment(nanoTime.getAsLong());
        underWay = mine;
        consumer.commitAsync(offsets, (committed, failure) -> {
            if (underWay == mine) { // unless it was given up, and a later one is under way
                underWay = null;
            }
            then.accept(failure);
        });
    }

    /** Of partitions that are given back; a failure means that messages are delivered again and recognised. */
    void commitNow(Collection<OwnedPartition> leaving, Duration limit) {
        leaving.forEach(partition -> observe(partition, false));
        Map<OwnedPartition, Long> watermarks = watermarks(leaving, false);
        if (watermarks.isEmpty()) {
            return;
        }
        long deadline = nanoTime.getAsLong() + limit.toNanos();
        try {
            Exception failure = commitOnce(offsets(watermarks), limit);
            if (failure instanceof RetriableCommitFailedException && !topicGone(failure.getCause())) {
                long left = Math.max(1, deadline - nanoTime.getAsLong());
                consumer.commitSync(offsets(watermarks), Duration.ofNanos(left));
                failure = null;
            }
            if (failure == null) {
                watermarks.forEach(OwnedPartition::committed);
            } else {
                failed(failure);
            }
        } catch (KafkaException e) {
            failed(e);
        }
    }

    /**
     * Whether the broker may hold a higher offset, sent by an incarnation that was fenced while its commit was under way: one
     * that began anew behind it waits until it has come so far again.
     */
    private boolean mayGoBack(OwnedPartition partition, long watermark) {
        Sent last = lastSent.get(partition.topicPartition());
        return partition.isTakenAgain()
                && last != null
                && last.topicId().equals(partition.topicId())
                && watermark < last.offset();
    }

    /**
     * Commits in a single request and waits for the answer. A synchronous commit would repeat it to its limit if one of the
     * topics was deleted, and everybody in the group would wait; the broker has stored the offsets of all the others.
     */
    private @Nullable Exception commitOnce(Map<TopicPartition, OffsetAndMetadata> offsets, Duration limit) {
        AtomicReference<Exception> failed =
                new AtomicReference<>(new TimeoutException("no answer to an offset commit"));
        consumer.commitAsync(offsets, (committed, failure) -> failed.set(failure));
        consumer.commitSync(Map.of(), limit); // of nothing: calls back what was committed asynchronously before
        return failed.get();
    }

    private static boolean topicGone(@Nullable Throwable cause) {
        return cause instanceof UnknownTopicOrPartitionException || cause instanceof UnknownTopicIdException;
    }

    /** The consumer's position passes what it never delivers (markers, aborted records); its lag is what is left. */
    private void observe(OwnedPartition partition, boolean silent) {
        if (!partition.hasPosition()) {
            return;
        }
        TopicPartition topicPartition = partition.topicPartition();
        try {
            OptionalLong unfetched = consumer.currentLag(topicPartition);
            partition.window().advance(consumer.position(topicPartition, Duration.ZERO));
            if (silent) {
                // The lag of a broker that does not answer is that of its last answer, which tells nothing.
                partition.age().unanswered(fetches.silence());
            } else {
                partition.age().unfetched(unfetched);
            }
        } catch (KafkaException | IllegalStateException e) {
            LOG.debug("no position of {} at the moment", topicPartition, e);
        }
    }

    private Map<OwnedPartition, Long> watermarks(Collection<OwnedPartition> partitions, boolean unmoved) {
        Map<OwnedPartition, Long> watermarks = new HashMap<>();
        for (OwnedPartition partition : partitions) {
            // Not by its state: a partition that is given back before its position was found is draining, too.
            if (partition.hasPosition() && !partition.in(PartitionState.ENDED)) {
                long watermark = partition.window().watermark();
                boolean due = watermark > partition.committed() || (unmoved && watermark == partition.committed());
                if (due && !mayGoBack(partition, watermark)) {
                    watermarks.put(partition, watermark);
                }
            }
        }
        return watermarks;
    }

    private String metadata() {
        return "onceward " + sender + " " + ++sent;
    }

    private Map<TopicPartition, OffsetAndMetadata> offsets(Map<OwnedPartition, Long> watermarks) {
        String metadata = metadata();
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        watermarks.forEach((partition, watermark) -> {
            offsets.put(partition.topicPartition(), new OffsetAndMetadata(watermark, metadata));
            lastSent.put(partition.topicPartition(), new Sent(partition.topicId(), watermark));
        });
        return offsets;
    }

    private void failed(Exception failure) {
        onceMore = new Moment(nanoTime.getAsLong());
        LOG.atInfo()
                .addKeyValue(EventNames.KEY, EventNames.OFFSET_COMMIT_FAILED)
                .addKeyValue("error", failure.toString())
                .log("An offset commit failed; redelivered messages will be recognised");
    }

    /** Told from another one by identity. */
    private static final class Moment {
        private final long nanos;

        Moment(long nanos) {
            this.nanos = nanos;
        }

        long nanos() {
            return nanos;
        }
    }

    /**
     * An offset on its way to the broker, or there.
     *
     * @param topicId of the topic whose offset it is, of all that ever had the name
     */
    private record Sent(UUID topicId, long offset) {}
}
