package dev.onceward.deadletter;

import dev.onceward.config.ConsumerSettings.TopicCreation;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidPartitionsException;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.errors.PolicyViolationException;

/**
 * How the topics of a plan are created.
 *
 * @param plan what each is for
 * @param existing the source topics as they are
 * @param settings of the source topics, where they may be read
 * @param creation partitions, replication factor, retention
 */
record NewTopics(
        TopicPlan plan,
        Map<String, TopicDescription> existing,
        Map<String, TopicSettings> settings,
        TopicCreation creation) {

    /** What diagnostics may add to a record, with room to spare. */
    static final int DIAGNOSTICS_BYTES = 64 << 10;

    private static final String CREATE = "onceward.dead-letters.create.";

    NewTopic of(String topic) {
        Optional<Short> replication =
                creation.replicationFactor() < 0 ? Optional.empty() : Optional.of(creation.replicationFactor());
        return new NewTopic(topic, Optional.of(partitions(topic)), replication).configs(configs(topic));
    }

    /** As asked for; else as many as the source topic, or as the largest of several. */
    private int partitions(String topic) {
        if (creation.partitions() > 0) {
            return creation.partitions();
        }
        return plan.sourcesOf(topic).stream()
                .map(existing::get)
                .mapToInt(source -> source == null ? 1 : source.partitions().size())
                .max()
                .orElse(1);
    }

    private Map<String, String> configs(String topic) {
        Map<String, String> configs = new HashMap<>();
        // Said although it is Kafka's default: where a cluster's default is compaction, dead letters without a key
        // would be refused, and those with one replaced by the next of the same key.
        configs.put(TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_DELETE);
        if (creation.retention() != null) {
            configs.put(
                    TopicConfig.RETENTION_MS_CONFIG,
                    String.valueOf(creation.retention().toMillis()));
        }
        // The largest message of a source must still fit when diagnostics stand behind its headers.
        largestMessage(plan.sourcesOf(topic))
                .ifPresent(bytes -> configs.put(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, String.valueOf(withRoom(bytes))));
        return configs;
    }

    private Optional<Integer> largestMessage(Collection<String> sources) {
        return sources.stream()
                .map(settings::get)
                .flatMap(known -> known == null ? Optional.<Integer>empty().stream() : known.maxMessageBytes().stream())
                .max(Integer::compare);
    }

    static int withRoom(int bytes) {
        return Math.min(Integer.MAX_VALUE - DIAGNOSTICS_BYTES, bytes) + DIAGNOSTICS_BYTES;
    }

    /** One line of a {@link dev.onceward.config.ConfigurationException}. */
    String explain(String topic, Exception failure) {
        String role = plan.role(topic);
        String why = " (" + SafeText.line(String.valueOf(failure.getMessage()), 300) + ")";
        if (failure instanceof AuthorizationException) {
            return CREATE + "partitions: not authorised to create " + role
                    + "; grant CREATE on it, or create it yourself" + why;
        }
        if (failure instanceof InvalidReplicationFactorException) {
            return CREATE + "replication-factor: " + creation.replicationFactor() + " does not fit this cluster, "
                    + role + " was not created; use at most the number of brokers, or -1 for the cluster's default"
                    + why;
        }
        if (failure instanceof InvalidPartitionsException) {
            return CREATE + "partitions: " + partitions(topic) + " was refused for " + role + why;
        }
        if (failure instanceof PolicyViolationException) {
            return CREATE + "*: the cluster's policy refuses " + role + "; follow it, or create the topic yourself"
                    + why;
        }
        return CREATE + "*: " + role + " could not be created; create it yourself, or correct what the cluster names"
                + why;
    }
}
