package dev.onceward.dlq.transfer;

import dev.onceward.dlq.index.Letter;
import org.jspecify.annotations.Nullable;

/**
 * What is to become of a letter.
 *
 * @param why for people, where it is a failure
 * @param row the row that is there, where its copy is to be put back
 */
record Fate(ImportKind kind, @Nullable String why, @Nullable Letter row) {
    static Fate of(ImportKind kind) {
        return new Fate(kind, null, null);
    }

    static Fate refused(String why) {
        return new Fate(ImportKind.REFUSED, why, null);
    }

    static Fate impossible(String why) {
        return new Fate(ImportKind.IMPOSSIBLE, why, null);
    }
}
