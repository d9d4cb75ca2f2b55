package dev.onceward.engine;

/** What can be broken in the model on purpose, so that it is seen whether a simulation finds that. */
enum Bug {
    NONE(""),
    /** Fenced transactions of any generation commit. */
    GENERATION_NOT_CHECKED("under generation"),
    /** A takeover does not wait for those who work on the partition. */
    TAKEOVER_WITHOUT_LOCK("under generation"),
    /** A lost answer of COMMIT is taken for a failure of a message. */
    UNKNOWN_COMMIT_COUNTS("is counted for"),
    /** Claims are committed before their effects. */
    CLAIM_OUTSIDE("past"),
    /** Duplicates are told by nothing. */
    CLAIM_IGNORED("two effects"),
    /** A dead letter counts as published when it was handed to the producer. */
    ACK_NOT_AWAITED("a copy that is not there"),
    /** What a record was given up for is not read at a takeover. */
    GIVEN_UP_FORGOTTEN("given up"),
    /** A message whose handler threw counts as done. */
    OFFSET_COMPLETED_ON_EXCEPTION("past"),
    /** Offsets are taken that were sent before their partitions were given back. */
    BROKER_TAKES_LATE_OFFSETS("goes back"),
    /** A heartbeat stores more than is finished. */
    WATERMARK_AHEAD("the stored watermark");

    private final String seenAs;

    Bug(String seenAs) {
        this.seenAs = seenAs;
    }

    String seenAs() {
        return seenAs;
    }
}
