package dev.onceward.dlq;

import dev.onceward.dlq.connect.ConnectionOptions;
import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.exit.ExitCodes;
import dev.onceward.dlq.index.DeadLetterIndex;
import dev.onceward.dlq.index.Filter;
import dev.onceward.dlq.index.Stats;
import dev.onceward.dlq.output.Column;
import dev.onceward.dlq.output.Console;
import dev.onceward.dlq.output.OutputFormat;
import dev.onceward.dlq.output.People;
import dev.onceward.dlq.output.Printable;
import dev.onceward.dlq.output.RowWriter;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code dlq stats}. */
@Command(
        name = "stats",
        description = {
            "Counts dead letters by what they have in common: where to begin when there are many.",
            "",
            "Without --status and ids: those that are not done with, that is pending, dead and replayed."
        },
        sortOptions = true,
        mixinStandardHelpOptions = true)
@Manual(
        examples = {
            @Manual.Example(does = "What the dead letters have in common", command = "dlq stats"),
            @Manual.Example(
                    does = "By status, also of those that are done with",
                    command = "dlq stats --by status --status all"),
            @Manual.Example(does = "Since yesterday, for a script", command = "dlq stats --since 1d -o json")
        },
        seeAlso = {"list"})
final class StatsCommand implements Callable<Integer> {
    private static final List<Stats.By> USUAL =
            List.of(Stats.By.REASON, Stats.By.EXCEPTION, Stats.By.TOPIC, Stats.By.HOUR);
    private static final int LONGEST_BAR = 20;
    private static final int SHORTEST_BAR = 5;
    /** Columns of the numbers and times beside the value, with the gaps. */
    private static final int NUMBERS = 40;

    private final Console console;

    @Mixin
    private LetterChoice choice = new LetterChoice();

    @Option(
            names = "--by",
            paramLabel = "WHAT",
            split = ",",
            description = "${COMPLETION-CANDIDATES}. May be repeated. Default: reason, exception, topic, hour.",
            order = 20)
    private List<Stats.By> by = new ArrayList<>();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            description = "table, json, jsonl or csv. Default: ${DEFAULT-VALUE}.",
            defaultValue = "table",
            order = 21)
    private OutputFormat format = OutputFormat.TABLE;

    @Mixin
    private ConnectionOptions connection;

    StatsCommand(Console console) {
        this.console = console;
        this.connection = new ConnectionOptions(console);
    }

    @Override
    public Integer call() throws SQLException {
        try (Connections connections = connection.connections()) {
            FilterOptions filter = choice.any();
            Filter wanted = filter.filter(
                    connections.consumer().orElse(null), filter.namesIds() ? ListCommand.ALL : ListCommand.UNFINISHED);
            DeadLetterIndex index = new DeadLetterIndex(connections);
            Consumers.check(connections, index);
            Map<Stats.By, List<Stats.Group>> stats = index.stats(wanted, by.isEmpty() ? USUAL : by);
            // Each kind has them all.
            long all = stats.values().iterator().next().stream()
                    .mapToLong(Stats.Group::count)
                    .sum();
            if (format == OutputFormat.TABLE) {
                tables(stats, all, index.now());
            } else {
                rows(stats, all);
            }
            return ExitCodes.DONE;
        }
    }

    private void tables(Map<Stats.By, List<Stats.Group>> stats, long all, Instant now) {
        console.out().println(People.count(all, "dead letter"));
        if (all == 0) {
            return;
        }
        stats.forEach((what, groups) -> {
            console.out().println();
            List<Column> columns = new ArrayList<>(List.of(
                    new Column("value", what.name(), false, 12),
                    Column.number("count"),
                    Column.number("share"),
                    Column.number("oldest"),
                    Column.number("newest")));
            if (console.terminal().output()) {
                columns.add(new Column("bar", " ", false, Column.WHOLE));
            }
            long largest = groups.stream().mapToLong(Stats.Group::count).max().orElse(1);
            int bar = barLength(groups);
            try (RowWriter writer = OutputFormat.TABLE.writer(columns, console)) {
                for (Stats.Group group : groups) {
                    writer.row(Arrays.<@Nullable Object>asList(
                            group.value(),
                            group.count(),
                            percent(group.count(), all),
                            age(group.oldest(), now),
                            age(group.newest(), now),
                            bar(group.count(), largest, bar)));
                }
            }
        });
    }

    private void rows(Map<Stats.By, List<Stats.Group>> stats, long all) {
        List<Column> columns = List.of(
                Column.text("by"),
                Column.text("value"),
                Column.number("count"),
                Column.number("share"),
                Column.whole("oldest"),
                Column.whole("newest"));
        try (RowWriter writer = format.writer(columns, console)) {
            stats.forEach((what, groups) -> {
                for (Stats.Group group : groups) {
                    double share = Math.round(1000.0 * group.count() / all) / 1000.0;
                    writer.row(Arrays.<@Nullable Object>asList(
                            what.toString(), group.value(), group.count(), share, group.oldest(), group.newest()));
                }
            });
        }
    }

    /** Short, so that the bars have room; programs get the instants. */
    private static String age(Instant instant, Instant now) {
        return People.duration(Duration.between(instant, now).truncatedTo(ChronoUnit.SECONDS));
    }

    private static String percent(long count, long all) {
        long percent = Math.round(100.0 * count / all);
        return percent == 0 ? "<1%" : percent + "%";
    }

    /** What the longest value leaves. */
    private int barLength(List<Stats.Group> groups) {
        int longest = groups.stream()
                .mapToInt(group -> Printable.width(group.value()))
                .max()
                .orElse(0);
        return Math.max(SHORTEST_BAR, Math.min(LONGEST_BAR, console.terminal().width() - longest - NUMBERS));
    }

    private static String bar(long count, long largest, int length) {
        return "█".repeat((int) Math.max(1, Math.round((double) length * count / largest)));
    }
}
