package dev.onceward.examples.demo;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** How far the workers are, by the offsets that they have committed to Kafka. */
final class Tracker {

    private final Admin admin;
    private final String group;
    private final String topic;
    private final Publisher publisher;

    Tracker(Admin admin, String group, String topic, Publisher publisher) {
        this.admin = admin;
        this.group = group;
        this.topic = topic;
        this.publisher = publisher;
    }

    /**
     * How far the workers are.
     *
     * @param processed records below the committed offsets
     * @param sent records in the topic
     * @param oldestAge age of the oldest record that is not processed; zero if none waits
     */
    record Position(long processed, long sent, Duration oldestAge) {}

    /** Asks Kafka. */
    Position position() throws InterruptedException {
        Map<TopicPartition, OffsetAndMetadata> committed = committed();
        Publisher.Sent sent = publisher.sent();
        int[] ends = sent.ends();
        long now = System.currentTimeMillis();
        long processed = 0;
        long oldest = now;
        long total = 0;
        for (int partition = 0; partition < ends.length; partition++) {
            OffsetAndMetadata offset = committed.get(new TopicPartition(topic, partition));
            int watermark = offset == null ? 0 : (int) offset.offset();
            processed += watermark;
            total += ends[partition];
            if (watermark < ends[partition]) {
                oldest = Math.min(oldest, sent.timestamp(partition, watermark));
            }
        }
        return new Position(processed, total, Duration.ofMillis(now - oldest));
    }

    private Map<TopicPartition, OffsetAndMetadata> committed() throws InterruptedException {
        try {
            return admin.listConsumerGroupOffsets(group)
                    .partitionsToOffsetAndMetadata()
                    .get(30, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new DemoException("Kafka does not tell the committed offsets of " + group + ": " + e.getMessage(), e);
        }
    }
}
