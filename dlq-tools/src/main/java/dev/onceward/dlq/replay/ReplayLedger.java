package dev.onceward.dlq.replay;

import dev.onceward.dlq.index.Letter;
import dev.onceward.dlq.output.People;
import dev.onceward.dlq.output.Progress;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Marks what was acknowledged, many at once, and keeps what is to be followed. */
final class ReplayLedger {
    private static final int MARK_AT_ONCE = 500;
    private static final long MARK_NANOS = Duration.ofSeconds(1).toNanos();

    private final ReplayMarks marks;
    private final LetterFeed feed;
    private final Progress progress;
    private final boolean follows;
    private final List<ReplaySender.Acknowledged> unmarked = new ArrayList<>();
    private final Map<Sent.Place, Sent.Place> places = new HashMap<>();
    private List<Sent> toFollow = new ArrayList<>();
    private long lastMark = System.nanoTime();
    private long sent;
    private long decidedByOthers;

    ReplayLedger(ReplayMarks marks, LetterFeed feed, Progress progress, boolean follows) {
        this.marks = marks;
        this.feed = feed;
        this.progress = progress;
        this.follows = follows;
    }

    /** Marks what is acknowledged, if that is enough by now, or was long ago. */
    void markIfDue(ReplaySender sender) throws SQLException {
        if (System.nanoTime() - lastMark >= MARK_NANOS || sender.waiting() >= MARK_AT_ONCE) {
            mark(sender);
        }
    }

    /** Marks all that is acknowledged. */
    void mark(ReplaySender sender) throws SQLException {
        unmarked.addAll(sender.acknowledged());
        lastMark = System.nanoTime();
        if (unmarked.isEmpty()) {
            return;
        }
        List<Letter> letters =
                unmarked.stream().map(ReplaySender.Acknowledged::letter).toList();
        try {
            decidedByOthers += letters.size() - marks.mark(letters);
        } catch (SQLException e) {
            progress.say("dlq: " + People.count(letters.size(), "message") + " sent could not be marked as replayed."
                    + " Run the same command again: they are sent once more, and take effect once");
            throw e;
        }
        sent += letters.size();
        letters.forEach(feed::marked);
        if (follows) {
            unmarked.forEach(this::follow);
        }
        unmarked.clear();
    }

    private void follow(ReplaySender.Acknowledged acknowledged) {
        Letter letter = acknowledged.letter();
        toFollow.add(new Sent(
                places.computeIfAbsent(Sent.Place.of(letter), place -> place),
                letter.record().coordinates().offset(),
                letter.origin().coordinates().offset(),
                letter.messageId() != null,
                acknowledged.partition(),
                acknowledged.offset()));
    }

    /** How many are acknowledged, and marked unless somebody else had decided about them. */
    long sent() {
        return sent;
    }

    /** How many of those were discarded or replayed by somebody else before they could be marked. */
    long decidedByOthers() {
        return decidedByOthers;
    }

    /** What was marked since the last call. */
    List<Sent> takeToFollow() {
        List<Sent> taken = toFollow;
        toFollow = new ArrayList<>();
        return taken;
    }
}
