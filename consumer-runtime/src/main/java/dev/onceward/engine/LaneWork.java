package dev.onceward.engine;

import dev.onceward.effect.GroupOutcome;
import dev.onceward.effect.GroupTransaction;
import dev.onceward.effect.Member;
import dev.onceward.effect.MemberResult;
import dev.onceward.effect.TransactionWatch;
import dev.onceward.failure.Classifier;
import dev.onceward.handler.Coordinates;
import dev.onceward.handler.FailureClass;
import dev.onceward.postgres.Fence;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a lane's thread does with the messages it took: runs them as a group, and if that fails, by the one failure rule.
 *
 * <p>The rule, for handlers, declared updates, batch handlers and COMMIT alike. Culprit known: those before it again as
 * a group, it alone, those behind it as a group. Culprit unknown: halves. Only a run alone counts as an attempt. What
 * comes behind a message that now holds its key waits for it.
 */
final class LaneWork {
    /** So often a message may lose its connection alone before that is its own failure. */
    private static final int STRIKES = 3;

    private static final long STILL_RUNNING_NANOS = Duration.ofMillis(20).toNanos();

    private final Lane lane;
    private final Gate gate;
    private final GroupTransaction transaction;
    private final TransactionWatch watch;
    private final Decoding decoding;
    private final Settlement settlement;
    private final BrokenWorker brokenWorker;
    private final Conflicts conflicts;
    private final Machine machine;

    private final Parts parts = new Parts();

    private @Nullable Doubt doubt;

    private List<Delivery> running = List.of();
    /** Those whose connection broke: see {@link #strike}. */
    private List<Delivery> broken = List.of();

    private Gate.Outages outageBefore = Gate.Outages.NONE;

    LaneWork(
            Lane lane,
            Gate gate,
            GroupTransaction transaction,
            TransactionWatch watch,
            Decoding decoding,
            Settlement settlement,
            BrokenWorker brokenWorker,
            Conflicts conflicts,
            Machine machine) {
        this.lane = lane;
        this.gate = gate;
        this.transaction = transaction;
        this.watch = watch;
        this.decoding = decoding;
        this.settlement = settlement;
        this.brokenWorker = brokenWorker;
        this.conflicts = conflicts;
        this.machine = machine;
    }

    TransactionWatch watch() {
        return watch;
    }

    /** Runs messages as a group. */
    void runGroup(List<Delivery> group) throws InterruptedException {
        parts.pushFront(group);
        runParts();
    }

    /** Does what is next with a message that holds its key. */
    void advance(Delivery head) throws InterruptedException {
        if (head.step instanceof Step.Run) {
            runGroup(List.of(head));
        } else {
            settlement.advance(head);
        }
    }

    /** Goes on with what a thread had in hand that does not come back from its handler. */
    void takeOverFrom(LaneWork stuck) throws InterruptedException {
        parts.addAll(stuck.parts);
        doubt = stuck.doubt;
        Delivery decoded = stuck.decoding.current();
        if (decoded != null) {
            settlement.notDecoded(decoded, new StuckException("decoding"), FailureClass.TIME_LIMIT);
            parts.pushFront(stuck.running); // those before it run first
        } else {
            settle(stuck.running, stuck.watch.stuckIn(new StuckException("the handler")));
        }
        runParts();
    }

    private void runParts() throws InterruptedException {
        boolean first = true;
        while (!parts.isEmpty()) {
            if (!first && !(gate.isOpen() && parts.allRunning())) {
                // Revoked, paused, late with the heartbeat, or failed since: no new transaction begins.
                giveBack(parts.takeAll());
                break;
            }
            first = false;
            if (!doubtSettled()) {
                break;
            }
            List<Delivery> part = unheld(parts.next());
            running = part;
            List<Delivery> runnable = part.isEmpty() ? part : prepared(part);
            if (!runnable.isEmpty()) {
                strike();
                running = runnable;
                GroupOutcome outcome = transaction.run(members(runnable));
                settle(runnable, outcome);
            }
        }
        running = List.of();
    }

    /** Those behind a message that holds their key wait for it. */
    private List<Delivery> unheld(List<Delivery> part) {
        List<Delivery> free = new ArrayList<>(part.size());
        lane.change(queue -> {
            for (Delivery delivery : part) {
                if (!queue.followIfHeld(delivery)) {
                    free.add(delivery);
                }
            }
        });
        return free;
    }

    /**
     * Decodes. A message that cannot run is dealt with alone and in its turn: those before it run first, those behind
     * it come after.
     */
    private List<Delivery> prepared(List<Delivery> part) throws InterruptedException {
        for (int i = 0; i < part.size(); i++) {
            Delivery delivery = part.get(i);
            // Counted before it is even decoded: that, too, can end a worker.
            if (delivery.suspect() && !decoding.exhausted(delivery)) {
                decoding.identify(delivery);
                if (!settlement.countBeforeRun(delivery)) {
                    return List.of();
                }
            }
            Preparation.Result result = decoding.decode(delivery);
            if (result instanceof Preparation.Result.Unavailable unavailable) {
                standStill(part, Gate.Cause.DEPENDENCY, unavailable.error());
                return List.of();
            }
            if (result instanceof Preparation.Result.GivenUp) {
                parts.pushFront(part.subList(i + 1, part.size()));
                if (i > 0) {
                    parts.pushFront(List.of(delivery));
                    return part.subList(0, i);
                }
                settlement.advance(delivery);
                return List.of();
            }
            if (result instanceof Preparation.Result.Fatal fatal) {
                brokenWorker.fatal(List.of(delivery), OptionalInt.of(0), fatal.error());
                parts.clear();
                return List.of();
            }
        }
        return part;
    }

    /**
     * Finds out about a transaction that a handler may have committed before its connection was lost. Before that no other
     * one begins: the claims of its messages would be taken for what they may not be.
     */
    private boolean doubtSettled() throws InterruptedException {
        Doubt open = doubt;
        if (open == null) {
            return true;
        }
        try {
            switch (transaction.status(open.outcome())) {
                case ABORTED -> {
                    doubt = null;
                    return true;
                }
                case COMMITTED -> {
                    brokenWorker.tampered(open.part(), open.outcome().ifCommitted());
                    doubt = null;
                    parts.clear();
                }
                case IN_PROGRESS -> { // its server process has not noticed yet that nobody is there any more
                    giveBack(parts.takeAll());
                    lane.sleep(STILL_RUNNING_NANOS);
                }
            }
        } catch (SQLException | RuntimeException e) {
            standStill(List.of(), Gate.Cause.DATABASE, e);
        }
        return false;
    }

    private static List<Member> members(List<Delivery> part) {
        return part.stream().map(Preparation::member).toList();
    }

    private void settle(List<Delivery> part, GroupOutcome outcome) throws InterruptedException {
        lane.requireOwner(watch);
        if (outcome instanceof GroupOutcome.Committed committed) {
            committed(part, committed);
        } else if (outcome instanceof GroupOutcome.Stale stale) {
            stale(part, stale.fences());
        } else if (outcome instanceof GroupOutcome.OverBudget over) {
            lane.sizer().overBudget(over.run(), over.runNanos());
            parts.split(part, lane.sizer().size()); // as large as the budget allows by what is known now
        } else if (outcome instanceof GroupOutcome.Unknown unknown) {
            settlement.unknownCommit(part, unknown.error());
            standStill(part, Gate.Cause.DATABASE, unknown.error());
        } else if (outcome instanceof GroupOutcome.InDoubt inDoubt) {
            doubt = new Doubt(part, inDoubt);
            settle(part, inDoubt.outcome());
        } else if (outcome instanceof GroupOutcome.Tampered tampered) {
            brokenWorker.tampered(part, tampered);
            parts.clear();
        } else if (outcome instanceof GroupOutcome.RuntimeFailed failed) {
            runtimeFailed(part, failed);
        } else if (outcome instanceof GroupOutcome.Failed failed) {
            failed(part, failed);
        }
    }

    private void committed(List<Delivery> part, GroupOutcome.Committed committed) throws InterruptedException {
        int run = Collections.frequency(committed.results(), MemberResult.APPLIED);
        lane.sizer().measured(run, committed.runNanos());
        gate.progress();
        List<Delivery> refused = new ArrayList<>();
        for (int i = 0; i < part.size(); i++) {
            MemberResult result = committed.results().get(i);
            if (result == MemberResult.ID_REUSED || result == MemberResult.TOO_OLD) {
                if (settlement.refuse(part.get(i), result)) {
                    refused.add(part.get(i));
                }
            } else {
                settlement.finished(part.get(i), result);
            }
        }
        settlement.groupCommitted(part, committed);
        for (Delivery delivery : refused) { // one after the other: the first of a key holds it
            for (Delivery free : unheld(List.of(delivery))) {
                settlement.advance(free);
            }
        }
    }

    /** The messages of lost partitions are gone; the others run again at once. */
    private void stale(List<Delivery> part, Set<Fence> fences) {
        List<Delivery> others = new ArrayList<>();
        for (Delivery delivery : part) {
            if (fences.contains(delivery.partition().fence())) {
                settlement.fenced(delivery);
            } else {
                others.add(delivery);
            }
        }
        if (!others.isEmpty()) {
            parts.pushFront(others);
        }
    }

    /** Never blamed on a message, however often it happens: the gate makes the lane wait longer each time. */
    private void runtimeFailed(List<Delivery> part, GroupOutcome.RuntimeFailed failed) throws InterruptedException {
        switch (failed.failure()) {
            case FATAL -> {
                brokenWorker.fatal(part, OptionalInt.empty(), failed.error());
                parts.clear();
            }
            case CONTENTION -> contention(part);
            default -> standStill(part, Gate.Cause.DATABASE, failed.error());
        }
    }

    private void failed(List<Delivery> part, GroupOutcome.Failed failed) throws InterruptedException {
        settlement.attemptFailed(part, failed);
        switch (failed.failure()) {
            case FATAL -> {
                brokenWorker.fatal(part, failed.culprit(), failed.error());
                parts.clear();
            }
            case INFRASTRUCTURE -> infrastructure(part, failed);
            case CONTENTION -> contention(part);
            case TIME_LIMIT, TRANSIENT, PERMANENT -> blame(part, failed);
        }
    }

    private void blame(List<Delivery> part, GroupOutcome.Failed failed) throws InterruptedException {
        if (part.size() == 1) {
            settlement.charge(part.get(0), failed.error(), failed.failure());
            return;
        }
        OptionalInt culprit = failed.culprit();
        if (culprit.isEmpty()) {
            parts.halve(part);
            return;
        }
        parts.around(part, culprit.getAsInt());
    }

    private void infrastructure(List<Delivery> part, GroupOutcome.Failed failed) throws InterruptedException {
        if (Classifier.isUnavailable(failed.error())) {
            standStill(part, Gate.Cause.DEPENDENCY, failed.error());
        } else if (part.size() == 1 && part.get(0).strikes >= STRIKES) {
            // Alone, and the database was there each time: the message breaks its connection itself.
            settlement.charge(part.get(0), failed.error(), FailureClass.TRANSIENT);
        } else if (failed.connected()) {
            standAside(part, failed.error());
        } else {
            // A server that answers "read-only" or "disk full" is there, and it is not the message's doing.
            if (Classifier.isBrokenConnection(failed.error())) {
                broken = List.copyOf(part);
                outageBefore = gate.outages();
            }
            standStill(part, Gate.Cause.DATABASE, failed.error());
        }
    }

    /**
     * The connection is alive, so something else was not to be had: a second connection from a pool that the lanes have
     * emptied together, another database, space on the server's disk. One message at a time finds out whether it is there
     * again; each in its turn, so that one that never gets what it needs holds only its own key.
     */
    private void standAside(List<Delivery> part, Throwable error) throws InterruptedException {
        if (part.size() > 1) {
            standStill(part, Gate.Cause.DEPENDENCY, error);
            return;
        }
        Delivery alone = part.get(0);
        settlement.notCounted(alone);
        settlement.holdForWantOf(alone);
        standStill(List.of(), Gate.Cause.DEPENDENCY, error);
    }

    /** A lost connection with no outage around it counts against those who were there: they run alone from now on. */
    private void strike() {
        if (!broken.isEmpty() && gate.noOutageSince(outageBefore)) {
            broken.forEach(delivery -> delivery.strikes++);
        }
        broken = List.of();
    }

    /** Everything in hand goes back to where it was taken from, in order; the lane waits at the gate. */
    private void standStill(List<Delivery> part, Gate.Cause cause, Throwable symptom) throws InterruptedException {
        List<Delivery> back = new ArrayList<>(part);
        back.addAll(parts.takeAll());
        for (Delivery delivery : part) {
            settlement.notCounted(delivery);
        }
        giveBack(back);
        gate.close(cause, symptom);
    }

    private void giveBack(List<Delivery> back) {
        lane.change(queue -> {
            List<Delivery> toReady = new ArrayList<>();
            for (Delivery delivery : back) {
                if (queue.isHead(delivery)) {
                    queue.hold(delivery, machine.nanoTime());
                } else {
                    toReady.add(delivery);
                }
            }
            queue.giveBack(toReady);
        });
    }

    private void contention(List<Delivery> part) throws InterruptedException {
        switch (conflicts.after(part)) {
            case AGAIN -> {
                for (Delivery delivery : part) {
                    settlement.notCounted(delivery);
                }
                lane.sleep(conflicts.delayNanos(part));
                parts.pushFront(part);
            }
            case HALVES -> parts.halve(part);
            case HOLD -> settlement.holdForConflicts(part.get(0));
        }
    }

    /** See {@link Settlement#afterPublication}. */
    long afterPublication(Delivery delivery, @Nullable Coordinates copy, @Nullable Throwable failure) {
        return settlement.afterPublication(delivery, copy, failure);
    }

    /** A group whose transaction may have been committed, by a handler. */
    private record Doubt(List<Delivery> part, GroupOutcome.InDoubt outcome) {}

    /** It did not even react to being interrupted. */
    private static final class StuckException extends Exception {
        private static final long serialVersionUID = 1L;

        StuckException(String what) {
            super(what + " ignored its time limit (limits.handler) and its interrupt");
        }
    }
}
