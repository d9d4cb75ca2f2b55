package dev.onceward.position;

/** Where to begin in a partition. */
public sealed interface Start {
    /** Nothing is known of the topic: where the worker is configured to begin. */
    record AsConfigured() implements Start {}

    /**
     * At an offset.
     *
     * @param basis what decided
     * @param wanted the offset that it names, which retention may have passed
     * @param offset the offset to begin at: {@code wanted}, or the oldest that the broker has
     * @param lost offsets that nobody has processed, as far as is known, and that are passed over
     */
    record At(Basis basis, long wanted, long offset, long lost) implements Start {}

    /** What decided. */
    enum Basis {
        /** What Kafka has committed. */
        COMMITTED(false),
        /** Kafka has nothing: the watermark in PostgreSQL. */
        WATERMARK(false),
        /** A partition never seen of a topic that is: it was added later, and all its records came after the start. */
        ADDED_LATER(false),
        /** The topic was made again: what is committed may be of the old one, whatever its number. */
        TOPIC_MADE_AGAIN(true),
        /** Kafka's offset is beyond the end: the watermark, or the oldest record where there is none. */
        WATERMARK_BEFORE_END(true),
        /** The watermark itself is beyond the end: the broker lost the end of its log. */
        LOG_LOST_ITS_END(true),
        /** Kafka's offset is beyond the end, and nothing is stored that could tell what was processed: the end. */
        END(true);

        private final boolean takesBack;

        Basis(boolean takesBack) {
            this.takesBack = takesBack;
        }

        /** Whether Kafka may hold an offset that must not count any more. */
        public boolean takesBack() {
            return takesBack;
        }
    }
}
