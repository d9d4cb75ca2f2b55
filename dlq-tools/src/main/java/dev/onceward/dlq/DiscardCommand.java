package dev.onceward.dlq;

import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.dlq.actions.Actor;
import dev.onceward.dlq.actions.Discarding;
import dev.onceward.dlq.connect.ConnectionOptions;
import dev.onceward.dlq.exit.UsageException;
import dev.onceward.dlq.output.Console;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code dlq discard}. */
@Command(
        name = "discard",
        description = {
            "Marks dead letters as not to be processed, with who, when and why.",
            "",
            "Nothing is deleted: dlq restore takes it back, and dlq list --status discarded shows them."
        },
        sortOptions = true,
        mixinStandardHelpOptions = true)
@Manual(
        examples = {
            @Manual.Example(
                    does = "One message",
                    command = "dlq discard payment-4711 --because \"refunded, see T-4711\""),
            @Manual.Example(
                    does = "All of one kind",
                    command = "dlq discard --exception Permanent --because \"refunded\" --yes")
        },
        seeAlso = {"restore", "list", "replay"})
final class DiscardCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    private ChangeOptions change = new ChangeOptions();

    @Option(names = "--all", description = "All that are dead.", order = 18)
    private boolean all;

    // Not --reason: that one filters, as it does everywhere.
    @Option(
            names = {"-m", "--because"},
            paramLabel = "TEXT",
            required = true,
            description = "Why, for those who ask later.",
            order = 20)
    private String because = "";

    @Mixin
    private ConnectionOptions connection;

    DiscardCommand(Console console) {
        this.console = console;
        this.connection = new ConnectionOptions(console);
    }

    @Override
    public Integer call() throws SQLException {
        if (because.isBlank()) {
            throw new UsageException("--because: say why");
        }
        FilterOptions filter = change.chosen(all);
        String text = because.strip().replace("\u0000", "");
        return new MarkRun(console, connection, "discard", "discarded", change.consent(console))
                .run(
                        filter,
                        EnumSet.of(DeadLetterStatus.DEAD),
                        Discarding.DISCARDABLE,
                        text,
                        (discarding, letters) -> discarding.discard(letters, Actor.ofProcess(), text));
    }
}
