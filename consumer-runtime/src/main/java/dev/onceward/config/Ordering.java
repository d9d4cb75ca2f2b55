package dev.onceward.config;

/** Which messages of a partition take effect in offset order. */
public enum Ordering {
    /** Messages with the same Kafka key (default). Messages without a key are not ordered. */
    KEY,
    /** All messages of the partition. */
    PARTITION,
    /** None. */
    UNORDERED
}
