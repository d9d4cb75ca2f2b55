package dev.onceward.dlq;

import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.dlq.actions.ActionLog;
import dev.onceward.dlq.actions.Actor;
import dev.onceward.dlq.connect.ConnectionOptions;
import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.exit.ExitCodes;
import dev.onceward.dlq.exit.Stop;
import dev.onceward.dlq.exit.UsageException;
import dev.onceward.dlq.index.DeadLetterIndex;
import dev.onceward.dlq.index.Filter;
import dev.onceward.dlq.output.Column;
import dev.onceward.dlq.output.Console;
import dev.onceward.dlq.output.OutputFormat;
import dev.onceward.dlq.output.People;
import dev.onceward.dlq.output.RowWriter;
import dev.onceward.dlq.output.Times;
import dev.onceward.dlq.replay.DryRun;
import dev.onceward.dlq.replay.PayloadSource;
import dev.onceward.dlq.replay.Rate;
import dev.onceward.dlq.replay.ReplayPlan;
import dev.onceward.dlq.replay.ReplayResult;
import dev.onceward.dlq.replay.ReplayRun;
import dev.onceward.dlq.replay.ReplayTarget;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code dlq replay}. */
@Command(
        name = "replay",
        description = {
            "Sends dead letters to their consumer again: to its own replay topic, where nobody else reads.",
            "",
            "Sends what exists when it starts, in the original order within each key. It may be interrupted and run"
                    + " again at any time, also while another one runs: each message takes effect once. What cannot be"
                    + " sent is told and does not stop the rest, but for later messages of its key."
        },
        sortOptions = true,
        mixinStandardHelpOptions = true)
@Manual(
        examples = {
            @Manual.Example(does = "See what would be sent", command = "dlq replay --exception IllegalState --dry-run"),
            @Manual.Example(
                    does = "Try five, then the rest, and wait for all",
                    command = "dlq replay --exception IllegalState --canary 5 --wait"),
            @Manual.Example(
                    does = "Everything, slowly, without being asked",
                    command = "dlq replay --all --rate 100/s --yes")
        },
        seeAlso = {"list", "edit", "discard", "age"})
final class ReplayCommand implements Callable<Integer> {
    private static final Set<DeadLetterStatus> REPLAYABLE =
            EnumSet.of(DeadLetterStatus.DEAD, DeadLetterStatus.REPLAYED);

    private final Console console;

    @Mixin
    private ChangeOptions change = new ChangeOptions();

    @Option(names = "--all", description = "All that are dead.", order = 18)
    private boolean all;

    @Option(names = "--dry-run", description = "Only say what would be sent, and what not and why.", order = 20)
    private boolean dryRun;

    @Option(names = "--limit", paramLabel = "N", description = "Send at most so many.", order = 21)
    private @Nullable Long limit;

    @Option(
            names = "--rate",
            paramLabel = "N/s",
            description = "Send at most so many in a second: 100/s, 30/m.",
            order = 22)
    private @Nullable String rate;

    @Option(
            names = "--canary",
            paramLabel = "N",
            description = "Send N first, wait until they took effect or are dead again, and go on only if all took"
                    + " effect.",
            order = 23)
    private int canary;

    @Option(names = "--wait", description = "Wait until all took effect or are dead again, and tell which.", order = 24)
    private boolean wait;

    @Option(
            names = "--wait-timeout",
            paramLabel = "TIME",
            description = "How long --canary and --wait wait. Default: ${DEFAULT-VALUE}.",
            defaultValue = "10m",
            order = 25)
    private String waitTimeout = "10m";

    @Option(
            names = "--assert-unprocessed",
            description = "Replay TOO_OLD messages, too: you know that they were never processed. If one was, it takes"
                    + " effect twice. Your name is recorded.",
            order = 26)
    private boolean assertUnprocessed;

    @Mixin
    private ConnectionOptions connection;

    ReplayCommand(Console console) {
        this.console = console;
        this.connection = new ConnectionOptions(console);
    }

    @Override
    public Integer call() throws SQLException {
        FilterOptions filter = change.chosen(all);
        // Listening from the beginning: a signal must never find a row begun and nobody to finish it.
        try (Connections connections = connection.connections();
                Stop stop = Stop.listening()) {
            DeadLetterIndex index = new DeadLetterIndex(connections);
            ActionLog log = new ActionLog(connections, Actor.ofProcess());
            ReplayPlan plan =
                    plan(filter, Consumers.only(connections, index), log.actor().toString());
            ReplayTarget target =
                    ReplayTarget.of(connections, String.valueOf(plan.filter().consumer()));
            Instant asOf = index.now();
            NamedIds named = NamedIds.of(index, plan.filter(), REPLAYABLE).tell(console);
            if (dryRun) {
                return named.exitCode(dryRun(DryRun.of(connections, target, plan, asOf), target));
            }
            long selected = Math.min(index.count(plan.filter(), asOf), plan.limit());
            if (selected == 0) {
                console.say("No dead letters like that: nothing to replay."
                        + (change.names() ? " dlq show ID tells what became of one." : ""));
                return change.names() ? ExitCodes.SOME_FAILED : named.exitCode(ExitCodes.DONE);
            }
            WorkersRunning.warnIfNone(console, connections, target.consumer());
            confirm(selected, target);
            return named.exitCode(replay(connections, target, plan, stop, asOf, selected, log));
        }
    }

    private ReplayPlan plan(FilterOptions filter, String consumer, String actor) {
        Filter chosen = filter.filter(consumer, EnumSet.of(DeadLetterStatus.DEAD));
        if (!REPLAYABLE.containsAll(chosen.statuses())) {
            throw new UsageException("--status: only dead and replayed ones can be replayed; take discarded ones back"
                    + " with dlq restore");
        }
        if (canary < 0 || (limit != null && limit < 1)) {
            throw new UsageException("--canary and --limit: must be positive");
        }
        try {
            return new ReplayPlan(
                    chosen,
                    limit == null ? Long.MAX_VALUE : limit,
                    rate == null ? Rate.unlimited() : Rate.parse(rate),
                    canary,
                    wait,
                    duration(),
                    assertUnprocessed ? actor : null);
        } catch (IllegalArgumentException e) {
            throw new UsageException("--rate: " + e.getMessage());
        }
    }

    private Duration duration() {
        try {
            return Times.duration(waitTimeout);
        } catch (IllegalArgumentException e) {
            throw new UsageException("--wait-timeout: " + e.getMessage());
        }
    }

    private void confirm(long selected, ReplayTarget target) {
        if (selected > 1) {
            String what = People.count(selected, "dead letter") + " of " + target.consumer() + " to " + target.topic();
            change.consent(console).ask("send", what, "Send " + what + "?", "nothing was sent");
        }
    }

    private int replay(
            Connections connections,
            ReplayTarget target,
            ReplayPlan plan,
            Stop stop,
            Instant asOf,
            long selected,
            ActionLog log)
            throws SQLException {
        ReplayRun run =
                new ReplayRun(connections, console, target, plan, PayloadSource.original(), stop, asOf, selected);
        ActionLog.Action action = log.begin(target.consumer(), "replay", describe(plan), selected);
        try {
            ReplayResult result = run.run();
            action.finish(ReplayOutcome.of(result), result.sent(), result.notSent(), ReplayOutcome.detail(result));
            tell(result, target);
            return ReplayOutcome.exitCode(result);
        } catch (SQLException | RuntimeException e) {
            action.finishAfter(e, run.sent(), 0, "ended by " + e.getClass().getSimpleName());
            console.say("dlq: " + People.count(run.sent(), "message") + " sent to " + target.topic() + " before this:");
            throw e;
        }
    }

    private String describe(ReplayPlan plan) {
        return plan.filter()
                + (limit == null ? "" : " --limit " + limit)
                + (canary == 0 ? "" : " --canary " + canary)
                + (assertUnprocessed ? " --assert-unprocessed" : "");
    }

    private void tell(ReplayResult result, ReplayTarget target) {
        ReplayOutcome.tell(console, result, target);
        if (result.aborted() != null) {
            console.say("dlq: " + result.aborted().why() + ". Run the same command again to go on");
        }
        if (result.interrupted()) {
            console.say("dlq: interrupted. Run the same command again to go on");
        }
    }

    private int dryRun(List<DryRun.Line> lines, ReplayTarget target) {
        long send = lines.stream()
                .filter(line -> line.why() == null)
                .mapToLong(DryRun.Line::count)
                .sum();
        long not = lines.stream().mapToLong(DryRun.Line::count).sum() - send;
        List<Column> columns =
                List.of(Column.whole("topic"), Column.whole("reason"), Column.number("count"), Column.text("outcome"));
        try (RowWriter writer = OutputFormat.TABLE.writer(columns, console)) {
            for (DryRun.Line line : lines) {
                writer.row(Arrays.<@Nullable Object>asList(
                        line.topic(),
                        line.reason(),
                        line.count(),
                        line.why() == null ? "would be sent" : "would not be sent: " + line.why()));
            }
        }
        console.say(People.count(send, "message") + " would be sent to " + target.topic()
                + (not == 0 ? "" : ", " + People.count(not) + " not") + ". Nothing was.");
        return ExitCodes.DONE;
    }
}
