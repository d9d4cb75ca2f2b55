package dev.onceward.dlq.index;

import dev.onceward.dlq.exit.UsageException;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Where dead letters are looked up: one letter per message that failed. Reads only. For one thread. */
public interface LetterSource {
    /** Whether the status of its letters is known; if not, they say DEAD and nobody knows what became of them. */
    boolean knowsStatus();

    /** Now, by the clock that the letters' ages are told by. */
    Instant now() throws SQLException;

    /** Hands over the letters, newest first, at most {@code limit}; keeps none of them. */
    void list(Filter filter, long limit, Consumer<Letter> taker) throws SQLException;

    /** How many there are. */
    long count(Filter filter) throws SQLException;

    /** How many {@link #page} would give in all. */
    long count(Filter filter, Instant asOf) throws SQLException;

    /**
     * The next letters in their original order: by topic, partition and offset of the records that first failed.
     *
     * @param asOf only what was in the dead-letter topic at this instant of the source's clock, and has not been replayed
     *     since
     * @param after the last letter of the page before; {@code null}: from the beginning
     */
    List<Letter> page(Filter filter, Instant asOf, @Nullable Letter after, int size) throws SQLException;

    /** The stack traces of letters, in their order; empty where there is none. */
    List<String> stacktraces(List<Letter> letters) throws SQLException;

    /** The stack trace of a letter; empty if there is none. */
    default String stacktrace(Letter letter) throws SQLException {
        return stacktraces(List.of(letter)).get(0);
    }

    /**
     * The consumers whose letters may be here.
     *
     * @throws UsageException nobody knows them, and none was named
     */
    List<String> consumers() throws SQLException;
}
