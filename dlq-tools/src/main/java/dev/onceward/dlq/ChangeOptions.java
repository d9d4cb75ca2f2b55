package dev.onceward.dlq;

import dev.onceward.dlq.exit.UsageException;
import dev.onceward.dlq.output.Console;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What every command that changes dead letters takes: which ones, and whether to ask. A picocli mixin. */
final class ChangeOptions {
    @Parameters(
            paramLabel = "ID",
            arity = "0..*",
            description = "topic/partition/offset of a record that first failed, or a message id.")
    private List<String> ids = new ArrayList<>();

    @Mixin
    private FilterOptions filter = new FilterOptions();

    @Option(
            names = {"-y", "--yes"},
            description = "Do not ask.",
            order = 27)
    private boolean yes;

    /**
     * Which are meant.
     *
     * @param all whether the command was told to take all
     * @throws UsageException nothing says which: a forgotten filter must not mean all
     */
    FilterOptions chosen(boolean all) {
        ids.forEach(filter::addId);
        if (filter.isEmpty() && !all) {
            throw new UsageException("say which: ids, filters, or --all");
        }
        return filter;
    }

    /** Whether some are named one by one. */
    boolean names() {
        return !ids.isEmpty();
    }

    Consent consent(Console console) {
        return new Consent(console, yes);
    }
}
