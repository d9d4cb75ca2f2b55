package dev.onceward.dlq;

import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.dlq.actions.AuditedRun;
import dev.onceward.dlq.actions.Discarding;
import dev.onceward.dlq.actions.Tally;
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
import org.jspecify.annotations.Nullable;

/** Marks dead letters page by page: what {@code discard} and {@code restore} have in common. */
final class MarkRun {
    private static final int PAGE = 500;
    /** So many are named that nothing is done with any more. */
    private static final int NAMED = 20;

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
            NamedIds named = NamedIds.of(index, filter, possible).tell(console);
            long selected = index.count(filter, asOf);
            if (selected == 0) {
                console.say("No dead letters like that: nothing to " + command + ".");
                return named.exitCode(ExitCodes.DONE);
            }
            confirm(selected, consumer);
            Discarding discarding = new Discarding(connections);
            int exitCode = new AuditedRun(connections)
                    .run(
                            new AuditedRun.Told(consumer, command, filter.toString(), selected),
                            (Tally tally) -> {
                                tally.detail(detail);
                                mark(new Pages(index, filter, asOf), letters -> mark.mark(discarding, letters), tally);
                            },
                            this::tell);
            return named.exitCode(exitCode);
        }
    }

    private void mark(Pages pages, Marking marking, Tally tally) throws SQLException {
        List<Letter> page = pages.after(null);
        while (!page.isEmpty() && tally.goesOn()) {
            List<Letter> open = new ArrayList<>();
            for (Letter letter : page) {
                if (letter.history().erasedAt() == null) {
                    open.add(letter);
                } else {
                    tally.refused(1);
                    tellErased(letter, tally.refused());
                }
            }
            int marked = open.isEmpty() ? 0 : marking.mark(open);
            tally.done(marked);
            tally.failed(open.size() - marked);
            page = pages.after(page.get(page.size() - 1));
        }
    }

    private void tellErased(Letter letter, long number) {
        if (number <= NAMED) {
            console.say("dlq: " + letter.name() + " not " + done + ": its data were erased, it is over");
        } else if (number == NAMED + 1) {
            console.say("dlq: …");
        }
    }

    private void tell(Tally tally) {
        console.out()
                .println(People.count(tally.done(), "dead letter") + " " + done
                        + (tally.failed() == 0
                                ? ""
                                : ", " + People.count(tally.failed()) + " had changed in the meantime")
                        + (tally.refused() == 0 ? "" : ", " + People.count(tally.refused()) + " erased"));
        if (tally.interrupted()) {
            console.say("dlq: interrupted. Run the same command again to go on");
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

    private interface Marking {
        int mark(List<Letter> letters) throws SQLException;
    }

    /** What is to be marked, page by page. */
    private record Pages(DeadLetterIndex index, Filter filter, Instant asOf) {
        List<Letter> after(@Nullable Letter last) throws SQLException {
            return index.page(filter, asOf, last, PAGE);
        }
    }
}
