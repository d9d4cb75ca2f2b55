package dev.onceward.deadletter;

import java.time.Duration;
import java.util.Optional;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.TopicConfig;

/**
 * What counts of a topic's settings.
 *
 * @param compacted whether compaction is on, alone or with deletion: records without a key are refused
 * @param retention how long records are kept; empty: without limit
 * @param maxMessageBytes largest batch it takes; empty where the broker did not say
 */
record TopicSettings(boolean compacted, Optional<Duration> retention, Optional<Integer> maxMessageBytes) {

    static TopicSettings of(Config config) {
        String policy = value(config, TopicConfig.CLEANUP_POLICY_CONFIG).orElse(TopicConfig.CLEANUP_POLICY_DELETE);
        Optional<Duration> retention = value(config, TopicConfig.RETENTION_MS_CONFIG)
                .map(Long::valueOf)
                .filter(millis -> millis >= 0)
                .map(Duration::ofMillis);
        return new TopicSettings(
                policy.contains(TopicConfig.CLEANUP_POLICY_COMPACT),
                policy.contains(TopicConfig.CLEANUP_POLICY_DELETE) ? retention : Optional.empty(),
                value(config, TopicConfig.MAX_MESSAGE_BYTES_CONFIG).map(Integer::valueOf));
    }

    private static Optional<String> value(Config config, String name) {
        return Optional.ofNullable(config.get(name)).map(ConfigEntry::value);
    }
}
