package dev.onceward.dlq.doctor;

import dev.onceward.dlq.connect.Connections;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The topics of a consumer, as far as PostgreSQL knows them.
 *
 * @param consumer the consumer's name
 * @param group its group in Kafka
 * @param replay its replay topic
 * @param replayDeadLetters where messages go that fail again after a replay
 * @param deadLetters dead-letter topics by source topic, without that of the replay topic
 * @param claims age of the oldest claim, where older ones have been pruned: how long claims are kept; else empty
 */
record ConsumerTopics(
        String consumer,
        String group,
        String replay,
        String replayDeadLetters,
        Map<String, String> deadLetters,
        Optional<Duration> claims) {
    // Of the copies of a topic's letters the newest says where they go now. The last one of each partition, which is
    // one
    // look into the primary key, and of these the newest: by time alone every letter of the topic would be sorted.
    private static final String TOPICS =
            "SELECT c.consumer_name, coalesce(c.replay_topic, 'replay.' || c.consumer_name),"
                    + " t.topic, (SELECT d.dlt_topic FROM {partition_generations} g CROSS JOIN LATERAL"
                    + " (SELECT l.dlt_topic, l.dead_at FROM {dead_letters} l WHERE l.consumer_name = g.consumer_name"
                    + " AND l.topic = g.topic AND l.partition = g.partition AND l.dlt_topic IS NOT NULL"
                    + " ORDER BY l.record_offset DESC LIMIT 1) d WHERE g.consumer_name = c.consumer_name"
                    + " AND g.topic = t.topic ORDER BY d.dead_at DESC LIMIT 1),"
                    + " CASE WHEN t.pruned >= 0 THEN extract(epoch FROM clock_timestamp() - (SELECT min(p.processed_at)"
                    + " FROM {processed_messages} p WHERE p.consumer_name = c.consumer_name))::bigint END, c.group_id"
                    + " FROM {consumers} c LEFT JOIN (SELECT consumer_name, topic, max(max(pruned_through))"
                    + " OVER (PARTITION BY consumer_name) AS pruned FROM {partition_generations} GROUP BY 1, 2) t"
                    + " ON t.consumer_name = c.consumer_name"
                    + " WHERE ?::text IS NULL OR c.consumer_name = ? ORDER BY 1, 3";

    /**
     * Of the consumer asked for, else of all.
     *
     * @param pattern the name of dead-letter topics that no letter tells yet
     */
    static List<ConsumerTopics> read(Connections connections, String pattern) throws SQLException {
        try (PreparedStatement statement =
                connections.database().prepareStatement(connections.tables().sql(TOPICS))) {
            String wanted = connections.consumer().orElse(null);
            statement.setString(1, wanted);
            statement.setString(2, wanted);
            List<ConsumerTopics> all = new ArrayList<>();
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    String consumer = row.getString(1);
                    ConsumerTopics last = all.isEmpty() ? null : all.get(all.size() - 1);
                    if (last == null || !last.consumer().equals(consumer)) {
                        Long claims = row.getObject(5, Long.class);
                        last = new ConsumerTopics(
                                consumer,
                                row.getString(6),
                                row.getString(2),
                                name(pattern, consumer, row.getString(2)),
                                new TreeMap<>(),
                                Optional.ofNullable(claims).map(Duration::ofSeconds));
                        all.add(last);
                    }
                    String source = row.getString(3);
                    String known = row.getString(4);
                    if (last.replay().equals(source)) {
                        all.set(all.size() - 1, known == null ? last : last.withReplayDeadLetters(known));
                    } else if (source != null) {
                        last.deadLetters().put(source, known == null ? name(pattern, consumer, source) : known);
                    }
                }
            }
            return all;
        }
    }

    private ConsumerTopics withReplayDeadLetters(String known) {
        return new ConsumerTopics(consumer, group, replay, known, deadLetters, claims);
    }

    private static String name(String pattern, String consumer, String topic) {
        return pattern.replace("{consumer}", consumer).replace("{topic}", topic);
    }
}
