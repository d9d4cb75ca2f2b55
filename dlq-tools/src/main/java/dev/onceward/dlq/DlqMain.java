package dev.onceward.dlq;

import dev.onceward.dlq.exit.ExitCodes;
import dev.onceward.dlq.output.Console;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code dlq} command. Its exit codes are {@link dev.onceward.dlq.exit.ExitCodes}. */
@Command(
        name = "dlq",
        description = "Works with the dead letters of Onceward consumers: what failed and why, and sending it again.",
        mixinStandardHelpOptions = true,
        versionProvider = DlqMain.Version.class,
        synopsisSubcommandLabel = "COMMAND")
@Manual(
        examples = {
            @Manual.Example(does = "What failed, and what it has in common", command = "dlq stats"),
            @Manual.Example(
                    does = "The cause is mended: try five, then send the rest",
                    command = "dlq replay --all --canary 5 --wait"),
            @Manual.Example(does = "Something is wrong, and nobody knows what", command = "dlq doctor")
        },
        seeAlso = {"COMMAND --help"})
public final class DlqMain implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    DlqMain() {}

    /** See {@code --help}. */
    public static void main(String[] arguments) {
        System.exit(commandLine(Console.ofProcess()).execute(arguments));
    }

    static CommandLine commandLine(Console console) {
        CommandLine commands = new CommandLine(new DlqMain());
        // One line for each command, in the order in which help lists them.
        commands.addSubcommand(new ListCommand(console));
        commands.addSubcommand(new StatsCommand(console));
        commands.addSubcommand(new ShowCommand(console));
        commands.addSubcommand(new ReplayCommand(console));
        commands.addSubcommand(new EditCommand(console));
        commands.addSubcommand(new DiscardCommand(console));
        commands.addSubcommand(new RestoreCommand(console));
        commands.addSubcommand(new EraseCommand(console));
        commands.addSubcommand(new ExportCommand(console));
        commands.addSubcommand(new ImportCommand(console));
        commands.addSubcommand(new AgeCommand(console));
        commands.addSubcommand(new CommandLine(new WorkersCommand(console)).addSubcommand(new EvictCommand(console)));
        commands.addSubcommand(new DoctorCommand(console));
        commands.addSubcommand(new CompletionCommand());
        ManualPages.layOut(commands);
        Failures failures = new Failures(console);
        CommandLine.IExecutionStrategy runs = new CommandLine.RunLast();
        commands.setExecutionStrategy(parsed -> {
            int exitCode = runs.execute(parsed);
            return console.wroteEverything() || exitCode != ExitCodes.DONE ? exitCode : ExitCodes.SOME_FAILED;
        });
        return commands.setOut(new PrintWriter(console.out(), true, StandardCharsets.UTF_8))
                .setErr(new PrintWriter(console.err(), true, StandardCharsets.UTF_8))
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setUsageHelpWidth(Math.min(Math.max(console.terminal().width(), 60), 110))
                .setColorScheme(CommandLine.Help.defaultColorScheme(
                        console.terminal().output() && console.terminal().colour() ? Ansi.ON : Ansi.OFF))
                .setParameterExceptionHandler(failures)
                .setExecutionExceptionHandler(failures);
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is missing");
    }

    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = DlqMain.class.getPackage().getImplementationVersion();
            return new String[] {"dlq " + (version == null ? "(development)" : version)};
        }
    }
}
