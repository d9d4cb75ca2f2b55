package dev.onceward.dlq.age;

import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.exit.UsageException;
import dev.onceward.position.StoredPosition;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** What PostgreSQL knows of consumers and their partitions. */
final class StoredPositions {
    private static final String GROUPS =
            "SELECT consumer_name, group_id FROM {consumers} WHERE ?::text IS NULL OR consumer_name = ?";
    private static final String PARTITIONS =
            "SELECT topic, partition, topic_id, watermark FROM {partition_generations} WHERE consumer_name = ?";

    private final Connections connections;

    StoredPositions(Connections connections) {
        this.connections = connections;
    }

    /** Kafka groups by consumer: of the one asked for, else of all. */
    Map<String, String> groups() throws SQLException {
        Map<String, String> groups = new TreeMap<>();
        try (PreparedStatement statement =
                connections.database().prepareStatement(connections.tables().sql(GROUPS))) {
            String wanted = connections.consumer().orElse(null);
            statement.setString(1, wanted);
            statement.setString(2, wanted);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    groups.put(row.getString(1), row.getString(2));
                }
            }
        }
        connections.consumer().filter(wanted -> groups.isEmpty()).ifPresent(wanted -> {
            throw new UsageException("--consumer: no worker of a consumer " + wanted + " has ever started");
        });
        return groups;
    }

    /** All partitions that the consumer has ever had. */
    Map<TopicPartition, StoredPosition> partitions(String consumer) throws SQLException {
        Map<TopicPartition, StoredPosition> partitions = new HashMap<>();
        try (PreparedStatement statement =
                connections.database().prepareStatement(connections.tables().sql(PARTITIONS))) {
            statement.setString(1, consumer);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    partitions.put(
                            new TopicPartition(row.getString(1), row.getInt(2)),
                            new StoredPosition(row.getObject(3, UUID.class), watermark(row.getObject(4, Long.class))));
                }
            }
        }
        return partitions;
    }

    private static OptionalLong watermark(@Nullable Long number) {
        return number == null ? OptionalLong.empty() : OptionalLong.of(number);
    }
}
