package dev.onceward.dlq.replay;

import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.exit.Stop;
import dev.onceward.dlq.index.DeadLetterIndex;
import dev.onceward.dlq.index.Letter;
import dev.onceward.dlq.output.Console;
import dev.onceward.dlq.output.People;
import dev.onceward.dlq.output.Progress;
import dev.onceward.dlq.topic.LetterReader;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

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
    private final Connections connections;
    private final Console console;
    private final ReplayTarget target;
    private final ReplayPlan plan;
    private final PayloadSource payloads;
    private final Stop stop;
    private final LetterReader reader;
    private final Progress progress;
    private final NotSent notSent;
    private final ReplayLedger ledger;
    private final ReplayPasses passes;
    private final Admission admission;
    private final SecondLook look;
    private final long most;
    private boolean canaryStopped;

    /**
     * A run over what existed at an instant.
     *
     * @param payloads closed when everything is sent
     * @param asOf by the database's clock
     * @param selected how many that is, for the progress
     */
    public ReplayRun(
            Connections connections,
            Console console,
            ReplayTarget target,
            ReplayPlan plan,
            PayloadSource payloads,
            Stop stop,
            Instant asOf,
            long selected) {
        this.connections = connections;
        this.console = console;
        this.target = target;
        this.plan = plan;
        this.payloads = payloads;
        this.stop = stop;
        this.reader = new LetterReader(connections);
        this.most = Math.min(selected, plan.limit());
        this.progress = new Progress(console, "sent", most);
        this.notSent = new NotSent(progress);
        ReplayMarks marks = new ReplayMarks(connections, target.consumer());
        this.look = new SecondLook(connections, target.consumer());
        LetterFeed feed = new LetterFeed(new DeadLetterIndex(connections), plan.filter(), asOf, this::expect);
        this.admission = new Admission(feed, reader, target, marks, payloads, plan.assertedBy(), notSent, look);
        this.ledger = new ReplayLedger(marks, feed, progress, plan.follows());
        this.passes =
                new ReplayPasses(connections, feed, admission, ledger, plan.rate(), stop, progress, target.topic());
    }

    /** Runs to the end, or until it is stopped. */
    public ReplayResult run() throws SQLException {
        try {
            Follow.Followed followed = Follow.Followed.nothing();
            if (plan.canary() > 0) {
                passes.sendUpTo(Math.min(plan.canary(), plan.limit()));
                followed = follow("canary");
                look.hasWaited();
                canaryStopped = !followed.allResolved() && most > plan.canary();
            }
            if (followed.allResolved() && passes.aborted() == null && !stop.requested()) {
                passes.sendUpTo(plan.limit());
                payloads.close();
                if (plan.followAll()) {
                    followed = followed.plus(follow("replayed"));
                }
            }
            return result(followed);
        } finally {
            progress.clear();
            reader.close();
            payloads.close();
        }
    }

    /** How many are sent and marked so far. */
    public long sent() {
        return ledger.sent();
    }

    private void expect(List<Letter> page) {
        reader.expect(page);
        look.expect(page);
    }

    private Follow.Followed follow(String what) throws SQLException {
        List<Sent> sent = ledger.takeToFollow();
        if (sent.isEmpty()) {
            return Follow.Followed.nothing();
        }
        progress.say("Waiting for the workers of " + target.consumer() + ": " + People.count(sent.size()) + " " + what
                + "…");
        return new Follow(connections, target, console, stop).follow(sent, plan.patience());
    }

    private ReplayResult result(Follow.Followed followed) {
        return new ReplayResult(
                ledger.sent(),
                ledger.decidedByOthers(),
                admission.done(),
                notSent.count(),
                notSent.onlyRefused(),
                followed.resolved(),
                followed.failedAgain(),
                followed.undecided(),
                plan.follows(),
                plan.patience(),
                canaryStopped,
                stop.requested(),
                passes.aborted(),
                notSent.detail());
    }
}
