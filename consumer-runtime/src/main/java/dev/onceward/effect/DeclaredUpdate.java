package dev.onceward.effect;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One declared update.
 *
 * @param member the member of the group that declared it
 * @param sql as the handler wrote it
 * @param text what it consists of
 * @param arguments ready to be handed to the driver
 * @param expectedRows {@link #ANY} or the number of rows it must touch
 */
record DeclaredUpdate(int member, String sql, SqlText text, List<@Nullable Object> arguments, int expectedRows) {

    /** Any number of rows will do. */
    static final int ANY = -1;

    boolean expects() {
        return expectedRows != ANY;
    }
}
