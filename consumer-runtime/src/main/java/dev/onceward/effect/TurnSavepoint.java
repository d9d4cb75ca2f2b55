package dev.onceward.effect;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;

/**
 * Ends the savepoints of a member with its turn. The group shares one transaction: whoever rolled back to a savepoint
 * that an earlier member set would undo the effects of those between, and their claims, which are older, would commit
 * alone.
 *
 * <p>A savepoint of the runtime's own is set in front of a turn's first one and released when the turn ends: by that
 * the server forgets all that were set after it, whatever they are called. Turns without savepoints cost nothing.
 */
final class TurnSavepoint {
    // Nobody can guess it: one that a handler set under the same name would be released in place of this one.
    private static final String NAME =
            "onceward_" + UUID.randomUUID().toString().replace('-', '_');

    private final Connection connection;
    private boolean wanted;
    private boolean set;

    TurnSavepoint(Connection connection) {
        this.connection = connection;
    }

    /** The next statement may set a savepoint. */
    void want() {
        wanted = true;
    }

    /** Whether it is to be set before the next statement. */
    boolean due() {
        return wanted && !set;
    }

    /** Before a statement of the handler's own; what earlier members declared has been sent. */
    void beforeSql() throws SQLException {
        if (due()) {
            run("SAVEPOINT ");
            set = true;
        }
    }

    /** @throws SQLException the handler has released or ended it */
    void end() throws SQLException {
        boolean release = set;
        wanted = false;
        set = false;
        if (release) {
            run("RELEASE SAVEPOINT ");
        }
    }

    private void run(String what) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(what + NAME);
        }
    }
}
