package dev.onceward.engine;

import dev.onceward.config.ConsumerSettings;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;

/**
 * Pauses partitions over a bound, and resumes them at half of it. Half of the worker's bound is divided among all its
 * partitions and kept free for those that do not use their share: when the rest is full, only partitions with more than
 * their share are paused, so that one that cannot go on does not starve the others, and the others do not go over the
 * worker's bound either. Poll thread only.
 */
final class Backpressure {
    private final Consumer<byte[], byte[]> consumer;
    private final Partitions partitions;
    private final ConsumerSettings.Backpressure bounds;
    private final Set<OwnedPartition> paused = new HashSet<>();
    private boolean workerFull;
    private volatile int pausedCount;
    private volatile int messages;
    private volatile long bytes;

    Backpressure(Consumer<byte[], byte[]> consumer, Partitions partitions, ConsumerSettings.Backpressure bounds) {
        this.consumer = consumer;
        this.partitions = partitions;
        this.bounds = bounds;
    }

    void apply() {
        Collection<OwnedPartition> all = partitions.all();
        paused.removeIf(partition -> !partitions.isCurrent(partition));
        int shareMessages = bounds.workerMessages() / 2 / Math.max(1, all.size());
        long shareBytes = bounds.workerBytes() / 2 / Math.max(1, all.size());
        measure(all, shareMessages, shareBytes);
        List<TopicPartition> toPause = new ArrayList<>();
        List<TopicPartition> toResume = new ArrayList<>();
        for (OwnedPartition partition : all) {
            if (partition.in(PartitionState.POSITIONING)) {
                continue; // paused until it has a position
            }
            OffsetWindow window = partition.window();
            boolean greedy = window.size() > shareMessages || window.bytes() > shareBytes;
            if (paused.contains(partition)) {
                if (below(window) && !(workerFull && greedy)) {
                    paused.remove(partition);
                    toResume.add(partition.topicPartition());
                }
            } else if (full(window) || (workerFull && greedy)) {
                paused.add(partition);
                toPause.add(partition.topicPartition());
            }
        }
        if (!toPause.isEmpty()) {
            consumer.pause(toPause);
        }
        if (!toResume.isEmpty()) {
            consumer.resume(toResume);
        }
        pausedCount = paused.size();
    }

    private void measure(Collection<OwnedPartition> all, int shareMessages, long shareBytes) {
        int messagesNow = 0;
        long bytesNow = 0;
        long messagesTaken = 0;
        long bytesTaken = 0;
        for (OwnedPartition partition : all) {
            int size = partition.window().size();
            long bytesOfPartition = partition.window().bytes();
            messagesNow += size;
            bytesNow += bytesOfPartition;
            messagesTaken += Math.max(size, shareMessages);
            bytesTaken += Math.max(bytesOfPartition, shareBytes);
        }
        messages = messagesNow;
        bytes = bytesNow;
        workerFull = workerFull
                ? messagesTaken > bounds.workerMessages() / 4 * 3L || bytesTaken > bounds.workerBytes() / 4 * 3L
                : messagesTaken >= bounds.workerMessages() || bytesTaken >= bounds.workerBytes();
    }

    private boolean full(OffsetWindow window) {
        return window.size() >= bounds.partitionMessages()
                || window.bytes() >= bounds.partitionBytes()
                || ahead(window) >= bounds.maxAhead();
    }

    private boolean below(OffsetWindow window) {
        return window.size() <= bounds.partitionMessages() / 2
                && window.bytes() <= bounds.partitionBytes() / 2
                && ahead(window) < bounds.maxAhead();
    }

    private static long ahead(OffsetWindow window) {
        return window.nextFetch() - window.watermark();
    }

    int pausedPartitions() {
        return pausedCount;
    }

    int messages() {
        return messages;
    }

    long bytes() {
        return bytes;
    }
}
