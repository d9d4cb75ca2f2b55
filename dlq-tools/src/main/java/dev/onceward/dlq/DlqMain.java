package dev.onceward.dlq;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The {@code dlq} command. It has no subcommands yet: it prints its usage and its version.
 *
 * <p>Exit codes, which are kept from version to version: 0 done; 1 failed; 2 wrong usage.
 */
@Command(
        name = "dlq",
        description = "Works with the dead letters of Onceward consumers. This version has no subcommands yet.",
        mixinStandardHelpOptions = true,
        versionProvider = DlqMain.Version.class)
public final class DlqMain implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    DlqMain() {}

    /** See {@code --help}. */
    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        return new CommandLine(new DlqMain());
    }

    @Override
    public Integer call() {
        throw new ParameterException(spec.commandLine(), "Nothing to do: this version has no subcommands yet");
    }

    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = DlqMain.class.getPackage().getImplementationVersion();
            return new String[] {"dlq " + (version == null ? "(development)" : version)};
        }
    }
}
