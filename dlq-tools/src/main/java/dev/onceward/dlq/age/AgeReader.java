package dev.onceward.dlq.age;

import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.index.DeadLetterIndex;
import dev.onceward.dlq.index.Stats;
import dev.onceward.position.Known;
import dev.onceward.position.StoredPosition;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Finds out how old the oldest message is that a consumer has not finished: reads the record at the offset where its
 * workers are, or would begin. Needs no worker, and writes nothing. What cannot be known is said to be unknown. For one
 * thread.
 */
final class AgeReader {
    private final DeadLetterIndex index;
    private final LetterCounts counts;
    private final StoredPositions stored;
    private final KafkaPartitions kafka;
    private final OldestRecords records;

    /** Over these connections, which must stay open as long as this is used. */
    AgeReader(Connections connections) {
        this.index = new DeadLetterIndex(connections);
        this.counts = LetterCounts.of(index);
        this.stored = new StoredPositions(connections);
        this.kafka = new KafkaPartitions(connections);
        this.records = new OldestRecords(connections);
    }

    /** All partitions of the consumer asked for, else of all consumers; by consumer, topic and partition. */
    List<PartitionAge> read() throws SQLException {
        List<PartitionAge> ages = new ArrayList<>();
        for (Map.Entry<String, String> consumer : stored.groups().entrySet()) {
            ages.addAll(read(consumer.getKey(), consumer.getValue()));
        }
        return ages;
    }

    private List<PartitionAge> read(String consumer, String group) throws SQLException {
        Map<TopicPartition, StoredPosition> known = stored.partitions(consumer);
        Map<TopicPartition, Long> committed = kafka.committed(group);
        Set<TopicPartition> all = new HashSet<>(known.keySet());
        all.addAll(committed.keySet());
        Map<TopicPartition, UUID> existing =
                kafka.partitions(all.stream().map(TopicPartition::topic).collect(Collectors.toSet()));
        all.addAll(existing.keySet());

        Map<TopicPartition, Beginning> starts = starts(known, committed, existing);
        Map<TopicPartition, Long> ends = kafka.stableEnds(existing.keySet());
        Map<TopicPartition, Long> from = new HashMap<>();
        starts.forEach((partition, start) -> {
            if (start.offset() != Beginning.UNKNOWN) {
                from.put(partition, start.offset());
            }
        });
        Map<TopicPartition, OptionalLong> oldest = records.read(from, ends);
        Map<TopicPartition, Stats.OfPartition> letters = counts.of(consumer);
        all.addAll(letters.keySet());
        // After the reading: what was read is not younger than now.
        Instant now = index.now();
        return all.stream()
                .sorted(Comparator.comparing(TopicPartition::topic).thenComparingInt(TopicPartition::partition))
                .map(partition -> new Row(consumer, group, partition, now, letters.get(partition))
                        .of(starts.get(partition), ends.get(partition), oldest.get(partition)))
                .toList();
    }

    private Map<TopicPartition, Beginning> starts(
            Map<TopicPartition, StoredPosition> known,
            Map<TopicPartition, Long> committed,
            Map<TopicPartition, UUID> existing) {
        Set<String> seen = known.keySet().stream().map(TopicPartition::topic).collect(Collectors.toSet());
        Map<TopicPartition, Long> earliest = kafka.earliest(existing.keySet());
        Map<TopicPartition, Long> ends = kafka.ends(existing.keySet());
        Map<TopicPartition, Beginning> starts = new HashMap<>();
        existing.forEach((partition, topicId) -> starts.put(
                partition,
                Beginning.of(new Known(
                        topicId,
                        committed.getOrDefault(partition, -1L),
                        Optional.ofNullable(known.get(partition)),
                        seen.contains(partition.topic()),
                        earliest.getOrDefault(partition, 0L),
                        ends.getOrDefault(partition, 0L)))));
        return starts;
    }

    /** One partition, once all has been asked. */
    private record Row(
            String consumer, String group, TopicPartition partition, Instant now, Stats.@Nullable OfPartition letters) {

        PartitionAge of(@Nullable Beginning start, @Nullable Long end, @Nullable OptionalLong oldest) {
            if (start == null || end == null) {
                return age(null, null, null, null, "unknown: the topic, or this partition, does not exist");
            }
            if (start.offset() == Beginning.UNKNOWN) {
                return age(null, null, null, null, start.note());
            }
            if (oldest == null) {
                return age(start.offset(), null, null, null, "unknown: Kafka did not give the record in time");
            }
            if (oldest.isEmpty()) {
                return age(start.offset(), 0L, null, Duration.ZERO, start.note());
            }
            long lag = Math.max(1, end - start.offset());
            if (oldest.getAsLong() < 0) {
                return age(start.offset(), lag, null, null, "unknown: the record has no timestamp");
            }
            Instant timestamp = Instant.ofEpochMilli(oldest.getAsLong());
            Duration age = Duration.between(timestamp, now);
            return age(start.offset(), lag, timestamp, age.isNegative() ? Duration.ZERO : age, start.note());
        }

        private PartitionAge age(
                @Nullable Long offset,
                @Nullable Long lag,
                @Nullable Instant oldest,
                @Nullable Duration age,
                String note) {
            return new PartitionAge(
                    consumer,
                    group,
                    partition.topic(),
                    partition.partition(),
                    offset,
                    lag,
                    oldest,
                    age,
                    letters == null ? 0 : letters.count(),
                    letters == null ? null : Duration.between(letters.oldest(), now),
                    note);
        }
    }
}
