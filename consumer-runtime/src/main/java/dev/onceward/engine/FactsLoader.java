package dev.onceward.engine;

import dev.onceward.catalog.EventNames;
import dev.onceward.deadletter.DeadLetter;
import dev.onceward.deadletter.DeadLetterTable;
import dev.onceward.handler.Coordinates;
import dev.onceward.message.RecordIdentity;
import dev.onceward.postgres.AttemptTable;
import dev.onceward.postgres.Unfinished;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads what is stored about partitions' records, in statements after the one that raised their generations, in the same
 * transaction: READ COMMITTED, so each statement sees what was committed before it, and under the exclusive locks no
 * transaction of an older generation can add to that any more.
 */
final class FactsLoader {
    private static final Logger LOG = LoggerFactory.getLogger(FactsLoader.class);

    private final AttemptTable attempts;
    private final DeadLetterTable deadLetters;

    FactsLoader(AttemptTable attempts, DeadLetterTable deadLetters) {
        this.attempts = attempts;
        this.deadLetters = deadLetters;
    }

    Map<TopicPartition, StoredFacts> load(Connection connection, Collection<Unfinished> partitions)
            throws SQLException {
        // Given up, never published, and its record can never be fetched again.
        for (Coordinates lost : deadLetters.markPayloadLost(connection, partitions)) {
            LOG.atError()
                    .addKeyValue(EventNames.KEY, EventNames.PAYLOAD_LOST)
                    .addKeyValue("record", lost)
                    .log("A message was given up, but its record left Kafka before it was published");
        }
        long now = System.nanoTime();
        Map<TopicPartition, List<AttemptTable.Attempts>> failed = attempts.load(connection, partitions).stream()
                .collect(Collectors.groupingBy(fact -> partitionOf(fact.record())));
        Map<TopicPartition, List<DeadLetter>> unpublished = new HashMap<>();
        Map<TopicPartition, GivenUp> finished = new HashMap<>();
        deadLetters.load(connection, partitions, new DeadLetterTable.Reader() {
            @Override
            public void unpublished(DeadLetter letter) {
                unpublished
                        .computeIfAbsent(partitionOf(letter.record()), partition -> new ArrayList<>())
                        .add(letter);
            }

            @Override
            public void finished(RecordIdentity record) {
                finished.computeIfAbsent(partitionOf(record), partition -> new GivenUp())
                        .add(record);
            }
        });
        Map<TopicPartition, StoredFacts> facts = new HashMap<>();
        for (Unfinished records : partitions) {
            TopicPartition partition = new TopicPartition(records.topic(), records.partition());
            facts.put(
                    partition,
                    new StoredFacts(
                            failed.getOrDefault(partition, List.of()),
                            unpublished.getOrDefault(partition, List.of()),
                            finished.getOrDefault(partition, new GivenUp()),
                            now));
        }
        return facts;
    }

    private static TopicPartition partitionOf(RecordIdentity record) {
        return new TopicPartition(
                record.coordinates().topic(), record.coordinates().partition());
    }
}
