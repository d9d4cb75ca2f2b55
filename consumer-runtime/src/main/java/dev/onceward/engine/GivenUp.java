package dev.onceward.engine;

import dev.onceward.message.RecordIdentity;
import java.util.Arrays;
import java.util.UUID;

/**
 * The records of a partition that were given up for good: no more of each than tells it from another record under its
 * offset, since there may be very many. Filled in the order of offsets, then only read.
 */
final class GivenUp {
    /** Offset, both halves of the topic id, timestamp, hash. */
    private static final int STRIDE = 5;

    private long[] records = new long[0];
    private int size;

    /** @throws IllegalArgumentException its offset is lower than the one before */
    void add(RecordIdentity record) {
        long offset = record.coordinates().offset();
        if (size > 0 && offset < offset(size - 1)) {
            throw new IllegalArgumentException("offset " + offset + " after " + offset(size - 1));
        }
        int at = size * STRIDE;
        if (at == records.length) {
            records = Arrays.copyOf(records, Math.max(8 * STRIDE, Math.multiplyExact(records.length, 2)));
        }
        UUID topicId = record.topicId();
        records[at] = offset;
        records[at + 1] = topicId.getMostSignificantBits();
        records[at + 2] = topicId.getLeastSignificantBits();
        records[at + 3] = record.timestamp();
        records[at + 4] = record.payloadHash();
        size++;
    }

    /** Whether any record was given up under this offset. */
    boolean mention(long offset) {
        int first = first(offset);
        return first < size && offset(first) == offset;
    }

    /** Whether this very record was given up. */
    boolean contain(RecordIdentity record) {
        long offset = record.coordinates().offset();
        for (int i = first(offset); i < size && offset(i) == offset; i++) {
            int at = i * STRIDE;
            if (records[at + 1] == record.topicId().getMostSignificantBits()
                    && records[at + 2] == record.topicId().getLeastSignificantBits()
                    && records[at + 3] == record.timestamp()
                    && records[at + 4] == record.payloadHash()) {
                return true;
            }
        }
        return false;
    }

    /** The index of the first one at this offset or behind it. */
    private int first(long offset) {
        int low = 0;
        int high = size;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (offset(middle) < offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private long offset(int index) {
        return records[index * STRIDE];
    }
}
