package dev.onceward.testsupport;

import java.util.Map;
import java.util.TreeMap;

/**
 * How an embedded Kafka broker is set up. Immutable; start from {@link #defaults()}.
 *
 * @param settings broker settings as in {@code server.properties}. They go over the defaults of this class: topics are not
 *     created by themselves, internal topics have 3 partitions, groups do not wait for more members, both group protocols
 *     are on, session timeouts may be as short as a second, the new protocol's members are given up after 10 s and send
 *     heartbeats twice a second.
 * @param heapMegabytes heap of a broker in a process of its own; ignored in-process
 */
public record KafkaOptions(Map<String, String> settings, int heapMegabytes) {

    /** Checks and copies. */
    public KafkaOptions {
        if (heapMegabytes < 128) {
            throw new IllegalArgumentException("heapMegabytes must be at least 128, not " + heapMegabytes);
        }
        settings = Map.copyOf(settings);
    }

    /** No settings of its own, 256 MB. */
    public static KafkaOptions defaults() {
        return new KafkaOptions(Map.of(), 256);
    }

    /** The same with one setting set or replaced. */
    public KafkaOptions with(String setting, String value) {
        return with(Map.of(setting, value));
    }

    /** The same with several settings set or replaced. */
    public KafkaOptions with(Map<String, String> changes) {
        Map<String, String> changed = new TreeMap<>(settings);
        changed.putAll(changes);
        return new KafkaOptions(changed, heapMegabytes);
    }

    /** The same with another heap. */
    public KafkaOptions withHeapMegabytes(int megabytes) {
        return new KafkaOptions(settings, megabytes);
    }
}
