package dev.onceward.dlq.transfer;

import dev.onceward.dlq.index.Letter;
import dev.onceward.handler.Coordinates;
import java.util.Objects;

/**
 * A letter whose copy the broker has acknowledged.
 *
 * @param fate what is to be recorded
 * @param place of the copy
 */
record Published(Item item, Fate fate, Coordinates place) {
    Letter letter() {
        return item.letter();
    }

    /** The row whose copy was gone. */
    Letter row() {
        return Objects.requireNonNull(fate.row());
    }
}
