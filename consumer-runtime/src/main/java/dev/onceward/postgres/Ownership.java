package dev.onceward.postgres;

import java.util.UUID;

/**
 * What a takeover gave.
 *
 * @param topic the topic
 * @param partition the partition
 * @param fence the worker's proof from now on
 * @param topicId id of the topic the row now stands for
 * @param unclean whether another worker had it and never released it
 * @param stuckTakeovers unclean takeovers in a row without progress of the watermark, this one included
 */
public record Ownership(String topic, int partition, Fence fence, UUID topicId, boolean unclean, int stuckTakeovers) {}
