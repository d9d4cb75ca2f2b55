package dev.onceward.dlq.erase;

import dev.onceward.dlq.index.Letter;
import java.util.List;

/**
 * A letter that is to be erased, with every row of its message.
 *
 * @param letter the letter
 * @param rows all rows of its origin, in the order of their keys
 */
public record ErasedLetter(Letter letter, List<ErasableRow> rows) {
    /** Whether nothing is left to erase in the database. */
    public boolean isDone() {
        return rows.stream().allMatch(ErasableRow::erased);
    }

    /** What a later look must find again, or something has come in between. */
    boolean hasRowsOf(ErasedLetter other) {
        return places().equals(other.places());
    }

    private List<List<Object>> places() {
        return rows.stream()
                .map(row -> List.<Object>of(row.record(), row.topicId(), String.valueOf(row.copy())))
                .toList();
    }
}
