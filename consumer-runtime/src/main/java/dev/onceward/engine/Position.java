package dev.onceward.engine;

import java.util.UUID;

/**
 * Where fetching of a partition begins.
 *
 * @param topicId id of its topic now
 * @param offset the first offset to fetch
 * @param committed the offset Kafka has committed; -1: none that counts, so that the position is committed even if nothing
 *     comes
 * @param earliest the oldest offset that the broker still had
 * @param lost offsets that were not processed and will not be fetched
 * @param takesBack whether Kafka may hold an offset that must not count any more: the position has to be committed before
 *     anything begins
 */
record Position(UUID topicId, long offset, long committed, long earliest, long lost, boolean takesBack) {}
