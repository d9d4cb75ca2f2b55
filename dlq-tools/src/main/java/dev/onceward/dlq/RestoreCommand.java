package dev.onceward.dlq;

import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.dlq.actions.Discarding;
import dev.onceward.dlq.connect.ConnectionOptions;
import dev.onceward.dlq.output.Console;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code dlq restore}. */
@Command(
        name = "restore",
        description = "Takes dlq discard back: the dead letters are dead again, and can be replayed.",
        sortOptions = true,
        mixinStandardHelpOptions = true)
@Manual(
        examples = {
            @Manual.Example(does = "One message", command = "dlq restore payment-4711"),
            @Manual.Example(
                    does = "All that were discarded of one topic",
                    command = "dlq restore --topic payments --yes")
        },
        seeAlso = {"discard", "replay"})
final class RestoreCommand implements Callable<Integer> {
    private static final Set<DeadLetterStatus> DISCARDED = EnumSet.of(DeadLetterStatus.DISCARDED);

    private final Console console;

    @Mixin
    private ChangeOptions change = new ChangeOptions();

    @Option(names = "--all", description = "All that are discarded.", order = 18)
    private boolean all;

    @Mixin
    private ConnectionOptions connection;

    RestoreCommand(Console console) {
        this.console = console;
        this.connection = new ConnectionOptions(console);
    }

    @Override
    public Integer call() throws SQLException {
        FilterOptions filter = change.chosen(all);
        return new MarkRun(console, connection, "restore", "restored", change.consent(console))
                .run(filter, DISCARDED, DISCARDED, "", Discarding::restore);
    }
}
