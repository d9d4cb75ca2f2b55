package dev.onceward.dlq.replay;

import dev.onceward.dlq.connect.CannotConnectException;
import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.exit.Stop;
import dev.onceward.dlq.index.Letter;
import dev.onceward.dlq.output.Progress;
import dev.onceward.message.RecordIdentity;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Sends what the feed has and admission lets through: in passes, each over a producer of its own. A pass ends at the first
 * failure of an acknowledgement, and the next one begins again behind what is marked.
 *
 * <p>A batch fails as a whole, so the record that is reported need not be at fault. It is sent alone the next time, with
 * nothing else under way; if it fails then, it is the record, and the pass goes on without it.
 */
final class ReplayPasses {
    private final Connections connections;
    private final LetterFeed feed;
    private final Admission admission;
    private final ReplayLedger ledger;
    private final Rate rate;
    private final Stop stop;
    private final Progress progress;
    private final String topic;
    /** Few: one is added by each pass that fails, and goes when it is sent alone. */
    private final Set<RecordIdentity> suspects = new HashSet<>();

    private ReplayResult.@Nullable Aborted aborted;

    ReplayPasses(
            Connections connections,
            LetterFeed feed,
            Admission admission,
            ReplayLedger ledger,
            Rate rate,
            Stop stop,
            Progress progress,
            String topic) {
        this.connections = connections;
        this.feed = feed;
        this.admission = admission;
        this.ledger = ledger;
        this.rate = rate;
        this.stop = stop;
        this.progress = progress;
        this.topic = topic;
    }

    /** Sends until so many are sent in all, nothing is left, or it cannot go on. */
    void sendUpTo(long goal) throws SQLException {
        boolean again = true;
        while (again && !stop.requested()) {
            again = pass(goal);
        }
        progress.clear();
    }

    /** Why it cannot go on; {@code null}: it can. */
    ReplayResult.@Nullable Aborted aborted() {
        return aborted;
    }

    /** Returns whether there is to be another one. */
    private boolean pass(long goal) throws SQLException {
        try (ReplaySender sender = new ReplaySender(connections)) {
            try {
                hand(sender, goal);
            } catch (CannotConnectException e) {
                // Nothing can be read any more. What was handed over may have arrived all the same, and is marked then.
                aborted = new ReplayResult.Aborted(String.valueOf(e.getMessage()), true);
            }
            sender.flush();
            ledger.mark(sender);
            ReplaySender.Failure failure = sender.failure();
            if (failure == null || aborted != null) {
                return false;
            }
            feed.beginAgain();
            return canGoOn(failure);
        }
    }

    private void hand(ReplaySender sender, long goal) throws SQLException {
        long handed = ledger.sent();
        while (handed < goal && !stop.requested() && sender.failure() == null) {
            if (feed.isFull()) {
                sender.flush();
                ledger.mark(sender);
            }
            Letter letter = sender.failure() == null ? feed.next() : null;
            if (letter == null) {
                return;
            }
            if (offer(sender, letter)) {
                handed++;
            }
            ledger.markIfDue(sender);
            progress.show(ledger.sent());
        }
    }

    /** Returns whether it was handed over. */
    private boolean offer(ReplaySender sender, Letter letter) throws SQLException {
        ProducerRecord<byte[], byte[]> record = admission.record(letter);
        if (record == null) {
            return false;
        }
        // Until the next one is due, hours may pass: what was acknowledged before is told at once.
        rate.await(stop, () -> ledger.markIfDue(sender));
        boolean alone = suspects.contains(letter.record());
        if (alone) {
            sender.flush();
        }
        if (stop.requested() || sender.failure() != null || !admission.prepare(letter)) {
            return false;
        }
        ReplaySender.Refusal refusal = alone ? sender.sendAlone(letter, record) : sender.send(letter, record);
        if (alone) {
            suspects.remove(letter.record());
        }
        if (refusal != null) {
            admission.notTaken(letter, refusal);
        }
        return refusal == null;
    }

    private boolean canGoOn(ReplaySender.Failure failure) {
        Exception error = failure.error();
        if (!Connections.isTheRecord(error)) {
            aborted = new ReplayResult.Aborted(
                    "Kafka does not take what is sent to " + topic + ": " + error.getMessage(),
                    Connections.isConnection(error));
            return false;
        }
        suspects.add(failure.letter().record());
        return true;
    }
}
