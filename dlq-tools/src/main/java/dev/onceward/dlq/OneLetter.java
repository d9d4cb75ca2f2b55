package dev.onceward.dlq;

import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.dlq.exit.UsageException;
import dev.onceward.dlq.index.Filter;
import dev.onceward.dlq.index.Letter;
import dev.onceward.dlq.index.LetterSource;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The one dead letter that an id means, and never one of several. */
final class OneLetter {
    private static final int CANDIDATES = 20;

    private OneLetter() {}

    /**
     * Looks it up.
     *
     * @param consumer only this one's
     * @throws UsageException there is none, or the id means several: the message lists them
     */
    static Letter of(LetterSource source, String id, @Nullable String consumer) throws SQLException {
        Filter filter = new Filter(
                consumer,
                List.of(id),
                List.of(),
                List.of(),
                List.of(),
                null,
                null,
                null,
                EnumSet.allOf(DeadLetterStatus.class));
        List<Letter> found = new ArrayList<>();
        source.list(filter, CANDIDATES + 1L, found::add);
        if (found.isEmpty()) {
            throw new UsageException("there is no dead letter " + id
                    + (consumer == null ? "" : " of consumer " + consumer)
                    + (source.knowsStatus() ? "; dlq list --status all lists all" : " in the dead-letter topic"));
        }
        if (found.size() > 1) {
            StringBuilder message = new StringBuilder("several dead letters are meant by " + id + ":");
            found.stream()
                    .limit(CANDIDATES)
                    .forEach(letter -> message.append("\n  ")
                            .append(letter.name())
                            .append("  --consumer ")
                            .append(letter.consumer())
                            .append(source.knowsStatus() ? "  " + letter.status() : ""));
            throw new UsageException(message + (found.size() > CANDIDATES ? "\n  …" : "") + "\nName one of them");
        }
        return found.get(0);
    }
}
