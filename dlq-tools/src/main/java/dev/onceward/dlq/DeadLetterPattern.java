package dev.onceward.dlq;

import picocli.CommandLine.Option;

/** The option that says how dead-letter topics are named: a picocli mixin. */
final class DeadLetterPattern {
    @Option(
            names = "--dead-letter-pattern",
            paramLabel = "NAME",
            description =
                    "Names of dead-letter topics, where the database does not tell them. Default: ${DEFAULT-VALUE}.",
            defaultValue = "dlq.{consumer}.{topic}",
            order = 31)
    private String value = "";

    String value() {
        return value;
    }
}
