package dev.onceward.dlq.transfer;

import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.index.Letter;
import dev.onceward.dlq.topic.LetterReader;
import dev.onceward.dlq.topic.Payload;
import dev.onceward.handler.Coordinates;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** The copies in the dead-letter topics, also where a topic is gone: a consumer would ask for it until its time is up. */
final class Copies implements AutoCloseable {
    private final Connections connections;
    private final LetterReader reader;
    private final Map<String, Integer> partitions = new HashMap<>();

    Copies(Connections connections) {
        this.connections = connections;
        this.reader = new LetterReader(connections);
    }

    /** See {@link LetterReader#expect}. */
    void expect(List<Letter> letters) {
        reader.expect(letters.stream().filter(this::hasPlace).toList());
    }

    Payload read(Letter letter) {
        return letter.copy() == null || hasPlace(letter)
                ? reader.read(letter)
                : new Payload.Missing("the partition of " + letter.copy() + " does not exist any more");
    }

    /** How many partitions a topic has; 0: it does not exist. */
    int partitions(String topic) {
        return partitions.computeIfAbsent(topic, this::describe);
    }

    @Override
    public void close() {
        reader.close();
    }

    private boolean hasPlace(Letter letter) {
        Coordinates copy = letter.copy();
        return copy != null && copy.partition() < partitions(copy.topic());
    }

    private int describe(String topic) {
        try {
            return Objects.requireNonNull(connections
                            .await(connections
                                    .admin()
                                    .describeTopics(List.of(topic))
                                    .allTopicNames())
                            .get(topic))
                    .partitions()
                    .size();
        } catch (UnknownTopicOrPartitionException | InvalidTopicException e) {
            return 0;
        }
    }
}
