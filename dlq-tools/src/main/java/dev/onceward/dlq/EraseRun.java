package dev.onceward.dlq;

import dev.onceward.dlq.actions.ActionLog;
import dev.onceward.dlq.actions.Actor;
import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.erase.ErasedLetter;
import dev.onceward.dlq.erase.Erasure;
import dev.onceward.dlq.erase.Tombstones;
import dev.onceward.dlq.exit.RefusedException;
import dev.onceward.dlq.output.Console;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Writes the tombstones, then erases, and leaves a row in the trail that says how far it came. A tombstone cannot be taken
 * back: once one was written, or may have been, the end is never "nothing was done".
 */
final class EraseRun {
    private final Console console;
    private final Connections connections;
    private final List<ErasedLetter> letters;
    private final Tombstones tombstones;

    EraseRun(Console console, Connections connections, List<ErasedLetter> letters, Tombstones tombstones) {
        this.console = console;
        this.connections = connections;
        this.letters = letters;
        this.tombstones = tombstones;
    }

    /** How it ended. */
    enum Ending {
        /** All are erased. */
        ERASED,
        /** All are erased as they were, but some have failed again since. */
        FAILED_AGAIN,
        /** None is, but tombstones were written. */
        ONLY_TOMBSTONES
    }

    /**
     * Runs it once.
     *
     * @throws RefusedException it would have been wrong: nothing was written or erased
     */
    Ending run(String because) throws SQLException {
        ActionLog log = new ActionLog(connections, Actor.ofProcess());
        // Coordinates and not what was typed: a message id may say whose it is.
        String which = String.join(
                " ",
                letters.stream().map(letter -> "--id " + letter.letter().name()).toList());
        ActionLog.Action action = log.begin(letters.get(0).letter().consumer(), "erase", which, letters.size());
        Erasure erasure = new Erasure(connections);
        String detail = because;
        Optional<String> refusal;
        try {
            Set<String> others = tombstones.write(letters);
            if (!others.isEmpty()) {
                detail += "\ncopies that may go, too: " + String.join(" ", others);
                console.say("dlq: while the tombstone was written, the same key failed in " + String.join(", ", others)
                        + ": compaction may remove these copies, too. Replay them now");
            }
            refusal = erasure.erase(letters, log.actor().toString(), because);
            if (refusal.isPresent() && tombstones.going().isEmpty()) {
                throw new RefusedException(refusal.get() + ": nothing was erased. Run the same command again");
            }
        } catch (RefusedException e) {
            action.finish(ActionLog.Outcome.REFUSED, 0, letters.size(), detail + "\n" + e.getMessage());
            throw e;
        } catch (SQLException | RuntimeException e) {
            action.finishAfter(
                    e,
                    0,
                    letters.size(),
                    (detail + "\nended by " + e.getClass().getSimpleName() + "\n" + going()).strip());
            if (tombstones.going().isEmpty()) {
                throw e;
            }
            boolean lost = e instanceof SQLException failure && Failures.isConnection(failure);
            sayOnlyTombstones(
                    Failures.message(e),
                    lost ? "nobody knows whether the database has erased them" : "nothing was erased in the database");
            return Ending.ONLY_TOMBSTONES;
        }
        if (refusal.isPresent()) {
            action.finish(ActionLog.Outcome.PARTLY, 0, letters.size(), detail + "\n" + refusal.get() + "\n" + going());
            sayOnlyTombstones(refusal.get(), "nothing was erased in the database");
            return Ending.ONLY_TOMBSTONES;
        }
        return erased(action, erasure.failedAgain(letters), detail);
    }

    private Ending erased(ActionLog.Action action, List<String> failedAgain, String detail) throws SQLException {
        if (failedAgain.isEmpty()) {
            action.finish(ActionLog.Outcome.DONE, letters.size(), 0, detail);
            return Ending.ERASED;
        }
        String names = String.join(", ", failedAgain);
        action.finish(
                ActionLog.Outcome.PARTLY,
                letters.size() - failedAgain.size(),
                failedAgain.size(),
                detail + "\nfailed again meanwhile: " + names);
        console.say(
                "dlq: a replay of " + names + " failed while the failures before it were erased, and has data again:"
                        + " run the same command again");
        return Ending.FAILED_AGAIN;
    }

    private void sayOnlyTombstones(String why, String database) {
        console.say("dlq: " + why + ": " + database + ", but " + going()
                + ". Run the same command again; if they are to be replayed after all, do it before compaction runs");
    }

    private String going() {
        List<String> copies = tombstones.going();
        return copies.isEmpty()
                ? ""
                : "compaction removes " + String.join(", ", copies) + ", as a tombstone was written, or may have been";
    }
}
