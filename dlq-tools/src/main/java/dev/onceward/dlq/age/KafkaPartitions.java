package dev.onceward.dlq.age;

import dev.onceward.deadletter.TopicProvisioner;
import dev.onceward.dlq.connect.Connections;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** What Kafka knows of groups and partitions. */
final class KafkaPartitions {
    private final Connections connections;

    KafkaPartitions(Connections connections) {
        this.connections = connections;
    }

    /** The group's committed offsets; none if there is no such group. */
    Map<TopicPartition, Long> committed(String group) {
        Map<TopicPartition, Long> offsets = new HashMap<>();
        connections
                .await(connections.admin().listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata())
                .forEach((partition, committed) -> {
                    if (committed != null) {
                        offsets.put(partition, committed.offset());
                    }
                });
        return offsets;
    }

    /** The ids of the topics' partitions; topics that do not exist are left out. */
    Map<TopicPartition, UUID> partitions(Collection<String> topics) {
        Map<TopicPartition, UUID> partitions = new HashMap<>();
        for (KafkaFuture<TopicDescription> answer :
                connections.admin().describeTopics(topics).topicNameValues().values()) {
            try {
                TopicDescription topic = connections.await(answer);
                topic.partitions()
                        .forEach(info -> partitions.put(
                                new TopicPartition(topic.name(), info.partition()),
                                TopicProvisioner.uuid(topic.topicId())));
            } catch (UnknownTopicOrPartitionException e) {
                // Deleted: said beside its partitions, which PostgreSQL still knows.
            }
        }
        return partitions;
    }

    Map<TopicPartition, Long> earliest(Set<TopicPartition> partitions) {
        return offsets(partitions, OffsetSpec.earliest(), IsolationLevel.READ_UNCOMMITTED);
    }

    /** Of everything written. */
    Map<TopicPartition, Long> ends(Set<TopicPartition> partitions) {
        return offsets(partitions, OffsetSpec.latest(), IsolationLevel.READ_UNCOMMITTED);
    }

    /** Of what is decided: before the first transaction that is open. */
    Map<TopicPartition, Long> stableEnds(Set<TopicPartition> partitions) {
        return offsets(partitions, OffsetSpec.latest(), IsolationLevel.READ_COMMITTED);
    }

    private Map<TopicPartition, Long> offsets(
            Set<TopicPartition> partitions, OffsetSpec which, IsolationLevel isolation) {
        Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
        partitions.forEach(partition -> asked.put(partition, which));
        Map<TopicPartition, Long> offsets = new HashMap<>();
        connections
                .await(connections
                        .admin()
                        .listOffsets(asked, new ListOffsetsOptions(isolation))
                        .all())
                .forEach((partition, answer) -> offsets.put(partition, answer.offset()));
        return offsets;
    }
}
