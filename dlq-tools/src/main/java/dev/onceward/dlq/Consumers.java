package dev.onceward.dlq;

import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.exit.UsageException;
import dev.onceward.dlq.index.LetterSource;
import java.sql.SQLException;
import java.util.List;

/** Which consumer a command is to act on: one, and never by guessing. */
final class Consumers {
    private static final String NONE = "no worker has ever started with this database and schema";

    private Consumers() {}

    /**
     * Checks that there is the consumer that was named, if one was.
     *
     * @throws UsageException there is none: an empty list of its dead letters would be taken for good news
     */
    static void check(Connections connections, LetterSource source) throws SQLException {
        String asked = connections.consumer().orElse(null);
        if (asked != null) {
            check(asked, source.consumers());
        }
    }

    static String only(Connections connections, LetterSource source) throws SQLException {
        List<String> known = source.consumers();
        String asked = connections.consumer().orElse(null);
        if (asked == null && known.size() == 1) {
            return known.get(0);
        }
        if (asked == null) {
            throw new UsageException(
                    known.isEmpty() ? NONE : "--consumer: say which; there are: " + String.join(", ", known));
        }
        check(asked, known);
        return asked;
    }

    private static void check(String asked, List<String> known) {
        if (!known.contains(asked)) {
            throw new UsageException("--consumer: there is no " + asked
                    + (known.isEmpty() ? "; " + NONE : "; there are: " + String.join(", ", known)));
        }
    }
}
