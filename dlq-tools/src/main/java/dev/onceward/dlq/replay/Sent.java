package dev.onceward.dlq.replay;

import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.handler.Coordinates;
import java.util.UUID;

/**
 * A letter that the broker has acknowledged in the replay topic: no more than is needed to mark and to follow it, since
 * there may be a hundred thousand.
 *
 * @param record coordinates of the letter's record: with the topic's id the key of its row
 * @param topicId see there
 * @param name of the letter
 * @param status that its row had when it was read
 * @param hasId whether a claim will tell that it took effect
 * @param partition of the replay topic
 * @param offset in that partition
 */
record Sent(
        Coordinates record,
        UUID topicId,
        String name,
        DeadLetterStatus status,
        boolean hasId,
        int partition,
        long offset) {}
