package dev.onceward.dlq.transfer;

import dev.onceward.dlq.connect.ArrayParameters;
import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.index.Letter;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which topics a consumer has to do with. Anybody may have written the file: it must not bring us to write into somebody
 * else's topics, nor to make rows of records that the consumer never read.
 */
final class ConsumerFacts {
    private static final String SOURCES = "SELECT DISTINCT topic FROM {partition_generations} WHERE consumer_name = ?";
    // All at once: no index finds them by that, and a forged file may name any number of topics.
    private static final String DEAD_LETTER_TOPICS =
            "SELECT DISTINCT dlt_topic FROM {dead_letters} WHERE consumer_name = ? AND dlt_topic IS NOT NULL";

    private final Connections connections;
    private final Copies copies;
    private final String consumer;
    private final String pattern;
    private final Set<String> sources;
    private @Nullable Set<String> deadLetterTopics;

    ConsumerFacts(Connections connections, Copies copies, String consumer, String pattern) throws SQLException {
        this.connections = connections;
        this.copies = copies;
        this.consumer = consumer;
        this.pattern = pattern;
        this.sources = topics(SOURCES);
    }

    /** Why a copy of the letter must not be put into that topic; {@code null}: it may. */
    @Nullable
    String refusal(Letter letter, String topic) throws SQLException {
        for (String source : List.of(
                letter.origin().coordinates().topic(),
                letter.record().coordinates().topic())) {
            if (!sources.contains(source)) {
                return "this consumer has never read a topic " + source + ", which it is said to come from";
            }
        }
        String usual = pattern.replace("{consumer}", consumer)
                .replace("{topic}", letter.origin().coordinates().topic());
        if (sources.contains(topic) || !(topic.equals(usual) || isKnown(topic))) {
            return topic + " is not known as a dead-letter topic of " + consumer
                    + ": if it is one, say how they are named with --dead-letter-pattern";
        }
        if (copies.partitions(topic) == 0) {
            return "the dead-letter topic " + topic + " does not exist: create it (kafka-topics.sh --create --topic "
                    + topic + "), and run the same command again";
        }
        return null;
    }

    private boolean isKnown(String topic) throws SQLException {
        if (deadLetterTopics == null) {
            deadLetterTopics = topics(DEAD_LETTER_TOPICS);
        }
        return deadLetterTopics.contains(topic);
    }

    private Set<String> topics(String sql) throws SQLException {
        Set<String> topics = new HashSet<>();
        try (PreparedStatement statement = ArrayParameters.prepare(connections, sql)) {
            statement.setString(1, consumer);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    topics.add(row.getString(1));
                }
            }
        }
        return topics;
    }
}
