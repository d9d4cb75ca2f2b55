package dev.onceward.dlq;

import picocli.AutoComplete;
import picocli.CommandLine.Command;

/** {@code dlq completion}. */
@Command(
        name = "completion",
        description = {
            "Writes a script with which bash and zsh complete commands and options.",
            "",
            "For the shell that reads it: source it in the file that the shell reads when it starts."
        },
        mixinStandardHelpOptions = true)
@Manual(
        examples = {
            @Manual.Example(does = "In this shell", command = "source <(dlq completion)"),
            @Manual.Example(does = "In every shell", command = "dlq completion > ~/.local/share/dlq-completion")
        })
final class CompletionCommand extends AutoComplete.GenerateCompletion {}
