package dev.onceward.examples.demo;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** How far the workers are, by the effects in the database and the offsets committed to Kafka. */
final class Tracker {

    private final Admin admin;
    private final Stage stage;
    private final DatabaseView database;
    private final Publisher publisher;
    private long effects;

    Tracker(Stage stage, DatabaseView database, Publisher publisher) {
        this.admin = stage.admin();
        this.stage = stage;
        this.database = database;
        this.publisher = publisher;
    }

    /**
     * How far the workers are.
     *
     * @param effects in the ledger
     * @param finished records below the committed offsets: whatever became of them, they are done with
     * @param oldestAge age of the oldest record that is not finished; zero if none waits
     */
    record Position(long effects, long finished, Duration oldestAge) {}

    /** Asks the database and Kafka. Not thread-safe. */
    Position position() throws InterruptedException {
        try {
            effects = database.effects();
        } catch (SQLException e) {
            // Being restarted: nothing takes effect either.
        }
        Map<TopicPartition, OffsetAndMetadata> committed = committed();
        Publisher.Sent sent = publisher.sent();
        int[] ends = sent.ends();
        long now = System.currentTimeMillis();
        long finished = 0;
        long oldest = now;
        for (int partition = 0; partition < ends.length; partition++) {
            OffsetAndMetadata offset = committed.get(new TopicPartition(stage.topic(), partition));
            int watermark = offset == null ? 0 : (int) offset.offset();
            finished += watermark;
            if (watermark < ends[partition]) {
                oldest = Math.min(oldest, sent.timestamp(partition, watermark));
            }
        }
        return new Position(effects, finished, Duration.ofMillis(now - oldest));
    }

    private Map<TopicPartition, OffsetAndMetadata> committed() throws InterruptedException {
        try {
            return admin.listConsumerGroupOffsets(stage.consumer())
                    .partitionsToOffsetAndMetadata()
                    .get(30, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new DemoException(
                    "Kafka does not tell the committed offsets of " + stage.consumer() + ": " + e.getMessage(), e);
        }
    }
}
