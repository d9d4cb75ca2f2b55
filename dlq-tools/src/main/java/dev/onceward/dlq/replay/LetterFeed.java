package dev.onceward.dlq.replay;

import dev.onceward.dlq.index.Filter;
import dev.onceward.dlq.index.Letter;
import dev.onceward.dlq.index.LetterSource;
import dev.onceward.message.RecordIdentity;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The letters of a run in their original order, a page at a time, from the first on that is not decided.
 *
 * <p>A letter is decided when it is acknowledged and its row has been marked, or when it is left out. What lies from the
 * first undecided one on is remembered, and nothing before it: {@link #beginAgain} goes back there, however long the run
 * has been. Of what comes again then, acknowledged letters are not selected any more, and those left out are passed over.
 * So memory and the way back are bounded by {@link #WINDOW}, if whoever takes letters lets them be decided when it
 * {@link #isFull}.
 */
final class LetterFeed {
    static final int WINDOW = 5_000;
    private static final int PAGE = 500;

    private final LetterSource index;
    private final Filter filter;
    private final Instant asOf;
    private final Consumer<List<Letter>> announced;
    private final Deque<Letter> page = new ArrayDeque<>();
    private final Deque<Letter> taken = new ArrayDeque<>();
    private final Set<RecordIdentity> marked = new HashSet<>();
    private final Set<RecordIdentity> leftOut = new HashSet<>();
    /** The last one before those taken; {@code null}: there is none. */
    private @Nullable Letter decided;

    private @Nullable Letter cursor;

    /**
     * Of what existed at an instant of the index's clock.
     *
     * @param announced told of each page before it is given
     */
    LetterFeed(LetterSource index, Filter filter, Instant asOf, Consumer<List<Letter>> announced) {
        this.index = index;
        this.filter = filter;
        this.asOf = asOf;
        this.announced = announced;
    }

    /** The next one; {@code null}: there is none. */
    @Nullable
    Letter next() throws SQLException {
        while (true) {
            if (page.isEmpty()) {
                List<Letter> letters = index.page(filter, asOf, cursor, PAGE);
                announced.accept(letters);
                page.addAll(letters);
            }
            Letter letter = page.poll();
            if (letter == null) {
                return null;
            }
            cursor = letter;
            taken.add(letter);
            if (!leftOut.contains(letter.record())) {
                return letter;
            }
            forget();
        }
    }

    /** It is acknowledged, and its row has been marked. */
    void marked(Letter letter) {
        marked.add(letter.record());
        forget();
    }

    /** It is not sent by this run. */
    void leftOut(Letter letter) {
        leftOut.add(letter.record());
        forget();
    }

    /** Whether more may be taken only when some of those taken are decided. */
    boolean isFull() {
        return taken.size() >= WINDOW;
    }

    /** Goes back to the first letter that is not decided. */
    void beginAgain() {
        cursor = decided;
        page.clear();
        taken.clear();
        marked.clear();
    }

    private void forget() {
        for (Letter first = taken.peek(); first != null; first = taken.peek()) {
            if (!marked.remove(first.record()) && !leftOut.remove(first.record())) {
                return;
            }
            decided = taken.poll();
        }
    }
}
