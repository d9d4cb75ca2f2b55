package dev.onceward.engine;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The partitions of this worker, by our own bookkeeping: what Kafka assigned and has not revoked. Changed by the poll
 * thread alone, through {@link Assignment}; read by all.
 */
final class Partitions {
    private final Map<TopicPartition, OwnedPartition> current = new ConcurrentHashMap<>();

    @Nullable
    OwnedPartition get(TopicPartition topicPartition) {
        return current.get(topicPartition);
    }

    Collection<OwnedPartition> all() {
        return current.values();
    }

    Set<TopicPartition> names() {
        return new LinkedHashSet<>(current.keySet()); // whose order is the same in every process
    }

    /** Whether this is the incarnation that counts: what comes late for an earlier one changes nothing. */
    boolean isCurrent(OwnedPartition partition) {
        return current.get(partition.topicPartition()) == partition;
    }

    /** Messages that were fetched and are not finished. */
    int inFlight() {
        int messages = 0;
        for (OwnedPartition partition : current.values()) {
            messages += partition.window().size();
        }
        return messages;
    }

    /** A new incarnation; returns the one that it replaces. */
    Optional<OwnedPartition> add(OwnedPartition partition) {
        return Optional.ofNullable(current.put(partition.topicPartition(), partition));
    }

    Optional<OwnedPartition> remove(TopicPartition topicPartition) {
        return Optional.ofNullable(current.remove(topicPartition));
    }
}
