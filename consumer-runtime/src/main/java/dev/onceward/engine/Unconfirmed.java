package dev.onceward.engine;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Fetched records of a partition that may come from a topic made again under its name: they wait until its id was looked at
 * after they were fetched. Each look is named by the count of {@link MetadataUpdates} before it. Poll thread only.
 */
final class Unconfirmed {
    private final Deque<ConsumerRecord<byte[], byte[]>> records = new ArrayDeque<>();
    private int confirmed;
    private int held;

    /** Whether records fetched now are of the topic that was looked at. */
    boolean confirmed(int update) {
        return update == confirmed;
    }

    void hold(List<ConsumerRecord<byte[], byte[]>> fetched, int update) {
        records.addAll(fetched);
        held = update;
    }

    /** The topic was the same after this update: gives what that says about, nothing if an update came since. */
    List<ConsumerRecord<byte[], byte[]>> release(int update) {
        if (update != held) {
            return List.of();
        }
        confirmed = update;
        List<ConsumerRecord<byte[], byte[]>> released = List.copyOf(records);
        records.clear();
        return released;
    }

    void clear() {
        records.clear();
    }
}
