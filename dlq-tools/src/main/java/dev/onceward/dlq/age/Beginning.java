package dev.onceward.dlq.age;

import dev.onceward.dlq.output.People;
import dev.onceward.position.Known;
import dev.onceward.position.Start;
import dev.onceward.position.StartRule;

/**
 * Where a worker would begin in a partition, by the runtime's own rule, as far as it can be known without the worker's
 * settings.
 *
 * @param offset where; {@link #UNKNOWN}: only the workers know
 * @param note what there is to say about it
 */
record Beginning(long offset, String note) {
    static final long UNKNOWN = -1;

    static Beginning of(Known known) {
        if (StartRule.choose(known) instanceof Start.At at) {
            return new Beginning(at.offset(), note(at));
        }
        // Wherever workers are told to begin, in an empty partition it is the same.
        return known.earliest() == known.end()
                ? new Beginning(known.earliest(), "never committed: from the beginning")
                : new Beginning(UNKNOWN, "unknown: never committed, and only the workers' settings say where to begin");
    }

    private static String note(Start.At at) {
        return switch (at.basis()) {
            case COMMITTED -> orLost(at, "");
            case WATERMARK -> orLost(at, "no committed offset: from the stored watermark");
            case ADDED_LATER -> "never committed: from the beginning";
            case TOPIC_MADE_AGAIN -> "the topic was made again: from its beginning";
            case WATERMARK_BEFORE_END -> orLost(at, "committed beyond the end: from the stored watermark");
            case LOG_LOST_ITS_END -> "the broker lost the end of its log: from the end";
            case END -> "committed beyond the end: from the end";
        };
    }

    private static String orLost(Start.At at, String note) {
        return at.lost() == 0 ? note : People.count(at.lost(), "offset") + " gone by retention, never processed";
    }
}
