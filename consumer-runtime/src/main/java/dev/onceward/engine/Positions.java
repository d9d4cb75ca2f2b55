package dev.onceward.engine;

import dev.onceward.config.StartPosition;
import dev.onceward.deadletter.TopicProvisioner;
import dev.onceward.position.Known;
import dev.onceward.position.StoredPosition;
import dev.onceward.postgres.Database;
import dev.onceward.postgres.GenerationTable;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where to begin in a partition: at the offset Kafka has committed; if that is gone, at the watermark stored in
 * PostgreSQL; only in a topic that neither has ever seen, at the configured start position. What was lost is counted and
 * logged, never skipped in silence. {@link PositionChooser} chooses, this class asks.
 */
final class Positions {
    private static final Logger LOG = LoggerFactory.getLogger(Positions.class);

    private final Admin admin;
    private final String groupId;
    private final StartPosition start;
    private final Database database;
    private final GenerationTable generations;
    private final Duration timeout;

    Positions(
            Admin admin,
            String groupId,
            StartPosition start,
            Database database,
            GenerationTable generations,
            Duration timeout) {
        this.admin = admin;
        this.groupId = groupId;
        this.start = start;
        this.database = database;
        this.generations = generations;
        this.timeout = timeout;
    }

    /** The positions of those whose topic is there; the others are to be asked for again. */
    Map<OwnedPartition, Position> find(List<OwnedPartition> partitions)
            throws SQLException, ExecutionException, TimeoutException, InterruptedException {
        if (partitions.isEmpty()) {
            return Map.of();
        }
        Map<String, TopicDescription> topics = topics(partitions);
        Map<String, Map<Integer, StoredPosition>> stored =
                database.inTransaction(timeout, connection -> generations.find(connection, topics.keySet()));
        Set<TopicPartition> keys = new HashSet<>();
        for (OwnedPartition partition : partitions) {
            if (topics.containsKey(partition.topicPartition().topic())) {
                keys.add(partition.topicPartition());
            }
        }
        List<TopicDescription> begun = topics.values().stream()
                .filter(topic -> !stored.containsKey(topic.name()) && !(start instanceof StartPosition.Earliest))
                .toList();
        begun.forEach(topic -> keys.addAll(partitionsOf(topic)));

        Map<TopicPartition, Position> positions = choose(keys, topics, stored);
        for (TopicDescription topic : begun) {
            List<TopicPartition> all = partitionsOf(topic);
            if (!positions.keySet().containsAll(all)) {
                all.forEach(positions::remove); // one has no leader: asked for again, all together
            }
        }
        remember(positions, stored);
        Map<OwnedPartition, Position> found = new HashMap<>();
        for (OwnedPartition partition : partitions) {
            Position position = positions.get(partition.topicPartition());
            if (position != null) {
                found.put(partition, position);
            }
        }
        return found;
    }

    private Map<TopicPartition, Position> choose(
            Set<TopicPartition> keys,
            Map<String, TopicDescription> topics,
            Map<String, Map<Integer, StoredPosition>> stored)
            throws ExecutionException, TimeoutException, InterruptedException {
        Map<TopicPartition, OffsetAndMetadata> committed = committed(keys);
        Map<TopicPartition, Long> beginnings = offsets(keys, OffsetSpec.earliest());
        Map<TopicPartition, Long> ends = offsets(keys, OffsetSpec.latest());
        Map<TopicPartition, Long> starts = starts(
                keys.stream().filter(key -> !stored.containsKey(key.topic())).collect(Collectors.toSet()),
                beginnings,
                ends);
        Map<TopicPartition, Position> positions = new HashMap<>();
        for (TopicPartition key : keys) {
            TopicDescription topic = topics.get(key.topic());
            Long begin = beginnings.get(key);
            Long end = ends.get(key);
            if (topic != null && begin != null && end != null) {
                OffsetAndMetadata offset = committed.get(key);
                Map<Integer, StoredPosition> rows = stored.getOrDefault(key.topic(), Map.of());
                Known known = new Known(
                        TopicProvisioner.uuid(topic.topicId()),
                        offset == null ? -1 : offset.offset(),
                        Optional.ofNullable(rows.get(key.partition())),
                        !rows.isEmpty(),
                        begin,
                        end);
                positions.put(key, PositionChooser.choose(key, known, () -> starts.getOrDefault(key, end)));
            }
        }
        return positions;
    }

    /**
     * Where the configured start is, in partitions of topics never seen: in all of a topic at once, assigned here or not, so
     * that a partition not stored with them is known to have been added later. It begins at its first record, then; at
     * "latest" the records before its discovery would be lost.
     */
    private Map<TopicPartition, Long> starts(
            Set<TopicPartition> fresh, Map<TopicPartition, Long> beginnings, Map<TopicPartition, Long> ends)
            throws InterruptedException {
        if (start instanceof StartPosition.At at) {
            Map<TopicPartition, Long> starts =
                    offsets(fresh, OffsetSpec.forTimestamp(at.timestamp().toEpochMilli()));
            starts.values().removeIf(offset -> offset < 0); // nothing so late: the end
            return starts;
        }
        return start instanceof StartPosition.Latest ? ends : beginnings;
    }

    private void remember(Map<TopicPartition, Position> positions, Map<String, Map<Integer, StoredPosition>> stored)
            throws SQLException {
        Map<GenerationTable.Candidate, Long> first = new HashMap<>();
        positions.forEach((key, position) -> {
            if (!stored.getOrDefault(key.topic(), Map.of()).containsKey(key.partition())) {
                first.put(
                        new GenerationTable.Candidate(key.topic(), key.partition(), position.topicId()),
                        position.offset());
            }
        });
        if (!first.isEmpty()) {
            database.inTransaction(timeout, connection -> {
                generations.remember(connection, first);
                return true;
            });
        }
    }

    /**
     * Of each partition whose topic is there: whether it is still the one that its position was found in, or was deleted
     * and made again since.
     */
    Map<OwnedPartition, Boolean> same(Collection<OwnedPartition> partitions)
            throws ExecutionException, TimeoutException, InterruptedException {
        List<OwnedPartition> positioned =
                partitions.stream().filter(OwnedPartition::hasPosition).toList();
        if (positioned.isEmpty()) {
            return Map.of();
        }
        Map<String, TopicDescription> topics = topics(positioned);
        Map<OwnedPartition, Boolean> same = new HashMap<>();
        for (OwnedPartition partition : positioned) {
            TopicDescription now = topics.get(partition.topicPartition().topic());
            if (now != null) {
                same.put(partition, TopicProvisioner.uuid(now.topicId()).equals(partition.topicId()));
            }
        }
        return same;
    }

    private static List<TopicPartition> partitionsOf(TopicDescription topic) {
        return topic.partitions().stream()
                .map(info -> new TopicPartition(topic.name(), info.partition()))
                .toList();
    }

    private Map<String, TopicDescription> topics(Collection<OwnedPartition> partitions)
            throws ExecutionException, TimeoutException, InterruptedException {
        List<String> names = partitions.stream()
                .map(partition -> partition.topicPartition().topic())
                .distinct()
                .toList();
        Map<String, TopicDescription> topics = new HashMap<>();
        for (Map.Entry<String, KafkaFuture<TopicDescription>> entry :
                admin.describeTopics(names).topicNameValues().entrySet()) {
            try {
                topics.put(entry.getKey(), get(entry.getValue()));
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
                    throw e;
                }
            }
        }
        return topics;
    }

    private Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> keys)
            throws ExecutionException, TimeoutException, InterruptedException {
        ListConsumerGroupOffsetsResult result = admin.listConsumerGroupOffsets(groupId);
        Map<TopicPartition, OffsetAndMetadata> all = get(result.partitionsToOffsetAndMetadata());
        return all.entrySet().stream()
                .filter(entry -> entry.getValue() != null && keys.contains(entry.getKey()))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    private Map<TopicPartition, Long> offsets(Set<TopicPartition> keys, OffsetSpec spec) throws InterruptedException {
        Map<TopicPartition, OffsetSpec> request = new HashMap<>();
        keys.forEach(key -> request.put(key, spec));
        ListOffsetsResult result = admin.listOffsets(request);
        Map<TopicPartition, Long> offsets = new HashMap<>();
        long deadline = System.nanoTime() + timeout.toNanos();
        for (TopicPartition key : keys) {
            try {
                long left = Math.max(1, deadline - System.nanoTime());
                offsets.put(
                        key,
                        result.partitionResult(key)
                                .get(left, TimeUnit.NANOSECONDS)
                                .offset());
            } catch (ExecutionException | TimeoutException e) {
                // One partition without a leader must not keep the others waiting: it is asked for again.
                LOG.debug("no offset of {} at the moment", key, e);
            }
        }
        return offsets;
    }

    private <T> T get(KafkaFuture<T> future) throws ExecutionException, TimeoutException, InterruptedException {
        return future.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    }
}
