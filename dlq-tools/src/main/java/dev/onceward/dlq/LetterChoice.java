package dev.onceward.dlq;

import dev.onceward.dlq.exit.UsageException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Which dead letters a command is about, by ids and filters: a picocli mixin. */
final class LetterChoice {
    @Parameters(
            paramLabel = "ID",
            arity = "0..*",
            description =
                    "topic/partition/offset (or topic-partition@offset) of a record that first failed, or a message id.")
    private List<String> ids = new ArrayList<>();

    @Mixin
    private FilterOptions filter = new FilterOptions();

    /**
     * Which are meant.
     *
     * @param all whether the command was told to take all
     * @throws UsageException nothing says which: a forgotten filter must not mean all
     */
    FilterOptions chosen(boolean all) {
        any();
        if (filter.isEmpty() && !all) {
            throw new UsageException("say which: ids, filters, or --all");
        }
        return filter;
    }

    /** Which are meant, and all if nothing says which: for commands that only look. */
    FilterOptions any() {
        ids.forEach(filter::addId);
        return filter;
    }

    /** Whether some are named one by one. */
    boolean names() {
        return !ids.isEmpty();
    }
}
