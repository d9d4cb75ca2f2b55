package dev.onceward.engine;

import dev.onceward.catalog.EventNames;
import dev.onceward.config.Ordering;
import dev.onceward.message.RecordIdentity;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Registers fetched records and hands them to lanes: at once where their partition is owned, after the takeover where
 * it is not yet, one at a time where workers died over it. Poll thread only.
 */
final class Dispatcher {
    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);

    private final Partitions partitions;
    private final List<Lane> lanes;
    private final Ordering ordering;
    private final Takeovers takeovers;
    private final TopicConfirmations confirmations;
    /** The one message that runs under suspicion; the next waits for it. */
    private @Nullable Delivery suspect;

    Dispatcher(
            Partitions partitions,
            List<Lane> lanes,
            Ordering ordering,
            Takeovers takeovers,
            TopicConfirmations confirmations) {
        this.partitions = partitions;
        this.lanes = lanes;
        this.ordering = ordering;
        this.takeovers = takeovers;
        this.confirmations = confirmations;
    }

    void deliver(ConsumerRecords<byte[], byte[]> records) {
        int update = confirmations.update(); // after the records were fetched
        Map<Lane, List<Delivery>> forLanes = new HashMap<>();
        for (TopicPartition topicPartition : records.partitions()) {
            OwnedPartition partition = partitions.get(topicPartition);
            if (partition == null || partition.in(PartitionState.POSITIONING)) {
                continue; // fetching begins anew from the right position: nothing is skipped
            }
            List<ConsumerRecord<byte[], byte[]>> fetched = records.records(topicPartition);
            fetched.forEach(raw -> partition.window().register(raw.offset(), raw.timestamp(), RecordSize.of(raw)));
            if (partition.unconfirmed().confirmed(update)) {
                arrived(partition, fetched, forLanes);
            } else {
                partition.unconfirmed().hold(fetched, update);
                confirmations.confirm(partition, update);
            }
            if (partition.in(PartitionState.WAITING)) {
                partition.takingOver();
                takeovers.takeOver(partition);
            }
        }
        nextSuspect(forLanes);
        forLanes.forEach(Lane::add);
    }

    private void arrived(
            OwnedPartition partition,
            List<ConsumerRecord<byte[], byte[]>> records,
            Map<Lane, List<Delivery>> forLanes) {
        for (ConsumerRecord<byte[], byte[]> raw : records) {
            if (partition.in(PartitionState.RUNNING) && !partition.suspicious()) {
                dispatch(raw, partition, false, forLanes);
            } else {
                partition.waiting().addLast(raw);
            }
        }
    }

    /** The records that were held for it are of the topic that they are taken for. */
    void confirmed(OwnedPartition partition, int update) {
        Map<Lane, List<Delivery>> forLanes = new HashMap<>();
        arrived(partition, partition.unconfirmed().release(update), forLanes);
        nextSuspect(forLanes);
        forLanes.forEach(Lane::add);
    }

    /** A partition is owned now: what waited for that runs. */
    void takenOver(OwnedPartition partition) {
        Map<Lane, List<Delivery>> forLanes = new HashMap<>();
        if (!partition.suspicious()) {
            dispatchWaiting(partition, forLanes);
        }
        forLanes.forEach(Lane::add);
    }

    /** The message under suspicion is finished. */
    void suspectFinished(Delivery delivery) {
        if (suspect == delivery) {
            suspect = null;
        }
    }

    /** The partition is given back: what has not begun does not begin. */
    void forgetWaiting(OwnedPartition partition) {
        partition.waiting().clear();
        partition.unconfirmed().clear();
        lanes.forEach(lane -> lane.dropWaiting(partition));
    }

    /** Nothing of the partition matters any more. */
    void forget(OwnedPartition partition) {
        partition.waiting().clear();
        partition.unconfirmed().clear();
        lanes.forEach(lane -> lane.drop(partition));
        Delivery current = suspect;
        if (current != null && current.partition() == partition) {
            suspect = null;
        }
    }

    private void dispatchWaiting(OwnedPartition partition, Map<Lane, List<Delivery>> forLanes) {
        for (ConsumerRecord<byte[], byte[]> raw = partition.waiting().pollFirst();
                raw != null;
                raw = partition.waiting().pollFirst()) {
            dispatch(raw, partition, false, forLanes);
        }
    }

    private void nextSuspect(Map<Lane, List<Delivery>> forLanes) {
        for (OwnedPartition partition : partitions.all()) {
            if (!partition.suspicious() || !partition.in(PartitionState.RUNNING)) {
                continue;
            }
            ConsumerRecord<byte[], byte[]> raw = partition.waiting().peekFirst();
            while (raw != null && suspect == null && partition.suspicious()) {
                if (partition.endSuspicionAt(raw.offset())) {
                    LOG.atInfo()
                            .addKeyValue(EventNames.KEY, EventNames.SUSPICION_END)
                            .addKeyValue("partition", partition.topicPartition())
                            .log("The suspicious records are finished: groups again");
                    dispatchWaiting(partition, forLanes);
                } else {
                    partition.waiting().removeFirst();
                    suspect = dispatch(raw, partition, true, forLanes);
                }
                raw = partition.waiting().peekFirst();
            }
        }
    }

    /** Hands a record to its lane, with what is stored about it; {@code null} if it was finished long ago. */
    private @Nullable Delivery dispatch(
            ConsumerRecord<byte[], byte[]> raw,
            OwnedPartition partition,
            boolean suspicious,
            Map<Lane, List<Delivery>> forLanes) {
        OrderingKey key = OrderingKey.of(partition, raw, ordering);
        Lane lane = lanes.get(key.lane(lanes.size()));
        Delivery delivery = new Delivery(raw, partition, key, suspicious);
        if (partition.facts().mention(raw.offset()) && finishedBefore(delivery)) {
            return null;
        }
        forLanes.computeIfAbsent(lane, l -> new ArrayList<>()).add(delivery);
        return delivery;
    }

    /** Tells the delivery what is stored about it; true if it was given up for good. */
    private static boolean finishedBefore(Delivery delivery) {
        OwnedPartition partition = delivery.partition();
        RecordIdentity identity = delivery.identity();
        if (partition.facts().contradict(identity)) {
            LOG.atWarn()
                    .addKeyValue(EventNames.KEY, EventNames.STORED_FACT_IGNORED)
                    .addKeyValue("record", identity.coordinates())
                    .log("What is stored for these coordinates belongs to another record and is ignored");
        }
        if (partition.facts().givenUp(identity)) {
            partition.window().complete(delivery.offset());
            LOG.atInfo()
                    .addKeyValue(EventNames.KEY, EventNames.REDELIVERED)
                    .addKeyValue("record", identity.coordinates())
                    .addKeyValue("messages", 1)
                    .log("The record was given up before; not run again");
            return true;
        }
        partition.facts().unpublished(identity).ifPresent(letter -> {
            delivery.step = new Step.Publish(letter);
            delivery.messageId = letter.messageId();
            delivery.origin = letter.origin();
        });
        partition.facts().attemptsOf(identity).ifPresent(stored -> {
            delivery.attempts = stored.attempts();
            delivery.firstFailedAt = stored.firstFailedAt();
            delivery.lastError = stored.lastError();
            delivery.messageId = stored.messageId();
            delivery.dueNanos = partition.facts().dueNanos(stored);
            delivery.waits = true;
        });
        return false;
    }
}
