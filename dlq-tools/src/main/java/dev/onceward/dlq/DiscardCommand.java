package dev.onceward.dlq;

import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.dlq.actions.Actor;
import dev.onceward.dlq.actions.Discarding;
import dev.onceward.dlq.connect.ConnectionOptions;
import dev.onceward.dlq.exit.UsageException;
import dev.onceward.dlq.output.Console;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

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
final class DiscardCommand implements Callable<Integer> {
    private final Console console;

    @Parameters(
            paramLabel = "ID",
            arity = "0..*",
            description = "topic/partition/offset of a record that first failed, or a message id.")
    private List<String> ids = new ArrayList<>();

    @Mixin
    private FilterOptions filter = new FilterOptions();

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

    @Option(
            names = {"-y", "--yes"},
            description = "Do not ask.",
            order = 27)
    private boolean yes;

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
        ids.forEach(filter::addId);
        if (filter.isEmpty() && !all) {
            throw new UsageException("say which: ids, filters, or --all");
        }
        String text = because.strip().replace("\u0000", "");
        return new MarkRun(console, connection, "discard", "discarded", yes)
                .run(
                        filter,
                        EnumSet.of(DeadLetterStatus.DEAD),
                        Discarding.DISCARDABLE,
                        text,
                        (discarding, letter) -> discarding.discard(letter, Actor.ofProcess(), text));
    }
}
