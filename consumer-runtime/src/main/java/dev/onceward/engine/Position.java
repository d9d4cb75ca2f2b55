package dev.onceward.engine;

import java.util.UUID;

/**
 * Where fetching of a partition begins.
 *
 * @param topicId id of its topic now
 * @param offset the first offset to fetch
 * @param committed the offset Kafka has committed; -1: none, so that the position is committed even if nothing comes
 * @param lost offsets that retention took before they were processed
 */
record Position(UUID topicId, long offset, long committed, long lost) {}
