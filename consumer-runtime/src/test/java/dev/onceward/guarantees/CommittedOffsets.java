package dev.onceward.guarantees;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;

/** Watches what a group has committed, all the time, and remembers every step backwards. */
final class CommittedOffsets implements AutoCloseable {
    private final Ledger ledger;
    private final Map<TopicPartition, Long> seen = new HashMap<>(); // the watching thread only
    private final List<String> backwards = new CopyOnWriteArrayList<>();
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();

    CommittedOffsets(Ledger ledger) {
        this.ledger = ledger;
        var unused = thread.scheduleWithFixedDelay(this::look, 0, 10, TimeUnit.MILLISECONDS);
    }

    private void look() {
        try {
            ledger.offsets().forEach((partition, offset) -> {
                Long before = seen.put(partition, offset);
                if (before != null && offset < before) {
                    backwards.add(partition + " from " + before + " to " + offset);
                }
            });
        } catch (RuntimeException e) {
            if (!(e.getCause() instanceof ExecutionException)) { // the coordinator is busy: looked at again
                backwards.add("not watched any more: " + e);
                throw e;
            }
        }
    }

    /** Every time that an offset went backwards so far. */
    List<String> backwards() {
        return backwards;
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
