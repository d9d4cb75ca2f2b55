package dev.onceward.config;

import java.util.HashMap;
import java.util.Map;

/** Settings for tests: the defaults, and one thing changed. */
final class TestSettings {
    private TestSettings() {}

    /** The defaults and what has none. */
    static ConsumerSettings defaults() {
        return kafka(ConsumerSettings.of("billing"), Map.of("bootstrap.servers", "localhost:1"));
    }

    /** The defaults with these Kafka properties: name, value, name, value. */
    static ConsumerSettings kafka(String... namesAndValues) {
        Map<String, String> properties = new HashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            properties.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        return kafka(defaults(), properties);
    }

    static ConsumerSettings kafka(ConsumerSettings s, Map<String, String> more) {
        Map<String, String> kafka = new HashMap<>(s.kafka());
        kafka.putAll(more);
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
                s.retention(),
                s.deadLetters(),
                s.allowAsynchronousCommit(),
                s.database(),
                kafka);
    }

    static ConsumerSettings backpressure(ConsumerSettings s, ConsumerSettings.Backpressure backpressure) {
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
                backpressure,
                s.lease(),
                s.retention(),
                s.deadLetters(),
                s.allowAsynchronousCommit(),
                s.database(),
                s.kafka());
    }
}
