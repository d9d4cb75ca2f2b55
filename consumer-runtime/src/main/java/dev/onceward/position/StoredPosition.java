package dev.onceward.position;

import java.util.OptionalLong;
import java.util.UUID;

/**
 * What PostgreSQL has stored of a partition.
 *
 * @param topicId of the topic that it stood for
 * @param watermark the lowest offset that was not finished; empty: never stored
 */
public record StoredPosition(UUID topicId, OptionalLong watermark) {}
