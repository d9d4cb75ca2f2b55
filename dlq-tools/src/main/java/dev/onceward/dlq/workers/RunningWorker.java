package dev.onceward.dlq.workers;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A worker that has a row of its own, or that still owns partitions. Ages are by the database's clock.
 *
 * @param consumer the consumer's name
 * @param id the worker's id
 * @param host where it runs; null: it has no row any more
 * @param version of the library; null: as above
 * @param startedAt by the database's clock; null: as above
 * @param heartbeatAge since its last heartbeat; null: as above
 * @param lease a heartbeat older than this is stale; null: as above
 * @param partitions what it owns, by topic and partition
 */
public record RunningWorker(
        String consumer,
        String id,
        @Nullable String host,
        @Nullable String version,
        @Nullable Instant startedAt,
        @Nullable Duration heartbeatAge,
        @Nullable Duration lease,
        List<OwnedPartition> partitions) {
    /** When the row of one that died goes, for messages. */
    public static final String ROW_GOES = "a worker of the consumer removes its row a day after its last heartbeat";

    /** Whether it has not been heard of for longer than its lease, or has gone without giving its partitions back. */
    public boolean stale() {
        return heartbeatAge == null || lease == null || heartbeatAge.compareTo(lease) > 0;
    }

    /**
     * A partition with the generation that its owner has.
     *
     * @param fenceKey second half of the key of its advisory lock
     */
    public record OwnedPartition(String topic, int partition, int fenceKey, long generation) {
        /** {@code payments/3 (generation 7)}. */
        @Override
        public String toString() {
            return topic + "/" + partition + " (generation " + generation + ")";
        }
    }
}
