package dev.onceward.effect;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One declared update.
 *
 * @param member the member of the group that declared it
 * @param text the statement
 * @param arguments ready to be handed to the driver
 * @param expectedRows {@link #ANY} or the number of rows it must touch
 */
record DeclaredUpdate(int member, SqlText text, List<@Nullable Object> arguments, int expectedRows) {

    /** Any number of rows will do. */
    static final int ANY = -1;

    /** As it is sent: among other texts an escape of JDBC that does not end would reach into the next. */
    String sql() {
        return text.sent();
    }

    boolean expects() {
        return expectedRows != ANY;
    }
}
