package dev.onceward.message;

import dev.onceward.handler.Coordinates;
import java.util.UUID;

/**
 * What makes a record this record. A fact stored under its coordinates applies only if the rest is equal too: a topic
 * may have been recreated, a log truncated.
 *
 * @param coordinates where it stands
 * @param topicId Kafka's id of the topic
 * @param timestamp the record's timestamp, epoch milliseconds
 * @param payloadHash {@link PayloadHash} of the value's bytes
 */
public record RecordIdentity(Coordinates coordinates, UUID topicId, long timestamp, long payloadHash) {}
