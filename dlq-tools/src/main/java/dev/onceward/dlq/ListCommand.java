package dev.onceward.dlq;

import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.dlq.connect.ConnectionOptions;
import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.exit.ExitCodes;
import dev.onceward.dlq.exit.UsageException;
import dev.onceward.dlq.index.Filter;
import dev.onceward.dlq.index.LetterSource;
import dev.onceward.dlq.output.Console;
import dev.onceward.dlq.output.OutputFormat;
import dev.onceward.dlq.output.People;
import dev.onceward.dlq.output.RowWriter;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code dlq list}. */
@Command(
        name = "list",
        description = {
            "Lists dead letters, newest first, one line for each message.",
            "",
            "Without --status and ids: those that are not done with, that is pending, dead and replayed. The status"
                    + " shown is true: a dead letter whose message took effect after all is RESOLVED.",
            "",
            "While the database cannot be reached, all that is in the dead-letter topic, without status."
        },
        sortOptions = true,
        mixinStandardHelpOptions = true)
@Manual(
        examples = {
            @Manual.Example(does = "What is not done with, newest first", command = "dlq list"),
            @Manual.Example(
                    does = "Some of one topic, of the last two hours",
                    command = "dlq list --topic payments --exception Timeout --since 2h"),
            @Manual.Example(
                    does = "All of them, for a spreadsheet",
                    command = "dlq list --status all --limit 0 -o csv > letters.csv")
        },
        seeAlso = {"show", "stats", "replay"})
final class ListCommand implements Callable<Integer> {
    /** Not resolved, and nobody has given it up. */
    static final Set<DeadLetterStatus> UNFINISHED =
            EnumSet.of(DeadLetterStatus.PENDING, DeadLetterStatus.DEAD, DeadLetterStatus.REPLAYED);

    /** Whoever names one wants to see it, whatever became of it. */
    static final Set<DeadLetterStatus> ALL = EnumSet.allOf(DeadLetterStatus.class);

    private final Console console;

    @Mixin
    private LetterChoice choice = new LetterChoice();

    @Option(
            names = "--limit",
            paramLabel = "N",
            description = "At most so many; 0: all. Default: ${DEFAULT-VALUE}.",
            defaultValue = "100",
            order = 20)
    private long limit;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            description = "table, json, jsonl or csv. Default: ${DEFAULT-VALUE}.",
            defaultValue = "table",
            order = 21)
    private OutputFormat format = OutputFormat.TABLE;

    @Mixin
    private LetterSources sources = new LetterSources();

    @Mixin
    private ConnectionOptions connection;

    ListCommand(Console console) {
        this.console = console;
        this.connection = new ConnectionOptions(console);
    }

    /** A topic's consumers are known only when all of it has been read. */
    private static boolean mayBeSeveral(LetterSource source) throws SQLException {
        return !source.knowsStatus() || source.consumers().size() > 1;
    }

    @Override
    public Integer call() throws SQLException {
        if (limit < 0) {
            throw new UsageException("--limit: " + limit + " is less than none; 0 lists all");
        }
        try (Connections connections = connection.connections()) {
            FilterOptions filter = choice.any();
            Filter wanted = filter.filter(connections.consumer().orElse(null), filter.namesIds() ? ALL : UNFINISHED);
            LetterSource source = sources.open(connections, console, filter.namesStatus());
            Consumers.check(connections, source);
            LetterColumns columns = LetterColumns.of(source, wanted.consumer() == null && mayBeSeveral(source));
            long most = limit == 0 ? Long.MAX_VALUE : limit;
            AtomicLong found = new AtomicLong();
            try (RowWriter writer = format.writer(columns.columns(), console)) {
                // One more than is shown tells whether there are more: counting them all takes long where there are
                // many.
                source.list(wanted, most == Long.MAX_VALUE ? most : most + 1, letter -> {
                    if (found.incrementAndGet() <= most) {
                        writer.row(columns.values(letter));
                    }
                });
            }
            if (format == OutputFormat.TABLE && found.get() == 0) {
                console.say("No dead letters" + (wanted.isAll() ? "." : " like that."));
            } else if (format == OutputFormat.TABLE && found.get() > most) {
                console.say("The newest " + People.count(most) + " of " + People.count(source.count(wanted))
                        + ": see --limit.");
            }
            return ExitCodes.DONE;
        }
    }
}
