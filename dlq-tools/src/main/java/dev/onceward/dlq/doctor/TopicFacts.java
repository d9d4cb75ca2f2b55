package dev.onceward.dlq.doctor;

import dev.onceward.dlq.connect.Connections;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * What Kafka tells of a topic.
 *
 * @param partitions how many
 * @param leaderless how many of them have no leader
 * @param settings by name; empty: we may not see them
 */
record TopicFacts(int partitions, long leaderless, Map<String, String> settings) {

    /** Of those that exist. */
    static Map<String, TopicFacts> read(Connections connections, Collection<String> topics) {
        Map<String, TopicDescription> descriptions = new HashMap<>();
        for (KafkaFuture<TopicDescription> answer :
                connections.admin().describeTopics(topics).topicNameValues().values()) {
            try {
                TopicDescription topic = connections.await(answer);
                descriptions.put(topic.name(), topic);
            } catch (UnknownTopicOrPartitionException e) {
                // Absent from the answer: that is the finding.
            }
        }
        Map<String, Map<String, String>> settings = settings(connections, descriptions.keySet());
        Map<String, TopicFacts> facts = new HashMap<>();
        descriptions.forEach((name, topic) -> facts.put(
                name,
                new TopicFacts(
                        topic.partitions().size(),
                        topic.partitions().stream()
                                .filter(info -> info.leader() == null)
                                .count(),
                        settings.getOrDefault(name, Map.of()))));
        return facts;
    }

    private static Map<String, Map<String, String>> settings(Connections connections, Collection<String> topics) {
        List<ConfigResource> resources = topics.stream()
                .map(topic -> new ConfigResource(ConfigResource.Type.TOPIC, topic))
                .toList();
        Map<String, Map<String, String>> settings = new HashMap<>();
        for (Map.Entry<ConfigResource, KafkaFuture<Config>> answer :
                connections.admin().describeConfigs(resources).values().entrySet()) {
            try {
                Map<String, String> values = new HashMap<>();
                connections
                        .await(answer.getValue())
                        .entries()
                        .forEach(entry -> values.put(entry.name(), entry.value()));
                settings.put(answer.getKey().name(), values);
            } catch (AuthorizationException | UnknownTopicOrPartitionException e) {
                // Not known: said so.
            }
        }
        return settings;
    }

    boolean compacted() {
        return settings.getOrDefault(TopicConfig.CLEANUP_POLICY_CONFIG, "").contains("compact");
    }

    /** How long records are kept; empty: without limit, or not known. */
    Optional<Duration> retention() {
        boolean deleted = settings.getOrDefault(TopicConfig.CLEANUP_POLICY_CONFIG, "delete")
                .contains("delete");
        return Optional.ofNullable(settings.get(TopicConfig.RETENTION_MS_CONFIG))
                .map(Long::valueOf)
                .filter(millis -> deleted && millis >= 0)
                .map(Duration::ofMillis);
    }

    Optional<Integer> maxMessageBytes() {
        return Optional.ofNullable(settings.get(TopicConfig.MAX_MESSAGE_BYTES_CONFIG))
                .map(Integer::valueOf);
    }
}
