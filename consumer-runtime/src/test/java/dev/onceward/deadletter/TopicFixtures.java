package dev.onceward.deadletter;

import dev.onceward.config.ConsumerSettings;
import dev.onceward.config.ConsumerSettings.DeadLetterTopics;
import dev.onceward.config.ConsumerSettings.Retention;
import java.util.Map;

/** Settings that differ from the defaults in what concerns topics. */
final class TopicFixtures {
    private TopicFixtures() {}

    static ConsumerSettings settings(String consumer, DeadLetterTopics topics) {
        return settings(consumer, topics, Retention.DEFAULT);
    }

    static ConsumerSettings settings(String consumer, DeadLetterTopics topics, Retention retention) {
        return settings(consumer, topics, retention, Map.of());
    }

    static ConsumerSettings settings(String kafkaProperty, String value) {
        return settings("billing", DeadLetterTopics.DEFAULT, Retention.DEFAULT, Map.of(kafkaProperty, value));
    }

    private static ConsumerSettings settings(
            String consumer, DeadLetterTopics topics, Retention retention, Map<String, String> kafka) {
        ConsumerSettings s = ConsumerSettings.of(consumer);
        return new ConsumerSettings(
                s.consumer(),
                s.groupId(),
                s.schema(),
                s.ordering(),
                s.startPosition(),
                s.idReuse(),
                s.retry(),
                s.concurrency(),
                s.limits(),
                s.backpressure(),
                s.lease(),
                retention,
                topics,
                s.allowAsynchronousCommit(),
                s.database(),
                kafka);
    }
}
