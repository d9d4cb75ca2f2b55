package dev.onceward.engine;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * What of a partition has been delivered and is not finished, and from it the watermark: the lowest unfinished offset,
 * or where the next fetch begins if everything is finished.
 *
 * <p>It follows the offsets that were delivered, in their order, so gaps (compaction, transaction markers, aborted
 * transactions) do not stop it. Finished records leave it at once, also ahead of an unfinished one: a commit needs only
 * the watermark, since the claims make the redelivery of finished messages harmless. Its memory is therefore bounded by
 * what is in flight. Thread-safe.
 */
final class OffsetWindow {
    // Insertion order is offset order: Kafka delivers a partition in order.
    private final Map<Long, Entry> unfinished = new LinkedHashMap<>();
    private long nextFetch;
    private long bytes;

    /** @param nextFetch where fetching begins */
    OffsetWindow(long nextFetch) {
        this.nextFetch = nextFetch;
    }

    /** A record was delivered; offsets only grow. */
    synchronized void register(long offset, long timestamp, int size) {
        if (offset < nextFetch) {
            throw new IllegalArgumentException("offset " + offset + " delivered after " + (nextFetch - 1));
        }
        unfinished.put(offset, new Entry(timestamp, size));
        nextFetch = offset + 1;
        bytes += size;
    }

    /** The record is finished; a second time changes nothing. */
    synchronized void complete(long offset) {
        Entry entry = unfinished.remove(offset);
        if (entry != null) {
            bytes -= entry.size;
        }
    }

    /** The consumer fetches from here next: what lies between holds no record for us. Never backwards. */
    synchronized void advance(long position) {
        nextFetch = Math.max(nextFetch, position);
    }

    /** The offset to commit. */
    synchronized long watermark() {
        return unfinished.isEmpty() ? nextFetch : unfinished.keySet().iterator().next();
    }

    /** Where fetching goes on. */
    synchronized long nextFetch() {
        return nextFetch;
    }

    /** Timestamp of the record at the watermark; empty when nothing waits. */
    synchronized OptionalLong oldestTimestamp() {
        return unfinished.isEmpty()
                ? OptionalLong.empty()
                : OptionalLong.of(unfinished.values().iterator().next().timestamp);
    }

    synchronized int size() {
        return unfinished.size();
    }

    synchronized long bytes() {
        return bytes;
    }

    private record Entry(long timestamp, int size) {}
}
