package dev.onceward.dlq.replay;

import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.exit.RefusedException;
import dev.onceward.dlq.exit.UsageException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Where the replays of a consumer go: to its own topic and nowhere else, since every group that reads the source topic
 * would see them there.
 *
 * @param consumer the consumer's name
 * @param group its Kafka group
 * @param topic its replay topic
 * @param partitions of the replay topic
 * @param sources topics that this consumer has ever read
 */
public record ReplayTarget(String consumer, String group, String topic, int partitions, Set<String> sources) {
    private static final String CONSUMER =
            "SELECT group_id, coalesce(replay_topic, 'replay.' || consumer_name) FROM {consumers} WHERE consumer_name = ?";
    private static final String SOURCES =
            "SELECT DISTINCT topic FROM {partition_generations} WHERE consumer_name = ? AND topic <> ?";

    /**
     * Looks it up.
     *
     * @throws UsageException there is no such consumer
     * @throws RefusedException it has no replay topic
     */
    public static ReplayTarget of(Connections connections, String consumer) throws SQLException {
        String group;
        String topic;
        try (PreparedStatement statement =
                connections.database().prepareStatement(connections.tables().sql(CONSUMER))) {
            statement.setString(1, consumer);
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    throw new UsageException("--consumer: no worker of a consumer " + consumer + " has ever started");
                }
                group = row.getString(1);
                topic = row.getString(2);
            }
        }
        return new ReplayTarget(
                consumer,
                group,
                topic,
                partitions(connections, consumer, topic),
                sources(connections, consumer, topic));
    }

    private static Set<String> sources(Connections connections, String consumer, String topic) throws SQLException {
        try (PreparedStatement statement =
                connections.database().prepareStatement(connections.tables().sql(SOURCES))) {
            statement.setString(1, consumer);
            statement.setString(2, topic);
            try (ResultSet row = statement.executeQuery()) {
                Set<String> sources = new HashSet<>();
                while (row.next()) {
                    sources.add(row.getString(1));
                }
                return Set.copyOf(sources);
            }
        }
    }

    private static int partitions(Connections connections, String consumer, String topic) {
        try {
            return Objects.requireNonNull(connections
                            .await(connections
                                    .admin()
                                    .describeTopics(List.of(topic))
                                    .allTopicNames())
                            .get(topic))
                    .partitions()
                    .size();
        } catch (UnknownTopicOrPartitionException e) {
            throw new RefusedException("the replay topic " + topic + " of consumer " + consumer + " does not exist at "
                    + connections.kafkaAddress() + ": create it (kafka-topics.sh --create --topic " + topic
                    + "), restart the workers so that they read it, and try again");
        }
    }
}
