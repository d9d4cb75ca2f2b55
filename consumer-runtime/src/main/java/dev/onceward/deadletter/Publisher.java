package dev.onceward.deadletter;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Publishes dead letters, without ever blocking its caller. Thread-safe. */
public interface Publisher {

    /**
     * Publishes one dead letter, without waiting.
     *
     * @param letter what to say about it
     * @param record the record as it came from the broker
     * @return completes with the acknowledged coordinates, on a thread that must not be blocked. After a failure the record
     *     may or may not stand in the topic
     */
    CompletableFuture<PublishedAt> publish(DeadLetter letter, ConsumerRecord<byte[], byte[]> record);

    /** The last failure that still stands, for health; empty once every letter that failed was published. */
    Optional<String> trouble();

    /** Forgets failures of a partition that this worker gave away: somebody else publishes its letters now. */
    void forget(String topic, int partition);

    /**
     * Publishes what was accepted, as far as time allows; fails the rest. Accepts nothing more.
     *
     * @param timeout bound of the whole
     */
    void close(Duration timeout);

    /**
     * Where a dead letter stands.
     *
     * @param topic the dead-letter topic
     * @param partition its partition
     * @param offset its offset, 0 or more
     */
    record PublishedAt(String topic, int partition, long offset) {}
}
