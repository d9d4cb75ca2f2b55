package dev.onceward.dlq.topic;

import dev.onceward.dlq.connect.CannotConnectException;
import dev.onceward.dlq.connect.Connections;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** Reads topics from their beginnings to ends that are fixed before, whatever is written meanwhile. */
final class TopicSweep {
    private static final Duration POLL = Duration.ofMillis(500);
    private static final long PATIENCE_NANOS = Duration.ofSeconds(30).toNanos();

    private final Connections connections;
    private final Map<TopicPartition, Long> ends;

    private TopicSweep(Connections connections, Map<TopicPartition, Long> ends) {
        this.connections = connections;
        this.ends = ends;
    }

    /**
     * Up to where they reach now.
     *
     * @throws CannotConnectException Kafka does not answer
     */
    static TopicSweep of(Connections connections, Collection<String> topics) {
        List<TopicPartition> partitions = new ArrayList<>();
        connections
                .await(connections.admin().describeTopics(topics).allTopicNames())
                .forEach((topic, description) -> description
                        .partitions()
                        .forEach(partition -> partitions.add(new TopicPartition(topic, partition.partition()))));
        var consumer = connections.newConsumer();
        try {
            return new TopicSweep(connections, consumer.endOffsets(partitions));
        } catch (KafkaException e) {
            throw connections.kafkaFailure(e);
        } finally {
            consumer.close(CloseOptions.timeout(Duration.ofSeconds(1)));
        }
    }

    /**
     * Hands over every record that was committed.
     *
     * @throws CannotConnectException Kafka stopped answering
     */
    void forEach(Consumer<ConsumerRecord<byte[], byte[]>> taker) {
        var consumer = connections.newConsumer();
        try {
            sweep(consumer, taker);
        } catch (KafkaException e) {
            throw connections.kafkaFailure(e);
        } finally {
            consumer.close(CloseOptions.timeout(Duration.ofSeconds(1)));
        }
    }

    private void sweep(
            org.apache.kafka.clients.consumer.Consumer<byte[], byte[]> consumer,
            Consumer<ConsumerRecord<byte[], byte[]>> taker) {
        Map<TopicPartition, Long> positions = new HashMap<>(consumer.beginningOffsets(ends.keySet()));
        positions.entrySet().removeIf(position -> isAtEnd(position.getKey(), position.getValue()));
        consumer.assign(positions.keySet());
        positions.forEach(consumer::seek);
        long last = System.nanoTime();
        while (!positions.isEmpty()) {
            for (ConsumerRecord<byte[], byte[]> record : poll(consumer)) {
                if (!isAtEnd(new TopicPartition(record.topic(), record.partition()), record.offset())) {
                    taker.accept(record);
                }
            }
            // Positions and not records: at the end there may be nothing but the mark of a transaction.
            for (TopicPartition partition : List.copyOf(positions.keySet())) {
                long position = consumer.position(partition);
                Long before = positions.put(partition, position);
                last = before == null || before != position ? System.nanoTime() : last;
                if (isAtEnd(partition, position)) {
                    positions.remove(partition);
                    consumer.pause(List.of(partition));
                }
            }
            if (System.nanoTime() - last > PATIENCE_NANOS) {
                throw new CannotConnectException(
                        "Kafka at " + connections.kafkaAddress() + " gave no record of " + positions.keySet()
                                + " within " + Duration.ofNanos(PATIENCE_NANOS).toSeconds() + " s",
                        null);
            }
        }
    }

    private static Iterable<ConsumerRecord<byte[], byte[]>> poll(
            org.apache.kafka.clients.consumer.Consumer<byte[], byte[]> consumer) {
        try {
            return consumer.poll(POLL);
        } catch (OffsetOutOfRangeException e) {
            // Retention was faster.
            consumer.beginningOffsets(e.partitions()).forEach(consumer::seek);
            return List.of();
        }
    }

    private boolean isAtEnd(TopicPartition partition, long offset) {
        return offset >= ends.getOrDefault(partition, 0L);
    }
}
