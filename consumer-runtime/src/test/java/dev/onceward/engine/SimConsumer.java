package dev.onceward.engine;

import dev.onceward.engine.Choices.Of;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.ClusterResource;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;

/** A Kafka consumer on the model of the cluster: of its methods those that the engine calls. */
final class SimConsumer implements InvocationHandler {
    private static final long SHORTEST_POLL = Duration.ofMillis(40).toNanos();

    private final Simulation simulation;
    private final SimBroker broker;
    private final SimWorker worker;
    private final Verdicts verdicts;
    private final int maxPollRecords;
    private final MetadataUpdates metadata;
    private final Bug bug;
    private final Map<TopicPartition, Long> positions = new LinkedHashMap<>();
    private final Set<TopicPartition> paused = new HashSet<>();
    private final Deque<Commit> underWay = new ArrayDeque<>();
    private ConsumerRebalanceListener listener;
    private boolean joined;
    private boolean told;
    private boolean closed;
    private long lastArrival;
    /** A request of an earlier one is refused: it comes from before the member gave partitions back. */
    private int epoch;

    long heardOf;

    SimConsumer(
            Simulation simulation,
            SimBroker broker,
            SimWorker worker,
            Verdicts verdicts,
            int maxPollRecords,
            MetadataUpdates metadata,
            Bug bug) {
        this.bug = bug;
        this.metadata = metadata;
        this.simulation = simulation;
        this.broker = broker;
        this.worker = worker;
        this.verdicts = verdicts;
        this.maxPollRecords = maxPollRecords;
    }

    SimWorker worker() {
        return worker;
    }

    @SuppressWarnings("unchecked")
    Consumer<byte[], byte[]> proxy() {
        return (Consumer<byte[], byte[]>)
                Proxy.newProxyInstance(Consumer.class.getClassLoader(), new Class<?>[] {Consumer.class}, this);
    }

    @Override
    @SuppressWarnings("unchecked")
    public Object invoke(Object proxy, Method method, Object[] args) {
        return switch (method.getName()) {
            case "subscribe" -> {
                listener = (ConsumerRebalanceListener) args[1];
                yield null;
            }
            case "poll" -> poll((Duration) args[0]);
            case "pause" -> {
                paused.addAll((Collection<TopicPartition>) args[0]);
                yield null;
            }
            case "resume" -> {
                paused.removeAll((Collection<TopicPartition>) args[0]);
                yield null;
            }
            case "seek" -> {
                require((TopicPartition) args[0]);
                positions.put((TopicPartition) args[0], (Long) args[1]);
                verdicts.fetchingFrom(worker, (TopicPartition) args[0], (Long) args[1]);
                yield null;
            }
            case "commitAsync" -> {
                send((Map<TopicPartition, OffsetAndMetadata>) args[0], (OffsetCommitCallback) args[1]);
                yield null;
            }
            case "commitSync" -> {
                commitSync((Map<TopicPartition, OffsetAndMetadata>) args[0], (Duration) args[1]);
                yield null;
            }
            case "position" -> require((TopicPartition) args[0]);
            case "currentLag" ->
                OptionalLong.of(Math.max(0, broker.ends.get(args[0]) - require((TopicPartition) args[0])));
            case "metrics" -> Map.of();
            case "close" -> {
                close();
                yield null;
            }
            case "toString" -> "consumer of " + worker.name;
            case "hashCode" -> System.identityHashCode(this);
            default -> throw new UnsupportedOperationException(method.getName());
        };
    }

    private long require(TopicPartition partition) {
        Long position = positions.get(partition);
        if (position == null) {
            throw new IllegalStateException("not assigned: " + partition);
        }
        return position;
    }

    // ---- poll ----

    private ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
        simulation.point("poll");
        long deadline = simulation.now() + Math.max(SHORTEST_POLL, timeout.toNanos());
        while (true) {
            callBack();
            if (worker.withoutKafkaUntil <= simulation.now()) {
                rebalance();
                if (simulation.fault(40)) {
                    metadata.onUpdate(new ClusterResource("simulated"));
                }
                ConsumerRecords<byte[], byte[]> records = fetch();
                if (!records.isEmpty()) {
                    return records;
                }
            }
            if (!simulation.await("poll for news", this::news, deadline)) {
                return ConsumerRecords.empty();
            }
        }
    }

    private boolean news() {
        return answered()
                || (worker.withoutKafkaUntil <= simulation.now()
                        && (!broker.isMember(this)
                                || !broker.revoked(this).isEmpty()
                                || !broker.assigned(this).isEmpty()
                                || fetchable()));
    }

    private void rebalance() {
        if (!broker.isMember(this)) {
            if (joined) {
                List<TopicPartition> lost = List.copyOf(positions.keySet());
                positions.clear();
                paused.clear();
                if (!lost.isEmpty()) {
                    simulation.tell(() -> "lost " + lost);
                    listener.onPartitionsLost(lost);
                }
            }
            joined = true;
            epoch++;
            broker.join(this);
        }
        List<TopicPartition> revoked = broker.revoked(this);
        if (!revoked.isEmpty()) {
            simulation.tell(() -> "revoked " + revoked);
            listener.onPartitionsRevoked(revoked);
            if (broker.isMember(this)) {
                revoked.forEach(positions::remove);
                paused.removeAll(revoked);
                broker.givenBack(this, revoked);
                epoch++;
            }
        }
        List<TopicPartition> assigned = broker.isMember(this) ? broker.assigned(this) : List.of();
        if (!assigned.isEmpty() || !told) {
            told = true;
            broker.assign(this, assigned);
            assigned.forEach(partition -> positions.put(partition, 0L));
            simulation.tell(() -> "assigned " + assigned);
            listener.onPartitionsAssigned(assigned);
        }
    }

    private boolean fetchable() {
        return positions.entrySet().stream()
                .anyMatch(entry ->
                        !paused.contains(entry.getKey()) && entry.getValue() < broker.ends.get(entry.getKey()));
    }

    private ConsumerRecords<byte[], byte[]> fetch() {
        Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> fetched = new LinkedHashMap<>();
        int left = maxPollRecords;
        for (TopicPartition partition : List.copyOf(positions.keySet())) {
            if (paused.contains(partition) || left == 0) {
                continue;
            }
            List<ConsumerRecord<byte[], byte[]>> some = new ArrayList<>();
            long position = positions.get(partition);
            for (SimRecord record : broker.logs.get(partition)) {
                if (record.offset() >= position && left > 0) {
                    some.add(record.raw());
                    position = record.offset() + 1;
                    left--;
                    verdicts.fetched(worker, record);
                }
            }
            if (!some.isEmpty()) {
                positions.put(partition, position);
                fetched.put(partition, some);
            }
        }
        if (!fetched.isEmpty()) {
            simulation.tell(() -> "fetched up to " + positions);
        }
        return new ConsumerRecords<>(fetched, Map.of());
    }

    // ---- offsets ----

    private void send(Map<TopicPartition, OffsetAndMetadata> given, OffsetCommitCallback callback) {
        simulation.point("commit offsets");
        Map<TopicPartition, Long> offsets = new LinkedHashMap<>();
        given.forEach((partition, offset) -> offsets.put(partition, offset.offset()));
        int sentIn = epoch;
        simulation.tell(() -> "sends offsets " + offsets);
        Commit commit = new Commit(given, callback);
        underWay.add(commit);
        boolean unsent = worker.withoutKafkaUntil > simulation.now() || simulation.fault(30);
        boolean answerLost = simulation.fault(30);
        long latency = simulation.fault(bug == Bug.BROKER_TAKES_LATE_OFFSETS ? 3 : 15)
                ? 2_000_000_000L
                : 1_000_000L * simulation.choices.upTo(Of.FAULT, 20);
        lastArrival = Math.max(lastArrival, simulation.now() + latency);
        simulation.at(lastArrival, () -> {
            if (unsent) {
                commit.failure = new RetriableCommitFailedException("disconnected");
            } else if ((sentIn != epoch && bug != Bug.BROKER_TAKES_LATE_OFFSETS) || !broker.commit(this, offsets)) {
                commit.failure = new CommitFailedException("not a member any more");
            } else if (answerLost) {
                commit.failure = new RetriableCommitFailedException("disconnected before the answer");
            }
            commit.answered = true;
        });
    }

    private boolean answered() {
        return !underWay.isEmpty() && underWay.peekFirst().answered;
    }

    private void callBack() {
        while (answered()) {
            Commit commit = underWay.removeFirst();
            if (commit.callback != null) {
                commit.callback.onComplete(commit.offsets, commit.failure);
            }
        }
    }

    private void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration limit) {
        long deadline = simulation.now() + limit.toNanos();
        Exception[] failure = {null};
        if (!offsets.isEmpty()) {
            send(offsets, (of, why) -> failure[0] = why);
        }
        while (!underWay.isEmpty()) {
            if (!simulation.await("wait for offset commits", this::answered, deadline)) {
                throw new TimeoutException("offset commit");
            }
            callBack();
        }
        if (failure[0] instanceof CommitFailedException fenced) {
            throw fenced;
        }
        if (failure[0] != null) {
            throw new TimeoutException(failure[0]);
        }
    }

    private void close() {
        simulation.point("close the consumer");
        if (!closed && broker.isMember(this)) {
            closed = true;
            List<TopicPartition> owned = List.copyOf(positions.keySet());
            if (!owned.isEmpty()) {
                listener.onPartitionsRevoked(owned);
            }
            simulation.tell(() -> "leaves the group");
            broker.leave(this);
        }
    }

    private static final class Commit {
        private final Map<TopicPartition, OffsetAndMetadata> offsets;
        private final OffsetCommitCallback callback;
        private Exception failure;
        private boolean answered;

        Commit(Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
            this.offsets = new HashMap<>(offsets);
            this.callback = callback;
        }
    }
}
