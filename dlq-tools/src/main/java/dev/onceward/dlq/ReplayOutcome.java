package dev.onceward.dlq;

import dev.onceward.dlq.actions.ActionLog;
import dev.onceward.dlq.exit.ExitCodes;
import dev.onceward.dlq.output.Console;
import dev.onceward.dlq.output.People;
import dev.onceward.dlq.output.Printable;
import dev.onceward.dlq.replay.DeadAgain;
import dev.onceward.dlq.replay.ReplayResult;
import dev.onceward.dlq.replay.ReplayTarget;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** What a replay did, for the trail, the shell and people: the same of every command that sends. */
final class ReplayOutcome {
    private ReplayOutcome() {}

    static ActionLog.Outcome of(ReplayResult result) {
        if (result.interrupted()) {
            return ActionLog.Outcome.INTERRUPTED;
        }
        if (result.refused()) {
            return ActionLog.Outcome.REFUSED;
        }
        return result.complete() ? ActionLog.Outcome.DONE : ActionLog.Outcome.PARTLY;
    }

    static int exitCode(ReplayResult result) {
        if (result.complete()) {
            return ExitCodes.DONE;
        }
        if (result.aborted() != null && result.aborted().connectionLost()) {
            return ExitCodes.CANNOT_CONNECT;
        }
        return result.refused() ? ExitCodes.REFUSED : ExitCodes.SOME_FAILED;
    }

    static String detail(ReplayResult result) {
        List<String> parts = new ArrayList<>();
        if (result.aborted() != null) {
            parts.add(result.aborted().why());
        }
        if (!result.failedAgain().isEmpty()) {
            parts.add("dead again: "
                    + result.failedAgain().stream().map(DeadAgain::name).collect(Collectors.joining(" ")));
        }
        if (result.doneByOthers() > 0) {
            parts.add(doneByOthers(result));
        }
        if (result.decidedByOthers() > 0) {
            parts.add(decidedByOthers(result));
        }
        parts.add(result.detail());
        return String.join("\n", parts).strip();
    }

    static void tell(Console console, ReplayResult result, ReplayTarget target) {
        console.out()
                .println(People.count(result.sent(), "message") + " sent to " + target.topic()
                        + (result.notSent() == 0 ? "" : ", " + People.count(result.notSent()) + " not sent"));
        if (result.doneByOthers() > 0) {
            console.say("dlq: " + doneByOthers(result));
        }
        if (result.decidedByOthers() > 0) {
            console.say("dlq: " + decidedByOthers(result) + ". dlq show ID tells what became of one");
        }
        long followed = result.resolved() + result.failedAgain().size() + result.undecided();
        if (result.followed()) {
            String of = followed == result.sent()
                    ? ""
                    : followed == 1 ? "Of the canary: " : "Of the " + People.count(followed) + " canaries: ";
            console.out()
                    .println(of + People.count(result.resolved()) + " took effect, "
                            + People.count(result.failedAgain().size()) + " dead again, "
                            + People.count(result.undecided()) + " still under way");
            result.failedAgain()
                    .forEach(again -> console.out().println("dead again: " + Printable.line(again.toString())));
            tellWhyItEnded(console, result);
        }
        if (result.sent() > followed) {
            console.say("Not waited for, as --wait does: dlq list --status replayed shows what is not done yet.");
        }
    }

    private static void tellWhyItEnded(Console console, ReplayResult result) {
        if (result.undecided() > 0 && !result.interrupted()) {
            console.say("dlq: gave up waiting after " + People.duration(result.patience()) + ": are the workers running"
                    + " (dlq workers)?");
        }
        if (result.canaryStopped() && !result.interrupted()) {
            console.say(
                    result.failedAgain().isEmpty()
                            ? "dlq: not all canaries are done: nothing else was sent"
                            : "dlq: a canary failed: nothing else was sent");
        }
    }

    private static String doneByOthers(ReplayResult result) {
        return People.count(result.doneByOthers())
                + " not sent again: replayed by somebody else meanwhile, or they took" + " effect";
    }

    private static String decidedByOthers(ReplayResult result) {
        return People.count(result.decidedByOthers()) + " of those sent had been discarded or replayed by somebody else"
                + " meanwhile, which was left so";
    }
}
