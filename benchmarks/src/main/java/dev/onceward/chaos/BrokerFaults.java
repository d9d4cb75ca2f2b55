package dev.onceward.chaos;

import dev.onceward.testsupport.ChildKafka;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;

/** What befalls the brokers. Each waits at its end until all replicas are in sync: the next may take another broker away. */
final class BrokerFaults {
    private static final int MOST_PARTITIONS = 24;
    private static final int SECONDS = 60;

    private BrokerFaults() {}

    static void kill(World world, Random random) throws InterruptedException {
        ChildKafka broker = broker(world, random);
        broker.kill();
        Pause.between(0, 5_000, random);
        broker.restart();
        world.awaitInSync();
    }

    static void freeze(World world, Random random) throws InterruptedException {
        ChildKafka broker = broker(world, random);
        broker.freeze();
        try {
            Pause.between(1_000, 10_000, random);
        } finally {
            broker.unfreeze();
        }
        world.awaitInSync();
    }

    static void restart(World world, Random random) throws InterruptedException {
        ChildKafka broker = broker(world, random);
        broker.stop();
        Pause.between(0, 3_000, random);
        broker.restart();
        world.awaitInSync();
    }

    /** The replicas of each partition in another order, and the first of them elected. */
    static void moveLeaders(World world, Random random)
            throws InterruptedException, ExecutionException, TimeoutException {
        Admin admin = world.servers().admin();
        Map<TopicPartition, Optional<NewPartitionReassignment>> order = new HashMap<>();
        for (TopicPartitionInfo partition : world.partitions()) {
            List<Integer> replicas = new ArrayList<>();
            partition.replicas().forEach(replica -> replicas.add(replica.id()));
            Collections.shuffle(replicas, random);
            order.put(
                    new TopicPartition(World.TOPIC, partition.partition()),
                    Optional.of(new NewPartitionReassignment(replicas)));
        }
        admin.alterPartitionReassignments(order).all().get(SECONDS, TimeUnit.SECONDS);
        Set<TopicPartition> all = order.keySet();
        admin.electLeaders(ElectionType.PREFERRED, all).partitions().get(SECONDS, TimeUnit.SECONDS);
        world.awaitInSync();
    }

    static void addPartitions(World world, Random random)
            throws InterruptedException, ExecutionException, TimeoutException, MissedException {
        int now = world.partitions().size();
        if (now >= MOST_PARTITIONS) {
            throw new MissedException("the topic has as many as it may");
        }
        int more = Math.min(MOST_PARTITIONS, now + 1 + random.nextInt(2));
        world.servers()
                .admin()
                .createPartitions(Map.of(World.TOPIC, NewPartitions.increaseTo(more)))
                .all()
                .get(SECONDS, TimeUnit.SECONDS);
    }

    private static ChildKafka broker(World world, Random random) {
        List<ChildKafka> brokers = world.servers().kafka().brokers();
        return brokers.get(random.nextInt(brokers.size()));
    }
}
