package dev.onceward.handler;

/**
 * Where a record stands in Kafka.
 *
 * @param topic the topic's name
 * @param partition the partition, from 0
 * @param offset the offset in the partition, from 0
 */
public record Coordinates(String topic, int partition, long offset) {

    /** {@code topic-partition@offset}, as it stands in logs and errors. */
    @Override
    public String toString() {
        return topic + "-" + partition + "@" + offset;
    }
}
