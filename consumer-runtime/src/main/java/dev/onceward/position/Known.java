package dev.onceward.position;

import java.util.Optional;
import java.util.UUID;

/**
 * What is known of a partition.
 *
 * @param topicId of the topic that Kafka has now
 * @param committed in Kafka; -1: nothing
 * @param stored in PostgreSQL
 * @param topicSeen whether PostgreSQL knows any partition of the topic
 * @param earliest the oldest offset that the broker has
 * @param end the offset of its next record
 */
public record Known(
        UUID topicId, long committed, Optional<StoredPosition> stored, boolean topicSeen, long earliest, long end) {}
