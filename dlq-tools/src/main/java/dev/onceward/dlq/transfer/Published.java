package dev.onceward.dlq.transfer;

import dev.onceward.dlq.index.Letter;
import dev.onceward.handler.Coordinates;
import java.util.Objects;

/**
 * A letter whose copy the broker has acknowledged.
 *
 * @param decision what is to be recorded
 * @param place of the copy
 */
record Published(FileLetter item, ImportDecision decision, Coordinates place) {
    Letter letter() {
        return item.letter();
    }

    /** Whether its row is there, and only the copy was gone. */
    boolean isKnown() {
        return decision.row() != null;
    }

    /** The row whose copy was gone. */
    Letter row() {
        return Objects.requireNonNull(decision.row());
    }
}
