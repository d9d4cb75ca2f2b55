package dev.onceward.chaos;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * Watches how far the group is behind, by what is committed in Kafka, and whether it gets on at all: the steady state that
 * every fault must leave behind.
 */
final class Lag implements AutoCloseable {
    private static final long PAUSE_MILLIS = 1_000;
    private static final int SECONDS = 10;
    /** Longer than any fault lasts, with what has to expire after it. */
    private static final long STALL_NANOS = Duration.ofMinutes(2).toNanos();

    private final World world;
    private final Thread thread = new Thread(this::run, "chaos-lag");
    private volatile long waiting = -1;
    private volatile long finished;
    private volatile long moved = System.nanoTime();
    private volatile boolean closed;

    Lag(World world) {
        this.world = world;
        thread.start();
    }

    /** How many offsets wait; -1: not known yet. */
    long waiting() {
        return waiting;
    }

    /** How many offsets are committed. */
    long finished() {
        return finished;
    }

    /** Whether messages have waited for long and none was finished. */
    boolean stalled() {
        return System.nanoTime() - moved > STALL_NANOS;
    }

    private void run() {
        while (!closed) {
            try {
                look();
                Thread.sleep(PAUSE_MILLIS);
            } catch (ExecutionException | TimeoutException | KafkaException e) {
                // A broker is hurt. If none answers for long, that is a stall.
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void look() throws InterruptedException, ExecutionException, TimeoutException {
        Admin admin = world.servers().admin();
        Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
        world.partitions()
                .forEach(partition ->
                        latest.put(new TopicPartition(World.TOPIC, partition.partition()), OffsetSpec.latest()));
        Map<TopicPartition, OffsetAndMetadata> committed = admin.listConsumerGroupOffsets(World.CONSUMER)
                .partitionsToOffsetAndMetadata()
                .get(SECONDS, TimeUnit.SECONDS);
        var ends = admin.listOffsets(latest).all().get(SECONDS, TimeUnit.SECONDS);
        long done = 0;
        long left = 0;
        for (var end : ends.entrySet()) {
            OffsetAndMetadata offset = committed.get(end.getKey());
            long position = offset == null ? 0 : offset.offset();
            done += position;
            left += end.getValue().offset() - position;
        }
        if (done > finished || left == 0) {
            moved = System.nanoTime();
        }
        finished = done;
        waiting = left;
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }
}
