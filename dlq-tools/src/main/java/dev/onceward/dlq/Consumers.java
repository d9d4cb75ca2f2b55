package dev.onceward.dlq;

import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.exit.UsageException;
import dev.onceward.dlq.index.LetterSource;
import java.sql.SQLException;
import java.util.List;

/** Which consumer a command is to act on: one, and never by guessing. */
final class Consumers {
    private Consumers() {}

    static String only(Connections connections, LetterSource source) throws SQLException {
        List<String> known = source.consumers();
        String asked = connections.consumer().orElse(null);
        if (asked == null && known.size() == 1) {
            return known.get(0);
        }
        if (asked == null) {
            throw new UsageException(
                    known.isEmpty()
                            ? "no worker has ever started with this database and schema"
                            : "--consumer: say which; there are: " + String.join(", ", known));
        }
        if (!known.contains(asked)) {
            throw new UsageException("--consumer: there is no " + asked + "; there are: " + String.join(", ", known));
        }
        return asked;
    }
}
