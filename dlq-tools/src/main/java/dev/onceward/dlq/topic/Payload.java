package dev.onceward.dlq.topic;

import org.apache.kafka.clients.consumer.ConsumerRecord;

/** What was found in the dead-letter topic for a letter. */
public sealed interface Payload {
    /** The copy that counts. */
    record Found(ConsumerRecord<byte[], byte[]> copy) implements Payload {}

    /**
     * It cannot be had, now or ever.
     *
     * @param why for people
     */
    record Missing(String why) implements Payload {}
}
