package dev.onceward.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;

/** What the model of the broker tells an admin client. */
record SimCluster(Simulation simulation, SimBroker broker, SimWorker worker) implements Cluster {

    private void ask(String what) throws TimeoutException {
        simulation.point(what);
        if (worker.withoutKafkaUntil > simulation.now() || simulation.fault(40)) {
            simulation.pass(what, Duration.ofSeconds(1).toNanos());
            throw new TimeoutException(what);
        }
        simulation.pass(what, 1_000_000);
    }

    @Override
    public Map<String, Topic> topics(Collection<String> names) throws TimeoutException {
        ask("describe topics");
        Set<TopicPartition> all = new LinkedHashSet<>(broker.logs.keySet());
        return names.contains(SimSettings.TOPIC)
                ? Map.of(SimSettings.TOPIC, new Topic(SimBroker.TOPIC_ID, all))
                : Map.of();
    }

    @Override
    public Map<TopicPartition, Long> committed(Set<TopicPartition> partitions) throws TimeoutException {
        ask("committed offsets");
        Map<TopicPartition, Long> committed = new LinkedHashMap<>(broker.committed);
        committed.keySet().retainAll(partitions);
        return committed;
    }

    @Override
    public Map<TopicPartition, Long> offsets(Set<TopicPartition> partitions, OffsetSpec spec) {
        simulation.point("offsets of logs");
        Map<TopicPartition, Long> offsets = new LinkedHashMap<>();
        if (worker.withoutKafkaUntil <= simulation.now()) {
            partitions.forEach(partition ->
                    offsets.put(partition, spec instanceof OffsetSpec.EarliestSpec ? 0 : broker.ends.get(partition)));
        }
        return offsets;
    }

    @Override
    public void close(Duration timeout) {
        simulation.point("close the admin client");
    }
}
