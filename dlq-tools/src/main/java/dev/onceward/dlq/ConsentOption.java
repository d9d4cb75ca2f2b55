package dev.onceward.dlq;

import dev.onceward.dlq.output.Console;
import picocli.CommandLine.Option;

/** The option that answers before it is asked: a picocli mixin. */
final class ConsentOption {
    @Option(
            names = {"-y", "--yes"},
            description = "Do not ask.",
            order = 27)
    private boolean yes;

    Consent consent(Console console) {
        return new Consent(console, yes);
    }
}
