package dev.onceward.dlq.transfer;

import java.util.Map;
import java.util.stream.Collectors;

/**
 * What an import did, or would do.
 *
 * @param kinds how many letters of each kind; none is 0
 * @param complete whether the file has its end, and as many letters as it says
 * @param interrupted whether it was stopped
 * @param detail the first failures, for people
 */
public record ImportResult(Map<ImportKind, Long> kinds, boolean complete, boolean interrupted, String detail) {
    /** How many were written. */
    public long done() {
        return kinds.entrySet().stream()
                .filter(kind -> kind.getKey().isDone())
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /** How many could not be. */
    public long failed() {
        return kinds.entrySet().stream()
                .filter(kind -> kind.getKey().isFailure())
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /** Whether nothing was written, and only because it would have been wrong. */
    public boolean onlyRefused() {
        long refused = kinds.getOrDefault(ImportKind.REFUSED, 0L);
        return done() == 0 && refused > 0 && refused == failed() && !interrupted;
    }

    /** {@code 2 added, 1 there already}. */
    @Override
    public String toString() {
        return kinds.isEmpty()
                ? "no letters"
                : kinds.entrySet().stream()
                        .map(kind -> kind.getValue() + " " + kind.getKey())
                        .collect(Collectors.joining(", "));
    }
}
