package dev.onceward.dlq;

import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.dlq.actions.Discarding;
import dev.onceward.dlq.connect.ConnectionOptions;
import dev.onceward.dlq.exit.UsageException;
import dev.onceward.dlq.output.Console;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code dlq restore}. */
@Command(
        name = "restore",
        description = "Takes dlq discard back: the dead letters are dead again, and can be replayed.",
        sortOptions = true,
        mixinStandardHelpOptions = true)
final class RestoreCommand implements Callable<Integer> {
    private static final Set<DeadLetterStatus> DISCARDED = EnumSet.of(DeadLetterStatus.DISCARDED);

    private final Console console;

    @Parameters(
            paramLabel = "ID",
            arity = "0..*",
            description = "topic/partition/offset of a record that first failed, or a message id.")
    private List<String> ids = new ArrayList<>();

    @Mixin
    private FilterOptions filter = new FilterOptions();

    @Option(names = "--all", description = "All that are discarded.", order = 18)
    private boolean all;

    @Option(
            names = {"-y", "--yes"},
            description = "Do not ask.",
            order = 27)
    private boolean yes;

    @Mixin
    private ConnectionOptions connection;

    RestoreCommand(Console console) {
        this.console = console;
        this.connection = new ConnectionOptions(console);
    }

    @Override
    public Integer call() throws SQLException {
        ids.forEach(filter::addId);
        if (filter.isEmpty() && !all) {
            throw new UsageException("say which: ids, filters, or --all");
        }
        return new MarkRun(console, connection, "restore", "restored", yes)
                .run(filter, DISCARDED, DISCARDED, "", Discarding::restore);
    }
}
