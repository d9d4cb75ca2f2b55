package dev.onceward.dlq;

import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.dlq.actions.ActionLog;
import dev.onceward.dlq.actions.Actor;
import dev.onceward.dlq.actions.Discarding;
import dev.onceward.dlq.connect.ConnectionOptions;
import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.exit.ExitCodes;
import dev.onceward.dlq.exit.UsageException;
import dev.onceward.dlq.index.DeadLetterIndex;
import dev.onceward.dlq.index.Filter;
import dev.onceward.dlq.index.Letter;
import dev.onceward.dlq.output.Console;
import dev.onceward.dlq.output.People;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Marks dead letters page by page: what {@code discard} and {@code restore} have in common. */
final class MarkRun {
    private static final int PAGE = 500;
    /** Where those are counted that nothing is done with any more; before it: done, changed in the meantime. */
    private static final int ERASED = 2;

    private final Console console;
    private final ConnectionOptions options;
    private final String command;
    private final String done;
    private final Consent consent;

    MarkRun(Console console, ConnectionOptions options, String command, String done, Consent consent) {
        this.console = console;
        this.options = options;
        this.command = command;
        this.done = done;
        this.consent = consent;
    }

    /** Returns the exit code. */
    int run(
            FilterOptions filters,
            Set<DeadLetterStatus> usual,
            Set<DeadLetterStatus> possible,
            String detail,
            Mark mark)
            throws SQLException {
        try (Connections connections = options.connections()) {
            DeadLetterIndex index = new DeadLetterIndex(connections);
            String consumer = Consumers.only(connections, index);
            Filter filter = filters.filter(consumer, usual);
            if (!possible.containsAll(filter.statuses())) {
                throw new UsageException("--status: dlq " + command + " is for "
                        + String.join(" and ", possible.stream().map(Enum::name).toList()) + " ones");
            }
            Instant asOf = index.now();
            long selected = index.count(filter, asOf);
            if (selected == 0) {
                console.say("No dead letters like that: nothing to " + command + ".");
                return ExitCodes.DONE;
            }
            confirm(selected, consumer);
            ActionLog.Action action =
                    new ActionLog(connections, Actor.ofProcess()).begin(consumer, command, filter.toString(), selected);
            long[] counts = new long[3];
            try {
                mark(index, filter, asOf, new Discarding(connections), mark, counts);
            } catch (SQLException e) {
                action.finishAfter(e, counts[0], selected - counts[0], detail);
                throw e;
            }
            boolean refused = counts[ERASED] == selected;
            boolean complete = counts[1] == 0 && counts[ERASED] == 0;
            action.finish(
                    complete ? ActionLog.Outcome.DONE : refused ? ActionLog.Outcome.REFUSED : ActionLog.Outcome.PARTLY,
                    counts[0],
                    counts[1] + counts[ERASED],
                    detail);
            console.out()
                    .println(People.count(counts[0], "dead letter") + " " + done
                            + (counts[1] == 0 ? "" : ", " + People.count(counts[1]) + " had changed in the meantime")
                            + (counts[ERASED] == 0 ? "" : ", " + People.count(counts[ERASED]) + " erased"));
            return complete ? ExitCodes.DONE : refused ? ExitCodes.REFUSED : ExitCodes.SOME_FAILED;
        }
    }

    private void mark(
            DeadLetterIndex index, Filter filter, Instant asOf, Discarding discarding, Mark mark, long[] counts)
            throws SQLException {
        List<Letter> page = index.page(filter, asOf, null, PAGE);
        while (!page.isEmpty()) {
            List<Letter> open = new ArrayList<>();
            for (Letter letter : page) {
                if (letter.history().erasedAt() == null) {
                    open.add(letter);
                } else {
                    counts[ERASED]++;
                    console.say("dlq: " + letter.name() + " not " + done + ": its data were erased, it is over");
                }
            }
            int marked = open.isEmpty() ? 0 : mark.mark(discarding, open);
            counts[0] += marked;
            counts[1] += open.size() - marked;
            page = index.page(filter, asOf, page.get(page.size() - 1), PAGE);
        }
    }

    private void confirm(long selected, String consumer) {
        if (selected > 1) {
            String what = People.count(selected, "dead letter") + " of " + consumer;
            consent.ask(command, what, "dlq " + command + ": " + what + "?", "nothing was " + done);
        }
    }

    /** Marks letters; returns how many it did. */
    interface Mark {
        int mark(Discarding discarding, List<Letter> letters) throws SQLException;
    }
}
