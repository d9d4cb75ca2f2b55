package dev.onceward.engine;

import dev.onceward.engine.Choices.Of;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.kafka.common.TopicPartition;

/** The cluster: logs, the consumer group, its committed offsets. */
final class SimBroker {
    static final UUID TOPIC_ID = new UUID(7, 7);
    private static final long SESSION = Duration.ofSeconds(5).toNanos();
    private static final long REBALANCE = Duration.ofSeconds(8).toNanos();
    private static final long TICK = Duration.ofMillis(500).toNanos();

    private final Simulation simulation;
    private final Verdicts verdicts;
    /** All give back all partitions before anybody gets any. */
    private final boolean eager;

    final Map<TopicPartition, List<SimRecord>> logs = new LinkedHashMap<>();
    final Map<TopicPartition, Long> ends = new LinkedHashMap<>();
    final Map<TopicPartition, Long> committed = new LinkedHashMap<>();
    private final Set<SimConsumer> members = new LinkedHashSet<>();
    private final Map<TopicPartition, SimConsumer> owners = new LinkedHashMap<>();
    private Map<TopicPartition, SimConsumer> target = new LinkedHashMap<>();
    private boolean givingAllBack;
    private long rebalanceSince = Simulation.NEVER;

    SimBroker(Simulation simulation, Verdicts verdicts, boolean eager) {
        this.simulation = simulation;
        this.verdicts = verdicts;
        this.eager = eager;
        simulation.at(simulation.now(), this::tick);
    }

    void append(SimRecord record) {
        logs.get(record.partition()).add(record);
        ends.put(record.partition(), record.offset() + 1);
        simulation.tell(() -> "appended " + record);
    }

    // ---- the group ----

    /** The coordinator looks after its members. */
    private void tick() {
        long now = simulation.now();
        for (SimConsumer member : List.copyOf(members)) {
            SimWorker worker = member.worker();
            if (!worker.dead && worker.frozenUntil <= now && worker.withoutKafkaUntil <= now) {
                member.heardOf = now;
            }
            boolean late = rebalanceSince != Simulation.NEVER
                    && now - rebalanceSince > REBALANCE
                    && !revoked(member).isEmpty();
            if (now - member.heardOf > SESSION || late) {
                expel(member);
            }
        }
        simulation.at(now + TICK, this::tick);
    }

    void join(SimConsumer member) {
        member.heardOf = simulation.now();
        members.add(member);
        simulation.tell(() -> member.worker().name + " joins the group");
        rebalance();
    }

    boolean isMember(SimConsumer member) {
        return members.contains(member);
    }

    void leave(SimConsumer member) {
        if (members.remove(member)) {
            owners.values().removeIf(owner -> owner == member);
            rebalance();
        }
    }

    private void expel(SimConsumer member) {
        simulation.tell(() -> member.worker().name + " is expelled from the group");
        leave(member);
    }

    /** A new plan of who is to have what. */
    void rebalance() {
        Map<TopicPartition, SimConsumer> plan = new LinkedHashMap<>();
        List<SimConsumer> all = new ArrayList<>(members);
        int shift = all.isEmpty() ? 0 : simulation.choices.upTo(Of.FAULT, all.size());
        int i = 0;
        for (TopicPartition partition : logs.keySet()) {
            if (!all.isEmpty()) {
                plan.put(partition, all.get((i++ + shift) % all.size()));
            }
        }
        target = plan;
        givingAllBack = eager && !owners.isEmpty();
        rebalanceSince = simulation.now();
        simulation.tell(() -> "rebalance");
    }

    /** What a member has to give back. */
    List<TopicPartition> revoked(SimConsumer member) {
        List<TopicPartition> revoked = new ArrayList<>();
        owners.forEach((partition, owner) -> {
            if (owner == member && (givingAllBack || target.get(partition) != member)) {
                revoked.add(partition);
            }
        });
        return revoked;
    }

    void givenBack(SimConsumer member, List<TopicPartition> partitions) {
        partitions.forEach(partition -> owners.remove(partition, member));
        if (owners.isEmpty()) {
            givingAllBack = false;
        }
    }

    /** What a member gets now: what it is to have and nobody has. */
    List<TopicPartition> assigned(SimConsumer member) {
        List<TopicPartition> assigned = new ArrayList<>();
        if (!givingAllBack) {
            target.forEach((partition, planned) -> {
                if (planned == member && !owners.containsKey(partition)) {
                    assigned.add(partition);
                }
            });
        }
        return assigned;
    }

    void assign(SimConsumer member, List<TopicPartition> partitions) {
        partitions.forEach(partition -> owners.put(partition, member));
        boolean done = target.entrySet().stream().allMatch(entry -> owners.get(entry.getKey()) == entry.getValue());
        if (done) {
            rebalanceSince = Simulation.NEVER;
        }
    }

    /** Takes offsets of a member, whatever partitions they are of: the broker checks the member. */
    boolean commit(SimConsumer member, Map<TopicPartition, Long> offsets) {
        if (!members.contains(member)) {
            return false;
        }
        offsets.forEach((partition, offset) -> {
            verdicts.committed(partition, committed.getOrDefault(partition, 0L), offset);
            committed.put(partition, offset);
        });
        simulation.tell(() -> "offsets of " + member.worker().name + " are committed: " + offsets);
        return true;
    }
}
