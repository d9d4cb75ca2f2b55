package dev.onceward.dlq;

import dev.onceward.dlq.exit.UsageException;
import dev.onceward.dlq.output.Console;
import picocli.CommandLine.Mixin;

/** What every command that changes dead letters takes: which ones, and whether to ask. A picocli mixin. */
final class ChangeOptions {
    @Mixin
    private LetterChoice choice = new LetterChoice();

    @Mixin
    private ConsentOption consent = new ConsentOption();

    /**
     * Which are meant.
     *
     * @param all whether the command was told to take all
     * @throws UsageException nothing says which
     */
    FilterOptions chosen(boolean all) {
        return choice.chosen(all);
    }

    /** Whether some are named one by one. */
    boolean names() {
        return choice.names();
    }

    Consent consent(Console console) {
        return consent.consent(console);
    }
}
