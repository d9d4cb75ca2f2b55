package dev.onceward.dlq.transfer;

import dev.onceward.dlq.index.Letter;
import org.jspecify.annotations.Nullable;

/**
 * What is to become of a letter.
 *
 * @param why for people, where it is a failure
 * @param row the row that is there, where its copy is to be put back
 */
record ImportDecision(
        ImportKind kind, @Nullable String why, @Nullable Letter row) {
    static ImportDecision of(ImportKind kind) {
        return new ImportDecision(kind, null, null);
    }

    static ImportDecision refused(String why) {
        return new ImportDecision(ImportKind.REFUSED, why, null);
    }

    static ImportDecision impossible(String why) {
        return new ImportDecision(ImportKind.IMPOSSIBLE, why, null);
    }
}
