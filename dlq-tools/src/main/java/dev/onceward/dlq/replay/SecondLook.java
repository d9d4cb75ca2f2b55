package dev.onceward.dlq.replay;

import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.dlq.connect.ArrayParameters;
import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.index.Letter;
import dev.onceward.message.RecordIdentity;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Looks at letters once more right before they are sent: a page is read at once and may be sent over hours, with a rate or
 * behind a canary, and operators discard, erase and edit meanwhile. What is ahead is looked at together, and not again
 * within a second: that much may pass between what somebody decides and what this knows of it.
 */
final class SecondLook {
    private static final String NOW = "SELECT k.n, d.status, d.replays, d.edited_payload_hash, d.erased_at IS NOT NULL,"
            + " CASE WHEN d.erased_at IS NOT NULL THEN d.erased_by WHEN d.status = 'DISCARDED' THEN d.discarded_by"
            + " ELSE d.edited_by END"
            + " FROM unnest(?, ?, ?, ?) WITH ORDINALITY AS k(topic, partition, record_offset, topic_id, n)"
            + " JOIN {dead_letters} d ON d.consumer_name = ? AND d.topic = k.topic AND d.partition = k.partition"
            + " AND d.record_offset = k.record_offset AND d.topic_id = k.topic_id";
    private static final int AT_ONCE = 200;
    private static final long FRESH_NANOS = Duration.ofSeconds(1).toNanos();

    private final Connections connections;
    private final String consumer;
    private final Deque<Letter> ahead = new ArrayDeque<>();
    private final Map<RecordIdentity, Changed> changed = new HashMap<>();
    /** How many of those ahead, from the first on, are as they were looked at. */
    private int looked;

    private long lookedAt = System.nanoTime();

    SecondLook(Connections connections, String consumer) {
        this.connections = connections;
        this.consumer = consumer;
    }

    /** These have just been read and come next. */
    void expect(List<Letter> page) {
        ahead.clear();
        ahead.addAll(page);
        changed.clear();
        looked = page.size();
        lookedAt = System.nanoTime();
    }

    /** Somebody was waited for: whatever is known is old. */
    void hasWaited() {
        looked = 0;
    }

    /** What has become of a letter since it was read; {@code null}: it is as it was. */
    @Nullable
    Changed at(Letter letter) throws SQLException {
        Letter first = ahead.peek();
        while (first != null && !first.record().equals(letter.record())) {
            ahead.poll();
            looked--;
            first = ahead.peek();
        }
        if (looked <= 0 || System.nanoTime() - lookedAt >= FRESH_NANOS) {
            look();
        }
        return changed.get(letter.record());
    }

    private void look() throws SQLException {
        List<Letter> letters = ahead.stream().limit(AT_ONCE).toList();
        // Before the answer is made: never older than it is taken for.
        lookedAt = System.nanoTime();
        looked = letters.size();
        changed.clear();
        List<@Nullable Changed> now = now(letters);
        for (int i = 0; i < letters.size(); i++) {
            Letter letter = letters.get(i);
            Changed is = now.get(i);
            if (is == null || !is.isAsRead(letter)) {
                changed.put(letter.record(), is == null ? Changed.gone() : is.since(letter));
            }
        }
    }

    private List<@Nullable Changed> now(List<Letter> letters) throws SQLException {
        List<@Nullable Changed> now = new ArrayList<>();
        letters.forEach(letter -> now.add(null));
        try (PreparedStatement statement = ArrayParameters.prepare(connections, NOW)) {
            ArrayParameters.of(connections, statement, letters)
                    .coordinates(letter -> letter.record().coordinates())
                    .column("uuid", letter -> letter.record().topicId())
                    .text(consumer);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    now.set(
                            row.getInt(1) - 1,
                            new Changed(
                                    DeadLetterStatus.valueOf(row.getString(2)),
                                    row.getInt(3),
                                    row.getObject(4, Long.class),
                                    false,
                                    row.getBoolean(5),
                                    row.getString(6)));
                }
            }
        }
        return now;
    }

    /**
     * A letter as it is now, and not as it was read.
     *
     * @param status as its row says; {@code null}: there is no row any more
     * @param replays how often it was sent again
     * @param editedHash of the payload that was sent in its place; {@code null}: there is none
     * @param edited whether that is new
     * @param erased whether its data were removed
     * @param by who did the latest of these; {@code null}: not known
     */
    record Changed(
            @Nullable DeadLetterStatus status,
            int replays,
            @Nullable Long editedHash,
            boolean edited,
            boolean erased,
            @Nullable String by) {
        private static Changed gone() {
            return new Changed(null, 0, null, false, false, null);
        }

        private boolean isAsRead(Letter letter) {
            return status == letter.stored()
                    && replays == letter.history().replays()
                    && Objects.equals(editedHash, letter.history().editedPayloadHash())
                    && erased == (letter.history().erasedAt() != null);
        }

        private Changed since(Letter letter) {
            boolean hashIsNew = !Objects.equals(editedHash, letter.history().editedPayloadHash());
            return new Changed(status, replays, editedHash, hashIsNew, erased, by);
        }

        /** Whether somebody else's replay has sent the same, or it took effect: nothing is left to do. */
        boolean isDone() {
            return !edited && !erased && (status == DeadLetterStatus.REPLAYED || status == DeadLetterStatus.RESOLVED);
        }

        /** Whether it still waits for somebody, so that later ones of its key must not overtake it. */
        boolean isOpen() {
            return status == DeadLetterStatus.DEAD || status == DeadLetterStatus.PENDING;
        }

        /** Why it is not sent. */
        String why() {
            String who = by == null ? "" : " by " + by;
            if (status == null) {
                return "it has changed since it was read: its row is not there any more";
            }
            if (erased) {
                return "it has changed since it was read: its data were erased" + who;
            }
            if (status == DeadLetterStatus.DISCARDED) {
                return "it has changed since it was read: it was discarded" + who;
            }
            return edited
                    ? "it has changed since it was read: another payload was sent in its place, or may have been," + who
                    : "it has changed since it was read: it is " + status + "; look at it with dlq show";
        }
    }
}
