package dev.onceward.dlq;

import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.dlq.connect.ConnectionOptions;
import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.exit.ExitCodes;
import dev.onceward.dlq.exit.Stop;
import dev.onceward.dlq.index.LetterSource;
import dev.onceward.dlq.output.Console;
import dev.onceward.dlq.output.People;
import dev.onceward.dlq.transfer.ExportFile;
import dev.onceward.dlq.transfer.ExportResult;
import dev.onceward.dlq.transfer.ExportRun;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code dlq export}. */
@Command(
        name = "export",
        description = {
            "Writes dead letters to a file, with everything that is known of them, their payloads and headers. Those"
                    + " that a worker is about to publish are left out. Without --status: also those that are done with.",
            "",
            "JSON, one line for each, byte for byte; dlq import puts back what is gone. Readable by its owner only. An"
                    + " export that was interrupted goes on where it ended when the same command is run again.",
            "",
            "While the database cannot be reached, all that is in the dead-letter topic, without status."
        },
        sortOptions = true,
        mixinStandardHelpOptions = true)
@Manual(
        examples = {
            @Manual.Example(does = "Everything", command = "dlq export --all --file letters.jsonl"),
            @Manual.Example(
                    does = "Some of it",
                    command = "dlq export --topic payments --since 2d --file payments.jsonl")
        },
        seeAlso = {"import", "list"})
final class ExportCommand implements Callable<Integer> {
    private static final String STANDARD_OUTPUT = "-";
    private static final Set<DeadLetterStatus> ALL = EnumSet.allOf(DeadLetterStatus.class);

    private final Console console;

    @Mixin
    private LetterChoice choice = new LetterChoice();

    @Option(names = "--all", description = "All of the consumer.", order = 18)
    private boolean all;

    @Option(
            names = {"-f", "--file"},
            paramLabel = "FILE",
            required = true,
            description = "Where to; - is standard output.",
            order = 20)
    private String file = "";

    @Option(names = "--overwrite", description = "Throw away what is in the file.", order = 21)
    private boolean overwrite;

    @Mixin
    private LetterSources sources = new LetterSources();

    @Mixin
    private ConnectionOptions connection;

    ExportCommand(Console console) {
        this.console = console;
        this.connection = new ConnectionOptions(console);
    }

    @Override
    public Integer call() throws SQLException, IOException {
        FilterOptions filter = choice.chosen(all);
        try (Connections connections = connection.connections();
                Stop stop = Stop.listening()) {
            LetterSource source = sources.open(connections, console, filter.namesStatus());
            String consumer = Consumers.only(connections, source);
            NamedIds named =
                    NamedIds.of(source, filter.filter(consumer, ALL), ALL).tell(console);
            try (ExportFile target = target()) {
                ExportResult result = new ExportRun(connections, source, console, stop, target)
                        .run(consumer, startedAt -> filter.filter(consumer, ALL, startedAt));
                return named.exitCode(tell(result));
            }
        } catch (IOException e) {
            if (file.equals(STANDARD_OUTPUT) && console.out().checkError()) {
                // Whoever reads it had enough, or the disk behind it is full: the console knows which, and says so.
                return ExitCodes.SOME_FAILED;
            }
            throw e;
        }
    }

    private ExportFile target() throws IOException {
        return file.equals(STANDARD_OUTPUT) ? ExportFile.of(console.out()) : ExportFile.open(Path.of(file), overwrite);
    }

    private int tell(ExportResult result) {
        console.say(People.count(result.written(), "dead letter") + " written to "
                + (file.equals(STANDARD_OUTPUT) ? "standard output" : file)
                + (result.before() == 0 ? "" : ", behind " + People.count(result.before()) + " that were there already")
                + (result.lost() == 0 ? "" : ". " + People.count(result.lost()) + " have no payload any more"));
        if (!result.complete()) {
            console.say("dlq: interrupted. "
                    + (file.equals(STANDARD_OUTPUT)
                            ? "What was written is incomplete"
                            : "Run the same command again to go on"));
        }
        return result.complete() && result.lost() == 0 ? ExitCodes.DONE : ExitCodes.SOME_FAILED;
    }
}
