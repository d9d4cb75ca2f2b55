package dev.onceward.testsupport.guarantees;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * Guarantee 2: every record that counts as finished has left a trace: the claim of its message, or a dead letter that was
 * published and recorded. Finished is what lies before the offset committed to Kafka, or the watermark in PostgreSQL,
 * whichever is further.
 */
public final class NothingLost implements Guarantee {
    private static final String FINISHED = "CREATE TEMPORARY TABLE finished"
            + " (topic text, partition int, finished_before bigint, PRIMARY KEY (topic, partition)) ON COMMIT DROP";
    // The trace of a message under this id may be that of another copy of it: a duplicate leaves none of its own.
    private static final String LOST = "SELECT s.topic, s.partition, s.record_offset, s.message_id"
            + " FROM source_records s LEFT JOIN finished f USING (topic, partition)"
            + " LEFT JOIN {partition_generations} g ON g.consumer_name = ? AND g.topic = s.topic"
            + " AND g.partition = s.partition"
            + " WHERE (? OR s.record_offset < greatest(f.finished_before, g.watermark))"
            + " AND NOT EXISTS (SELECT FROM {processed_messages} p WHERE p.consumer_name = ?"
            + " AND p.message_id = s.message_id)"
            + " AND NOT EXISTS (SELECT FROM {dead_letters} d WHERE d.consumer_name = ? AND d.topic = s.topic"
            + " AND d.partition = s.partition AND d.record_offset = s.record_offset"
            + " AND d.status <> 'PENDING' AND (d.dlt_offset IS NOT NULL OR d.reason = 'PAYLOAD_LOST'))";
    private static final String CHECKED = "SELECT count(*) FROM source_records s LEFT JOIN finished f"
            + " USING (topic, partition) LEFT JOIN {partition_generations} g ON g.consumer_name = ?"
            + " AND g.topic = s.topic AND g.partition = s.partition"
            + " WHERE ? OR s.record_offset < greatest(f.finished_before, g.watermark)";

    private final ObservedConsumer consumer;
    private final SourceRecords source;
    private final boolean everything;

    private NothingLost(ObservedConsumer consumer, SourceRecords source, boolean everything) {
        this.consumer = consumer;
        this.source = source;
        this.everything = everything;
    }

    /** Of what is finished. Claims must not have been pruned yet. */
    public static NothingLost of(ObservedConsumer consumer, SourceRecords source) {
        return new NothingLost(consumer, source, false);
    }

    /** Of all that the topics hold: after the workers had time for it. Stricter than the guarantee. */
    public static NothingLost ofEverything(ObservedConsumer consumer, SourceRecords source) {
        return new NothingLost(consumer, source, true);
    }

    @Override
    public Finding check() {
        Tally tally = new Tally("NothingLost");
        // Offsets first: what is finished later than that has a later trace.
        Map<TopicPartition, Long> offsets = CommittedOffsets.of(consumer);
        try (Queries database = new Queries(consumer)) {
            source.load(database);
            database.execute(FINISHED);
            store(database, offsets);
            tally.checked(database.count(CHECKED, consumer.name(), everything));
            database.rows(
                    LOST,
                    row -> tally.violation(row.getString(1) + "-" + row.getInt(2) + "@" + row.getLong(3) + " (id "
                            + row.getString(4) + ") has neither a claim nor a dead letter"),
                    consumer.name(),
                    everything,
                    consumer.name(),
                    consumer.name());
        }
        return tally.finding();
    }

    private static void store(Queries database, Map<TopicPartition, Long> offsets) {
        try (PreparedStatement statement =
                database.connection().prepareStatement("INSERT INTO finished VALUES (?, ?, ?)")) {
            for (Map.Entry<TopicPartition, Long> offset : offsets.entrySet()) {
                statement.setString(1, offset.getKey().topic());
                statement.setInt(2, offset.getKey().partition());
                statement.setLong(3, offset.getValue());
                statement.addBatch();
            }
            statement.executeBatch();
        } catch (SQLException e) {
            throw Queries.failed("INSERT INTO finished", e);
        }
    }
}
