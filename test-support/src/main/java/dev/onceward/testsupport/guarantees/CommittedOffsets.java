package dev.onceward.testsupport.guarantees;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.TopicPartition;

/** What a group has committed to Kafka. */
final class CommittedOffsets {
    private CommittedOffsets() {}

    static Map<TopicPartition, Long> of(ObservedConsumer consumer) {
        try (Admin admin = Admin.create(consumer.kafka())) {
            Map<TopicPartition, Long> offsets = new HashMap<>();
            admin.listConsumerGroupOffsets(consumer.group())
                    .partitionsToOffsetAndMetadata()
                    .get()
                    .forEach((partition, committed) -> {
                        if (committed != null) {
                            offsets.put(partition, committed.offset());
                        }
                    });
            return offsets;
        } catch (ExecutionException e) {
            throw new IllegalStateException("Kafka does not tell the offsets of group " + consumer.group(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted", e);
        }
    }
}
