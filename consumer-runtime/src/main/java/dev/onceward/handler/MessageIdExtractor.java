package dev.onceward.handler;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * Finds the id of a message in its record. Must be thread-safe and a pure function of its arguments: the same record
 * must give the same id at every delivery. See {@link MessageIds} for the ready ones.
 */
@FunctionalInterface
public interface MessageIdExtractor {

    /**
     * The id, or {@code null} if the record does not carry one of this kind. The runtime checks what is returned: strict
     * UTF-8, not blank, no NUL, at most 200 characters.
     *
     * @param record the record as it came from the broker
     * @param topicId Kafka's id of the record's topic: different after a topic was deleted and made again
     * @throws InvalidMessageIdException the record carries an id that cannot be used; the record is dead-lettered
     */
    @Nullable
    String extract(ConsumerRecord<byte[], byte[]> record, Uuid topicId);
}
