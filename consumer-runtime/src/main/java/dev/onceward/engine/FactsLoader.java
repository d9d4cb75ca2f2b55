package dev.onceward.engine;

import dev.onceward.catalog.EventNames;
import dev.onceward.deadletter.DeadLetterTable;
import dev.onceward.postgres.AttemptTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads what is stored about a partition's records, in statements after the one that raised its generation: no
 * transaction of an older generation can add to it any more.
 */
final class FactsLoader {
    private static final Logger LOG = LoggerFactory.getLogger(FactsLoader.class);

    private final AttemptTable attempts;
    private final DeadLetterTable deadLetters;

    FactsLoader(AttemptTable attempts, DeadLetterTable deadLetters) {
        this.attempts = attempts;
        this.deadLetters = deadLetters;
    }

    StoredFacts load(Connection connection, TopicPartition partition, UUID topicId, long lowest) throws SQLException {
        // Given up, never published, and its record will not be fetched again.
        List<Long> lost =
                deadLetters.markPayloadLost(connection, partition.topic(), partition.partition(), lowest, topicId);
        for (long offset : lost) {
            LOG.atError()
                    .addKeyValue(EventNames.KEY, EventNames.PAYLOAD_LOST)
                    .addKeyValue("record", partition + "@" + offset)
                    .log("A message was given up, but its record left Kafka before it was published");
        }
        long now = System.nanoTime();
        return new StoredFacts(
                attempts.load(connection, partition.topic(), partition.partition(), lowest),
                deadLetters.load(connection, partition.topic(), partition.partition(), lowest),
                now);
    }
}
