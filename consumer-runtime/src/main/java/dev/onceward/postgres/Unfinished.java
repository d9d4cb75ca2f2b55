package dev.onceward.postgres;

import java.util.UUID;

/**
 * The unfinished records of a partition: from its lowest one on.
 *
 * @param topic the topic's name
 * @param partition the partition
 * @param topicId which topic of this name
 * @param lowest the offset of the lowest record that is not finished
 * @param earliest an offset below which the broker has nothing any more; between the two, records may be fetched again when
 *     offsets are reset
 */
public record Unfinished(String topic, int partition, UUID topicId, long lowest, long earliest) {}
