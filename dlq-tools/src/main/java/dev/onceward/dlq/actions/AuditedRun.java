package dev.onceward.dlq.actions;

import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.exit.ExitCodes;
import dev.onceward.dlq.exit.RefusedException;
import dev.onceward.dlq.exit.Stop;
import java.sql.SQLException;
import java.util.function.Consumer;

/**
 * Changes something under the eyes of the trail: its row is there before the first step, and is finished however the work
 * ends. From the row on, Ctrl-C and SIGTERM end the work after the step that is under way; before it, they end the
 * process, and nothing was done. For one thread.
 */
public final class AuditedRun {
    private final ActionLog log;

    /** Over the command's own connection, which must commit each statement by itself. */
    public AuditedRun(Connections connections) {
        this.log = new ActionLog(connections, Actor.ofProcess());
    }

    /** Who acts. */
    public Actor actor() {
        return log.actor();
    }

    /**
     * Does the work.
     *
     * @param tell tells people what was done: at the end, and before a failure is passed on if something was done by then
     * @return the exit code
     * @throws RefusedException by the work: nothing was done
     * @throws E by the work
     * @throws SQLException the row could not be written
     */
    public <E extends Exception> int run(Told told, Work<E> work, Consumer<Tally> tell) throws E, SQLException {
        try (Stop stop = Stop.listening()) {
            if (stop.requested()) {
                throw new RefusedException("interrupted: nothing was done");
            }
            ActionLog.Action action = log.begin(told.consumer(), told.command(), told.filter(), told.selected());
            Tally tally = new Tally(stop);
            try {
                work.run(tally);
            } catch (Throwable e) {
                finishAfter(e, action, tally);
                if (tally.done() > 0) {
                    tell.accept(tally);
                }
                throw e;
            }
            action.finish(tally.outcome(), tally.done(), tally.failed() + tally.refused(), tally.detail());
            // Before the process may end.
            tell.accept(tally);
            return exitCode(tally.outcome());
        }
    }

    private static void finishAfter(Throwable failure, ActionLog.Action action, Tally tally) {
        boolean refused = failure instanceof RefusedException && tally.done() == 0;
        tally.detail(
                refused
                        ? String.valueOf(failure.getMessage())
                        : "ended by " + failure.getClass().getSimpleName());
        action.finishAfter(
                failure,
                refused ? ActionLog.Outcome.REFUSED : ActionLog.Outcome.PARTLY,
                tally.done(),
                tally.failed() + tally.refused(),
                tally.detail());
    }

    private static int exitCode(ActionLog.Outcome outcome) {
        return switch (outcome) {
            case DONE -> ExitCodes.DONE;
            case PARTLY, INTERRUPTED -> ExitCodes.SOME_FAILED;
            case REFUSED -> ExitCodes.REFUSED;
        };
    }

    /**
     * What a command was told to do.
     *
     * @param command its name
     * @param filter what it is to act on
     * @param selected how many that is; negative: not known
     */
    public record Told(String consumer, String command, String filter, long selected) {}

    /** Step by step. */
    @FunctionalInterface
    public interface Work<E extends Exception> {
        /** Does it, and keeps the tally. */
        void run(Tally tally) throws E;
    }
}
