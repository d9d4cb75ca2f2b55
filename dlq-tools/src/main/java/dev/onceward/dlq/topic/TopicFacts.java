package dev.onceward.dlq.topic;

import dev.onceward.dlq.connect.Connections;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.acl.AclOperation;
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
 * @param allowed what we may do with it; empty: not even see it, and nothing else is known of it
 */
public record TopicFacts(int partitions, long leaderless, Map<String, String> settings, Set<AclOperation> allowed) {

    /** Of those that exist. */
    public static Map<String, TopicFacts> read(Connections connections, Collection<String> topics) {
        Map<String, TopicDescription> descriptions = new HashMap<>();
        Map<String, TopicFacts> facts = new HashMap<>();
        for (Map.Entry<String, KafkaFuture<TopicDescription>> answer :
                describe(connections, topics).entrySet()) {
            try {
                descriptions.put(answer.getKey(), connections.await(answer.getValue()));
            } catch (UnknownTopicOrPartitionException e) {
                // Absent from the answer: that is the finding.
            } catch (AuthorizationException e) {
                facts.put(answer.getKey(), new TopicFacts(0, 0, Map.of(), Set.of()));
            }
        }
        Map<String, Map<String, String>> settings = settings(connections, descriptions.keySet());
        descriptions.forEach((name, topic) -> facts.put(
                name,
                new TopicFacts(
                        topic.partitions().size(),
                        topic.partitions().stream()
                                .filter(info -> info.leader() == null)
                                .count(),
                        settings.getOrDefault(name, Map.of()),
                        topic.authorizedOperations() == null
                                ? EnumSet.allOf(AclOperation.class)
                                : topic.authorizedOperations())));
        return facts;
    }

    private static Map<String, KafkaFuture<TopicDescription>> describe(
            Connections connections, Collection<String> topics) {
        return connections
                .admin()
                .describeTopics(topics, new DescribeTopicsOptions().includeAuthorizedOperations(true))
                .topicNameValues();
    }

    /** Whether it exists and we may not see it. */
    public boolean hidden() {
        return allowed.isEmpty();
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

    /** Whether a later record of a key lets the earlier ones go. */
    public boolean compacted() {
        return settings.getOrDefault(TopicConfig.CLEANUP_POLICY_CONFIG, "").contains("compact");
    }

    /** How long records are kept; empty: without limit, or not known. */
    public Optional<Duration> retention() {
        boolean deleted = settings.getOrDefault(TopicConfig.CLEANUP_POLICY_CONFIG, "delete")
                .contains("delete");
        return Optional.ofNullable(settings.get(TopicConfig.RETENTION_MS_CONFIG))
                .map(Long::valueOf)
                .filter(millis -> deleted && millis >= 0)
                .map(Duration::ofMillis);
    }

    /** The largest record batch that it takes; empty: not known. */
    public Optional<Integer> maxMessageBytes() {
        return Optional.ofNullable(settings.get(TopicConfig.MAX_MESSAGE_BYTES_CONFIG))
                .map(Integer::valueOf);
    }
}
