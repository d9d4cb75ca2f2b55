package dev.onceward.config;

import java.time.Instant;

/**
 * Where to begin in a topic that this consumer has never seen: neither in Kafka nor in PostgreSQL. A partition that is added
 * to a known topic begins at its first record.
 */
public sealed interface StartPosition {

    /** The oldest record still there (default). */
    static StartPosition earliest() {
        return new Earliest();
    }

    /** Only records written after the first worker met the topic. */
    static StartPosition latest() {
        return new Latest();
    }

    /** The first record with this timestamp or a later one; the end if there is none. */
    static StartPosition at(Instant timestamp) {
        return new At(timestamp);
    }

    /** The oldest record still there. */
    record Earliest() implements StartPosition {}

    /** The end of the partition. */
    record Latest() implements StartPosition {}

    /**
     * The first record of a time or later.
     *
     * @param timestamp of the first record wanted
     */
    record At(Instant timestamp) implements StartPosition {}
}
