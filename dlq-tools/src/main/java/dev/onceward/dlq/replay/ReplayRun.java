package dev.onceward.dlq.replay;

import dev.onceward.dlq.connect.CannotConnectException;
import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.exit.Stop;
import dev.onceward.dlq.index.DeadLetterIndex;
import dev.onceward.dlq.index.Letter;
import dev.onceward.dlq.output.Console;
import dev.onceward.dlq.output.People;
import dev.onceward.dlq.output.Progress;
import dev.onceward.dlq.topic.LetterReader;
import dev.onceward.dlq.topic.Payload;
import dev.onceward.message.RecordIdentity;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Sends dead letters to their consumer's replay topic.
 *
 * <p>Why it may be killed at any point and run again, at once or while another one runs. A letter is marked REPLAYED only
 * after the broker has acknowledged it. Killed before that, its row is still DEAD: the next run sends it, perhaps for the
 * second time, and the runtime finds the claim of the first copy, or both fail and the newer row tells. Marked rows are not
 * selected again, so every run goes on where the one before ended. What fails again during a run is a new row, younger than
 * the run's beginning, and not met by it.
 *
 * <p>Why order within a key is kept. Letters are read in the order of their origin, everything of one origin partition goes
 * to one partition of the replay topic, the producer sends one request at a time, and at the first failure nothing that
 * was handed over later is sent. The run then begins again behind what is marked. What cannot be sent at all holds the
 * later letters of its key back.
 */
public final class ReplayRun {
    private static final int PAGE = 500;
    private static final int MARK_AT_ONCE = 500;
    private static final long MARK_NANOS = Duration.ofSeconds(1).toNanos();

    private final Connections connections;
    private final Console console;
    private final ReplayTarget target;
    private final ReplayPlan plan;
    private final Stop stop;
    private final DeadLetterIndex index;
    private final Instant asOf;
    private final Eligibility eligibility;
    private final ReplayRecords records;
    private final ReplayMarks marks;
    private final HeldKeys held = new HeldKeys();
    private final Set<RecordIdentity> suspects = new HashSet<>();
    private final Deque<Letter> page = new ArrayDeque<>();
    private final List<Sent> unmarked = new ArrayList<>();
    private final List<Sent> toFollow = new ArrayList<>();
    private final @Nullable EditMarks edits;
    private final Progress progress;
    private final Failures failures;
    private long lastMark = System.nanoTime();
    private @Nullable Letter cursor;
    private long sent;
    private long decidedByOthers;
    private ReplayResult.@Nullable Aborted aborted;

    /**
     * A run over what existed at an instant.
     *
     * @param asOf by the database's clock
     * @param selected how many that is, for the progress
     */
    public ReplayRun(
            Connections connections,
            Console console,
            ReplayTarget target,
            ReplayPlan plan,
            Stop stop,
            Instant asOf,
            long selected) {
        this.connections = connections;
        this.console = console;
        this.target = target;
        this.plan = plan;
        this.stop = stop;
        this.asOf = asOf;
        this.index = new DeadLetterIndex(connections);
        this.eligibility = new Eligibility(target, plan.assertedBy() != null);
        this.records = new ReplayRecords(target);
        this.marks = new ReplayMarks(connections, target.consumer());
        this.edits = plan.edit() == null ? null : new EditMarks(connections, plan.edit());
        this.progress = new Progress(console, "sent", Math.min(selected, plan.limit()));
        this.failures = new Failures(progress);
    }

    /** Runs to the end, or until it is stopped. */
    public ReplayResult run() throws SQLException {
        try (LetterReader reader = new LetterReader(connections)) {
            Follow.Followed followed = new Follow.Followed(0, List.of(), 0);
            boolean goOn = true;
            if (plan.canary() > 0) {
                send(reader, Math.min(plan.canary(), plan.limit()));
                followed = follow("canary");
                goOn = followed.allResolved() && aborted == null;
            }
            if (goOn && !stop.requested()) {
                send(reader, plan.limit());
                endEdit();
                if (plan.followAll()) {
                    followed = plus(followed, follow("replayed"));
                }
            }
            return result(followed);
        } finally {
            progress.clear();
            endEdit();
        }
    }

    private void endEdit() throws SQLException {
        if (edits != null) {
            edits.close();
        }
    }

    /** How many are sent and marked so far. */
    public long sent() {
        return sent;
    }

    private void send(LetterReader reader, long goal) throws SQLException {
        boolean again = true;
        while (again && !stop.requested()) {
            again = pass(reader, goal);
        }
        progress.clear();
    }

    /** Sends until the goal or the end is reached, or something fails; returns whether to try once more from its beginning. */
    private boolean pass(LetterReader reader, long goal) throws SQLException {
        Letter beginning = cursor;
        try (ReplaySender sender = new ReplaySender(connections)) {
            try {
                hand(reader, sender, goal);
            } catch (CannotConnectException e) {
                // Nothing can be read any more. What was handed over may have arrived all the same, and is marked then.
                aborted = new ReplayResult.Aborted(String.valueOf(e.getMessage()), true);
            }
            sender.flush();
            mark(sender);
            ReplaySender.Failure failure = sender.failure();
            if (failure == null || aborted != null) {
                return false;
            }
            cursor = beginning;
            page.clear();
            return canGoOn(failure);
        }
    }

    private void hand(LetterReader reader, ReplaySender sender, long goal) throws SQLException {
        long handed = sent;
        while (handed < goal && !stop.requested() && sender.failure() == null) {
            Letter letter = next(reader);
            if (letter == null) {
                return;
            }
            if (offer(reader, sender, letter)) {
                handed++;
            }
            markIfDue(sender);
            progress.show(sent);
        }
    }

    private @Nullable Letter next(LetterReader reader) throws SQLException {
        if (page.isEmpty()) {
            List<Letter> letters = index.page(plan.filter(), asOf, cursor, PAGE);
            reader.expect(letters);
            page.addAll(letters);
        }
        Letter letter = page.poll();
        if (letter != null) {
            cursor = letter;
        }
        return letter;
    }

    /** Returns whether it was handed over. */
    private boolean offer(LetterReader reader, ReplaySender sender, Letter letter) throws SQLException {
        Edit edit = plan.edit();
        // A name may also be the message id of another letter.
        if (failures.contains(letter) || (edit != null && !edit.isOf(letter))) {
            return false;
        }
        String holder = held.holder(letter);
        if (holder != null) {
            failures.refuse(letter, "held back, because " + holder + " of the same key comes first and was not sent");
            return false;
        }
        String refusal = edit == null ? eligibility.refusal(letter) : eligibility.refusalOfAny(letter);
        if (refusal != null) {
            failures.refuse(letter, refusal);
            held.hold(letter);
            return false;
        }
        Payload payload = reader.read(letter);
        if (payload instanceof Payload.Missing missing) {
            return fail(letter, missing.why());
        }
        ConsumerRecord<byte[], byte[]> copy = ((Payload.Found) payload).copy();
        ProducerRecord<byte[], byte[]> record =
                edit == null ? records.of(letter, copy) : records.of(letter, copy, edit.value());
        plan.rate().await(stop);
        if (stop.requested()) {
            return false;
        }
        boolean alone = suspects.contains(letter.record());
        if (alone) {
            sender.flush();
        }
        if (plan.assertedBy() != null && eligibility.isTooOld(letter)) {
            if (!marks.assertUnprocessed(letter, plan.assertedBy())) {
                failures.refuse(letter, "it has changed since it was read; look at it with dlq show");
                return false;
            }
        }
        String changed = edits == null ? null : edits.record();
        if (changed != null) {
            failures.refuse(letter, changed);
            return false;
        }
        Exception refused = sender.send(letter, record);
        if (refused != null) {
            if (edits != null) {
                edits.takeBack();
            }
            return fail(letter, "Kafka's producer does not take it: " + refused.getMessage());
        }
        if (alone) {
            sender.flush();
        }
        return true;
    }

    private boolean fail(Letter letter, String why) {
        failures.add(letter, why);
        held.hold(letter);
        return false;
    }

    /** After a failed acknowledgement. A batch fails as a whole: the first time it need not be this record's fault. */
    private boolean canGoOn(ReplaySender.Failure failure) {
        Exception error = failure.error();
        if (!Connections.isTheRecord(error)) {
            aborted = new ReplayResult.Aborted(
                    "Kafka does not take what is sent to " + target.topic() + ": " + error.getMessage(),
                    Connections.isConnection(error));
            return false;
        }
        if (!suspects.add(failure.letter().record())) {
            fail(failure.letter(), "Kafka does not take it: " + error.getMessage());
        }
        return true;
    }

    private void markIfDue(ReplaySender sender) throws SQLException {
        if (System.nanoTime() - lastMark >= MARK_NANOS || sender.waiting() >= MARK_AT_ONCE) {
            mark(sender);
        }
    }

    private void mark(ReplaySender sender) throws SQLException {
        unmarked.addAll(sender.acknowledged());
        lastMark = System.nanoTime();
        if (unmarked.isEmpty()) {
            return;
        }
        try {
            decidedByOthers += unmarked.size() - marks.mark(unmarked);
        } catch (SQLException e) {
            progress.say("dlq: " + People.count(unmarked.size(), "message") + " sent could not be marked as replayed."
                    + " Run the same command again: they are sent once more, and take effect once");
            throw e;
        }
        sent += unmarked.size();
        if (plan.follows()) {
            toFollow.addAll(unmarked);
        }
        unmarked.clear();
    }

    private Follow.Followed follow(String what) throws SQLException {
        if (toFollow.isEmpty()) {
            return new Follow.Followed(0, List.of(), 0);
        }
        progress.say("Waiting for the workers of " + target.consumer() + ": " + People.count(toFollow.size()) + " "
                + what + "…");
        Follow.Followed followed = new Follow(connections, target, console, stop).follow(toFollow, plan.patience());
        toFollow.clear();
        return followed;
    }

    private static Follow.Followed plus(Follow.Followed one, Follow.Followed other) {
        List<String> failedAgain = new ArrayList<>(one.failedAgain());
        failedAgain.addAll(other.failedAgain());
        return new Follow.Followed(one.resolved() + other.resolved(), failedAgain, one.undecided() + other.undecided());
    }

    private ReplayResult result(Follow.Followed followed) {
        return new ReplayResult(
                sent,
                decidedByOthers,
                failures.count(),
                failures.onlyRefused(),
                followed.resolved(),
                followed.failedAgain(),
                followed.undecided(),
                plan.follows(),
                stop.requested(),
                aborted,
                failures.detail());
    }
}
