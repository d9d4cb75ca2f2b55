package dev.onceward.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;

/** What Kafka says about topics and offsets to one who is no member of the group. Every call may wait, within a bound. */
interface Cluster {

    /** These topics as they are now; those that are not there are absent. */
    Map<String, Topic> topics(Collection<String> names)
            throws ExecutionException, TimeoutException, InterruptedException;

    /** The group's committed offsets; partitions without one are absent. */
    Map<TopicPartition, Long> committed(Set<TopicPartition> partitions)
            throws ExecutionException, TimeoutException, InterruptedException;

    /** Offsets of logs; partitions that do not answer (no leader, say) are absent: to be asked for again. */
    Map<TopicPartition, Long> offsets(Set<TopicPartition> partitions, OffsetSpec spec) throws InterruptedException;

    /** Asks nothing more. */
    void close(Duration timeout);

    /**
     * A topic as it is now.
     *
     * @param id of this one of all topics that ever had the name
     */
    record Topic(UUID id, Set<TopicPartition> partitions) {}
}
