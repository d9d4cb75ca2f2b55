package dev.onceward.dlq.actions;

import dev.onceward.dlq.exit.Stop;

/**
 * How far a command is that changes something. It is kept up to date at every step: it is all that is known if the next
 * one fails. For one thread.
 */
public final class Tally {
    private final Stop stop;
    private final StringBuilder detail = new StringBuilder();
    private long done;
    private long failed;
    private long refused;
    private boolean interrupted;

    Tally(Stop stop) {
        this.stop = stop;
    }

    /**
     * Whether to go on with the next step. No, if the operator has asked to stop: there must be a next step, since the
     * command then counts as interrupted.
     */
    public boolean goesOn() {
        interrupted |= stop.requested();
        return !interrupted;
    }

    /** So many more are done. */
    public void done(long more) {
        done += more;
    }

    /** So many more could not be done. */
    public void failed(long more) {
        failed += more;
    }

    /** So many more must not be done. */
    public void refused(long more) {
        refused += more;
    }

    /** One more line for the trail. */
    public void detail(String line) {
        if (!line.isBlank()) {
            detail.append(detail.isEmpty() ? "" : "\n").append(line);
        }
    }

    /** How many are done. */
    public long done() {
        return done;
    }

    /** How many could not be done. */
    public long failed() {
        return failed;
    }

    /** How many must not be done. */
    public long refused() {
        return refused;
    }

    /** Whether the operator stopped it before its end. */
    public boolean interrupted() {
        return interrupted;
    }

    String detail() {
        return detail.toString();
    }

    ActionLog.Outcome outcome() {
        if (interrupted) {
            return ActionLog.Outcome.INTERRUPTED;
        }
        if (failed + refused == 0) {
            return ActionLog.Outcome.DONE;
        }
        return done + failed == 0 ? ActionLog.Outcome.REFUSED : ActionLog.Outcome.PARTLY;
    }
}
