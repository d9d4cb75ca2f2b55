package dev.onceward.config;

/** What to do with a message whose id was processed before with a different payload. */
public enum IdReuse {
    /** Dead-letter it with reason ID_REUSED (default): nothing is lost silently. */
    DEAD_LETTER,
    /** Count, warn and skip it, for producers whose serialisation is not stable. */
    SKIP
}
