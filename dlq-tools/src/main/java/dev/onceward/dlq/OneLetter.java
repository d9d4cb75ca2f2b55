package dev.onceward.dlq;

import dev.onceward.dlq.exit.UsageException;
import dev.onceward.dlq.index.Filter;
import dev.onceward.dlq.index.Letter;
import dev.onceward.dlq.index.LetterSource;
import dev.onceward.dlq.output.Printable;
import java.sql.SQLException;
import java.util.ArrayList;
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
        List<Letter> found = new ArrayList<>();
        source.list(Filter.named(consumer, List.of(id)), CANDIDATES + 1L, found::add);
        if (found.stream().anyMatch(letter -> isNamed(letter, id))) {
            // As the database does it: a name is not taken for the message id of another one.
            found.removeIf(letter -> !isNamed(letter, id));
        }
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
                            .append(letter.messageId() == null ? "" : "  " + Printable.line(letter.messageId()))
                            .append("  --consumer ")
                            .append(letter.consumer())
                            .append(source.knowsStatus() ? "  " + letter.status() : ""));
            throw new UsageException(message + (found.size() > CANDIDATES ? "\n  …" : "") + "\nName one of them");
        }
        return found.get(0);
    }

    private static boolean isNamed(Letter letter, String id) {
        return Filter.isAt(id, letter.origin().coordinates());
    }
}
