package dev.onceward.engine;

import dev.onceward.catalog.EventNames;
import dev.onceward.failure.Backoff;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.LongSupplier;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts how often partitions that Kafka assigns here were taken over by others. Once can be a late takeover; several
 * times a minute means that two owners fight: two groups under one consumer name, or an operator evicting.
 */
final class Fencings {
    private static final Logger LOG = LoggerFactory.getLogger(Fencings.class);
    private static final long MINUTE_NANOS = Duration.ofMinutes(1).toNanos();
    private static final int SEVERAL = 3;

    private final Deque<Long> lately = new ArrayDeque<>();
    private final Backoff backoff;
    private final LongSupplier nanoTime;

    Fencings(Backoff backoff, LongSupplier nanoTime) {
        this.backoff = backoff;
        this.nanoTime = nanoTime;
    }

    /** One more; returns how long to wait before the partition is taken over again. */
    synchronized Duration next(TopicPartition partition) {
        forgetOld();
        lately.addLast(nanoTime.getAsLong());
        if (lately.size() == SEVERAL) {
            LOG.atError()
                    .addKeyValue(EventNames.KEY, EventNames.TWO_OWNERS)
                    .addKeyValue("partition", partition)
                    .log("Partitions assigned to this worker are taken over by others again and again:"
                            + " is the consumer name used by two groups?");
        }
        return backoff.next(lately.size());
    }

    /** Whether two owners seem to fight. */
    synchronized boolean twoOwners() {
        forgetOld();
        return lately.size() >= SEVERAL;
    }

    private void forgetOld() {
        while (!lately.isEmpty() && nanoTime.getAsLong() - lately.getFirst() > MINUTE_NANOS) {
            lately.removeFirst();
        }
    }
}
