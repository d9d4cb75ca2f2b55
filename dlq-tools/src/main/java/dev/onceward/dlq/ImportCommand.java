package dev.onceward.dlq;

import dev.onceward.dlq.actions.ActionLog;
import dev.onceward.dlq.actions.Actor;
import dev.onceward.dlq.connect.ConnectionOptions;
import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.exit.ExitCodes;
import dev.onceward.dlq.exit.RefusedException;
import dev.onceward.dlq.exit.Stop;
import dev.onceward.dlq.index.DeadLetterIndex;
import dev.onceward.dlq.output.Column;
import dev.onceward.dlq.output.Console;
import dev.onceward.dlq.output.OutputFormat;
import dev.onceward.dlq.output.People;
import dev.onceward.dlq.output.RowWriter;
import dev.onceward.dlq.transfer.ImportFile;
import dev.onceward.dlq.transfer.ImportKind;
import dev.onceward.dlq.transfer.ImportResult;
import dev.onceward.dlq.transfer.ImportRun;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code dlq import}. */
@Command(
        name = "import",
        description = {
            "Puts dead letters of a file of dlq export back, whose payload or whose row is gone. Sends nothing to the"
                    + " consumer: that is dlq replay.",
            "",
            "What is there stays as it is, what took effect stays so, and what was erased stays erased. It may be"
                    + " interrupted and run again at any time. Where nobody can tell any more whether a message took"
                    + " effect, it comes back as TOO_OLD."
        },
        sortOptions = true,
        mixinStandardHelpOptions = true)
@Manual(
        examples = {
            @Manual.Example(does = "See what it would do", command = "dlq import --file letters.jsonl --dry-run"),
            @Manual.Example(does = "Do it, without being asked", command = "dlq import --file letters.jsonl --yes")
        },
        seeAlso = {"export", "replay"})
final class ImportCommand implements Callable<Integer> {
    private final Console console;

    @Option(
            names = {"-f", "--file"},
            paramLabel = "FILE",
            required = true,
            description = "Written by dlq export.",
            order = 20)
    private Path file = Path.of("");

    @Option(names = "--dry-run", description = "Only say what would be done, and what not and why.", order = 21)
    private boolean dryRun;

    @Mixin
    private DeadLetterPattern deadLetterPattern = new DeadLetterPattern();

    @Mixin
    private ConsentOption consent = new ConsentOption();

    @Mixin
    private ConnectionOptions connection;

    ImportCommand(Console console) {
        this.console = console;
        this.connection = new ConnectionOptions(console);
    }

    @Override
    public Integer call() throws SQLException, IOException {
        try (Connections connections = connection.connections();
                Stop stop = Stop.listening()) {
            String consumer = Consumers.only(connections, new DeadLetterIndex(connections));
            ImportFile look = ImportFile.look(file);
            if (!look.consumer().equals(consumer)) {
                throw new RefusedException(file + " holds dead letters of the consumer " + look.consumer() + ", not of "
                        + consumer + ": give --consumer " + look.consumer() + ", or another file");
            }
            ImportRun run = new ImportRun(connections, console, stop, look, deadLetterPattern.value(), dryRun);
            if (dryRun) {
                return tell(run.run(), "Nothing was written.");
            }
            if (look.letters() > 1) {
                String what = People.count(look.letters(), "dead letter") + " of " + consumer + " from " + file;
                consent.consent(console).ask("import", what, "Import " + what + "?", "nothing was imported");
            }
            return run(connections, run, look);
        }
    }

    private int run(Connections connections, ImportRun run, ImportFile look) throws SQLException, IOException {
        ActionLog.Action action = new ActionLog(connections, Actor.ofProcess())
                .begin(look.consumer(), "import", "--file " + file, look.letters());
        try {
            ImportResult result = run.run();
            action.finish(outcome(result), result.done(), result.failed(), (result + "\n" + result.detail()).strip());
            return tell(result, "");
        } catch (SQLException | IOException | RuntimeException e) {
            ImportResult soFar = run.result();
            action.finishAfter(
                    e,
                    soFar.done(),
                    soFar.failed(),
                    soFar + "\nended by " + e.getClass().getSimpleName());
            throw e;
        }
    }

    private static ActionLog.Outcome outcome(ImportResult result) {
        if (result.interrupted()) {
            return ActionLog.Outcome.INTERRUPTED;
        }
        if (result.onlyRefused()) {
            return ActionLog.Outcome.REFUSED;
        }
        return result.failed() == 0 && result.complete() ? ActionLog.Outcome.DONE : ActionLog.Outcome.PARTLY;
    }

    private int tell(ImportResult result, String last) {
        try (RowWriter writer =
                OutputFormat.TABLE.writer(List.of(Column.number("count"), Column.whole("outcome")), console)) {
            for (ImportKind kind : ImportKind.values()) {
                if (result.kinds().containsKey(kind)) {
                    writer.row(List.of(result.kinds().get(kind), kind.toString()));
                }
            }
        }
        if (result.kinds().containsKey(ImportKind.ADDED_TOO_OLD)) {
            console.say("TOO_OLD: nobody can tell whether it took effect. dlq replay sends it only with"
                    + " --assert-unprocessed");
        }
        if (!last.isEmpty()) {
            console.say(last);
        }
        if (result.interrupted()) {
            console.say("dlq: interrupted. Run the same command again to go on");
        } else if (!result.complete()) {
            console.say("dlq: " + file + " is incomplete: it has not as many letters as its last line says, or no such"
                    + " line. What is there was looked at; run dlq export again to complete it");
        }
        if (result.onlyRefused()) {
            return ExitCodes.REFUSED;
        }
        return result.failed() == 0 && result.complete() && !result.interrupted()
                ? ExitCodes.DONE
                : ExitCodes.SOME_FAILED;
    }
}
