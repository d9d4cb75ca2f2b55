package dev.onceward.engine;

import dev.onceward.catalog.EventNames;
import dev.onceward.config.StartPosition;
import dev.onceward.deadletter.TopicProvisioner;
import dev.onceward.postgres.Database;
import dev.onceward.postgres.GenerationTable;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
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
 * PostgreSQL; only in a partition that neither has ever seen, at the configured start position. What retention took
 * away is counted and logged, never skipped in silence.
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
        Map<String, UUID> topicIds = topicIds(partitions);
        List<OwnedPartition> known = partitions.stream()
                .filter(partition ->
                        topicIds.containsKey(partition.topicPartition().topic()))
                .toList();
        List<TopicPartition> keys =
                known.stream().map(OwnedPartition::topicPartition).toList();
        Map<TopicPartition, OffsetAndMetadata> committed = committed(keys);
        Map<TopicPartition, Long> beginnings = offsets(keys, OffsetSpec.earliest());
        Map<TopicPartition, Long> ends = offsets(keys, OffsetSpec.latest());
        Map<TopicPartition, GenerationTable.Stored> stored = stored(keys);
        Map<OwnedPartition, Position> found = new HashMap<>();
        for (OwnedPartition partition : known) {
            TopicPartition key = partition.topicPartition();
            UUID topicId = topicIds.get(key.topic());
            Long begin = beginnings.get(key);
            Long end = ends.get(key);
            if (topicId != null && begin != null && end != null) {
                long kafka =
                        committed.get(key) == null ? -1 : committed.get(key).offset();
                found.put(partition, choose(key, topicId, kafka, Optional.ofNullable(stored.get(key)), begin, end));
            }
        }
        remember(found, stored);
        return found;
    }

    private void remember(Map<OwnedPartition, Position> found, Map<TopicPartition, GenerationTable.Stored> stored)
            throws SQLException {
        Map<GenerationTable.Candidate, Long> first = new HashMap<>();
        found.forEach((partition, position) -> {
            TopicPartition key = partition.topicPartition();
            if (!stored.containsKey(key)) {
                first.put(
                        new GenerationTable.Candidate(key.topic(), key.partition(), position.topicId()),
                        position.offset());
            }
        });
        if (!first.isEmpty()) {
            database.inTransaction(timeout, connection -> {
                for (Map.Entry<GenerationTable.Candidate, Long> entry : first.entrySet()) {
                    generations.remember(connection, entry.getKey(), entry.getValue());
                }
                return true;
            });
        }
    }

    /** Those whose topic was deleted and made again since their position was found. */
    List<OwnedPartition> madeAgain(Collection<OwnedPartition> partitions)
            throws ExecutionException, TimeoutException, InterruptedException {
        List<OwnedPartition> positioned =
                partitions.stream().filter(OwnedPartition::hasPosition).toList();
        if (positioned.isEmpty()) {
            return List.of();
        }
        Map<String, UUID> topicIds = topicIds(positioned);
        return positioned.stream()
                .filter(partition -> {
                    UUID now = topicIds.get(partition.topicPartition().topic());
                    return now != null && !now.equals(partition.topicId());
                })
                .toList();
    }

    private Position choose(
            TopicPartition key, UUID topicId, long kafka, Optional<GenerationTable.Stored> stored, long begin, long end)
            throws ExecutionException, TimeoutException, InterruptedException {
        if (stored.isPresent() && !stored.get().topicId().equals(topicId)) {
            log(EventNames.START_POSITION, key, begin, "The topic was made again: it begins at its oldest record");
            return new Position(topicId, begin, -1, 0);
        }
        long wanted = kafka;
        if (kafka < 0 && stored.isPresent() && stored.get().watermark().isPresent()) {
            wanted = stored.get().watermark().getAsLong();
            log(EventNames.OFFSET_RESTORED, key, wanted, "Kafka has no committed offset; the stored watermark serves");
        }
        if (wanted < 0) {
            long first = stored.isPresent() ? begin : startOf(key, begin, end);
            log(EventNames.START_POSITION, key, first, "The partition was never processed before");
            return new Position(topicId, first, -1, 0);
        }
        if (wanted < begin) {
            LOG.atError()
                    .addKeyValue(EventNames.KEY, EventNames.RECORDS_LOST)
                    .addKeyValue("partition", key)
                    .addKeyValue("from", wanted)
                    .addKeyValue("to", begin)
                    .log("Retention deleted records before they were processed");
            return new Position(topicId, begin, kafka, begin - wanted);
        }
        if (wanted > end) {
            // Committed at once, one deliberate step back: what comes next would be skipped after a restart.
            log(EventNames.RECORDS_LOST, key, end, "The broker lost the end of its log; going on at what it has");
            return new Position(topicId, end, -1, 0);
        }
        return new Position(topicId, wanted, kafka, 0);
    }

    private long startOf(TopicPartition key, long begin, long end)
            throws ExecutionException, TimeoutException, InterruptedException {
        if (start instanceof StartPosition.At at) {
            long offset = offsets(
                            List.of(key), OffsetSpec.forTimestamp(at.timestamp().toEpochMilli()))
                    .getOrDefault(key, -1L);
            return offset < 0 ? end : offset;
        }
        return start instanceof StartPosition.Latest ? end : begin;
    }

    private Map<String, UUID> topicIds(Collection<OwnedPartition> partitions)
            throws ExecutionException, TimeoutException, InterruptedException {
        List<String> topics = partitions.stream()
                .map(partition -> partition.topicPartition().topic())
                .distinct()
                .toList();
        Map<String, UUID> ids = new HashMap<>();
        for (Map.Entry<String, KafkaFuture<TopicDescription>> entry :
                admin.describeTopics(topics).topicNameValues().entrySet()) {
            try {
                ids.put(
                        entry.getKey(),
                        TopicProvisioner.uuid(get(entry.getValue()).topicId()));
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
                    throw e;
                }
            }
        }
        return ids;
    }

    private Map<TopicPartition, OffsetAndMetadata> committed(List<TopicPartition> keys)
            throws ExecutionException, TimeoutException, InterruptedException {
        ListConsumerGroupOffsetsResult result = admin.listConsumerGroupOffsets(groupId);
        Map<TopicPartition, OffsetAndMetadata> all = get(result.partitionsToOffsetAndMetadata());
        return all.entrySet().stream()
                .filter(entry -> entry.getValue() != null && keys.contains(entry.getKey()))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    private Map<TopicPartition, Long> offsets(List<TopicPartition> keys, OffsetSpec spec)
            throws ExecutionException, TimeoutException, InterruptedException {
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

    private Map<TopicPartition, GenerationTable.Stored> stored(List<TopicPartition> keys) throws SQLException {
        return database.inTransaction(timeout, connection -> {
            Map<TopicPartition, GenerationTable.Stored> rows = new HashMap<>();
            for (TopicPartition key : keys) {
                generations.find(connection, key.topic(), key.partition()).ifPresent(row -> rows.put(key, row));
            }
            return rows;
        });
    }

    private <T> T get(KafkaFuture<T> future) throws ExecutionException, TimeoutException, InterruptedException {
        return future.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static void log(EventNames event, TopicPartition partition, long offset, String what) {
        LOG.atInfo()
                .addKeyValue(EventNames.KEY, event)
                .addKeyValue("partition", partition)
                .addKeyValue("offset", offset)
                .log(what);
    }
}
