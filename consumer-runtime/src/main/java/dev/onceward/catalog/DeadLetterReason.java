package dev.onceward.catalog;

/** Why a message was given up; the names stand in the database, in headers and in metrics and are public API. */
public enum DeadLetterReason {
    /** Key or value could not be deserialised. */
    UNDECODABLE,
    /** No message id, or one that cannot be used. */
    INVALID_ID,
    /** The handler (or SQLSTATE 22xxx of its statements) said that no retry can help. */
    PERMANENT,
    /** Every attempt failed. */
    ATTEMPTS_EXHAUSTED,
    /** The id was processed before with a different payload. */
    ID_REUSED,
    /** Its claim may have been pruned: whether it was processed cannot be told. */
    TOO_OLD,
    /** A record of the replay topic that names no topic this consumer handles. */
    UNROUTABLE,
    /** It was given up, but its record left Kafka before it was published. If the record came back: what it was is unknown. */
    PAYLOAD_LOST
}
