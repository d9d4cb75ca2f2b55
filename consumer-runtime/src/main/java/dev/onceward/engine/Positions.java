package dev.onceward.engine;

import dev.onceward.config.StartPosition;
import dev.onceward.position.Known;
import dev.onceward.position.StoredPosition;
import dev.onceward.postgres.GenerationTable;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;

/**
 * Where to begin in a partition: at the offset Kafka has committed; if that is gone, at the watermark stored in
 * PostgreSQL; only in a topic that neither has ever seen, at the configured start position. What was lost is counted and
 * logged, never skipped in silence. {@link PositionChooser} chooses, this class asks.
 */
final class Positions {
    private final Cluster cluster;
    private final StartPosition start;
    private final Ownerships ownerships;
    private final Duration timeout;

    Positions(Cluster cluster, StartPosition start, Ownerships ownerships, Duration timeout) {
        this.cluster = cluster;
        this.start = start;
        this.ownerships = ownerships;
        this.timeout = timeout;
    }

    /** The positions of those whose topic is there; the others are to be asked for again. */
    Map<OwnedPartition, Position> find(List<OwnedPartition> partitions)
            throws SQLException, ExecutionException, TimeoutException, InterruptedException {
        if (partitions.isEmpty()) {
            return Map.of();
        }
        Map<String, Cluster.Topic> topics = topics(partitions);
        Map<String, Map<Integer, StoredPosition>> stored = ownerships.find(topics.keySet(), timeout);
        Set<TopicPartition> keys = new LinkedHashSet<>();
        for (OwnedPartition partition : partitions) {
            if (topics.containsKey(partition.topicPartition().topic())) {
                keys.add(partition.topicPartition());
            }
        }
        List<Cluster.Topic> begun = topics.entrySet().stream()
                .filter(topic -> !stored.containsKey(topic.getKey()) && !(start instanceof StartPosition.Earliest))
                .map(Map.Entry::getValue)
                .toList();
        begun.forEach(topic -> keys.addAll(topic.partitions()));

        Map<TopicPartition, Position> positions = choose(keys, topics, stored);
        for (Cluster.Topic topic : begun) {
            if (!positions.keySet().containsAll(topic.partitions())) {
                topic.partitions().forEach(positions::remove); // one has no leader: asked for again, all together
            }
        }
        remember(positions, stored);
        Map<OwnedPartition, Position> found = new LinkedHashMap<>();
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
            Map<String, Cluster.Topic> topics,
            Map<String, Map<Integer, StoredPosition>> stored)
            throws ExecutionException, TimeoutException, InterruptedException {
        Map<TopicPartition, Long> committed = cluster.committed(keys);
        Map<TopicPartition, Long> beginnings = cluster.offsets(keys, OffsetSpec.earliest());
        Map<TopicPartition, Long> ends = cluster.offsets(keys, OffsetSpec.latest());
        Map<TopicPartition, Long> starts = starts(
                keys.stream().filter(key -> !stored.containsKey(key.topic())).collect(Collectors.toSet()),
                beginnings,
                ends);
        Map<TopicPartition, Position> positions = new HashMap<>();
        for (TopicPartition key : keys) {
            Cluster.Topic topic = topics.get(key.topic());
            Long begin = beginnings.get(key);
            Long end = ends.get(key);
            if (topic != null && begin != null && end != null) {
                Map<Integer, StoredPosition> rows = stored.getOrDefault(key.topic(), Map.of());
                Known known = new Known(
                        topic.id(),
                        committed.getOrDefault(key, -1L),
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
            Map<TopicPartition, Long> starts = new HashMap<>(cluster.offsets(
                    fresh, OffsetSpec.forTimestamp(at.timestamp().toEpochMilli())));
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
            ownerships.remember(first, timeout);
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
        Map<String, Cluster.Topic> topics = topics(positioned);
        Map<OwnedPartition, Boolean> same = new LinkedHashMap<>();
        for (OwnedPartition partition : positioned) {
            Cluster.Topic now = topics.get(partition.topicPartition().topic());
            if (now != null) {
                same.put(partition, now.id().equals(partition.topicId()));
            }
        }
        return same;
    }

    private Map<String, Cluster.Topic> topics(Collection<OwnedPartition> partitions)
            throws ExecutionException, TimeoutException, InterruptedException {
        return cluster.topics(partitions.stream()
                .map(partition -> partition.topicPartition().topic())
                .distinct()
                .toList());
    }
}
