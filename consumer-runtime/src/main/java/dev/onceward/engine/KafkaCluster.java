package dev.onceward.engine;

import dev.onceward.deadletter.TopicProvisioner;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks by an admin client. */
record KafkaCluster(Admin admin, String groupId, Duration timeout) implements Cluster {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaCluster.class);

    @Override
    public Map<String, Topic> topics(Collection<String> names)
            throws ExecutionException, TimeoutException, InterruptedException {
        Map<String, Topic> topics = new HashMap<>();
        for (Map.Entry<String, KafkaFuture<TopicDescription>> entry :
                admin.describeTopics(names).topicNameValues().entrySet()) {
            try {
                TopicDescription now = get(entry.getValue());
                topics.put(entry.getKey(), new Topic(TopicProvisioner.uuid(now.topicId()), partitionsOf(now)));
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
                    throw e;
                }
            }
        }
        return topics;
    }

    private static Set<TopicPartition> partitionsOf(TopicDescription topic) {
        Set<TopicPartition> partitions = new LinkedHashSet<>();
        topic.partitions().forEach(info -> partitions.add(new TopicPartition(topic.name(), info.partition())));
        return partitions;
    }

    @Override
    public Map<TopicPartition, Long> committed(Set<TopicPartition> partitions)
            throws ExecutionException, TimeoutException, InterruptedException {
        Map<TopicPartition, OffsetAndMetadata> all =
                get(admin.listConsumerGroupOffsets(groupId).partitionsToOffsetAndMetadata());
        Map<TopicPartition, Long> committed = new HashMap<>();
        all.forEach((partition, offset) -> {
            if (offset != null && partitions.contains(partition)) {
                committed.put(partition, offset.offset());
            }
        });
        return committed;
    }

    @Override
    public Map<TopicPartition, Long> offsets(Set<TopicPartition> partitions, OffsetSpec spec)
            throws InterruptedException {
        Map<TopicPartition, OffsetSpec> request = new HashMap<>();
        partitions.forEach(partition -> request.put(partition, spec));
        ListOffsetsResult result = admin.listOffsets(request);
        Map<TopicPartition, Long> offsets = new HashMap<>();
        long deadline = System.nanoTime() + timeout.toNanos();
        for (TopicPartition partition : partitions) {
            try {
                long left = Math.max(1, deadline - System.nanoTime());
                offsets.put(
                        partition,
                        result.partitionResult(partition)
                                .get(left, TimeUnit.NANOSECONDS)
                                .offset());
            } catch (ExecutionException | TimeoutException e) {
                // One partition without a leader must not keep the others waiting: it is asked for again.
                LOG.debug("no offset of {} at the moment", partition, e);
            }
        }
        return offsets;
    }

    @Override
    public void close(Duration limit) {
        admin.close(limit);
    }

    private <T> T get(KafkaFuture<T> future) throws ExecutionException, TimeoutException, InterruptedException {
        return future.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    }
}
