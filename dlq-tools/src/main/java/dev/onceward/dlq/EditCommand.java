package dev.onceward.dlq;

import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.dlq.actions.ActionLog;
import dev.onceward.dlq.actions.Actor;
import dev.onceward.dlq.connect.ConnectionOptions;
import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.edit.PayloadChange;
import dev.onceward.dlq.edit.PayloadEditor;
import dev.onceward.dlq.exit.ExitCodes;
import dev.onceward.dlq.exit.RefusedException;
import dev.onceward.dlq.exit.Stop;
import dev.onceward.dlq.exit.UsageException;
import dev.onceward.dlq.index.DeadLetterIndex;
import dev.onceward.dlq.index.Filter;
import dev.onceward.dlq.index.Letter;
import dev.onceward.dlq.output.Console;
import dev.onceward.dlq.output.Times;
import dev.onceward.dlq.replay.Edit;
import dev.onceward.dlq.replay.EditedPayload;
import dev.onceward.dlq.replay.Eligibility;
import dev.onceward.dlq.replay.Rate;
import dev.onceward.dlq.replay.ReplayPlan;
import dev.onceward.dlq.replay.ReplayResult;
import dev.onceward.dlq.replay.ReplayRun;
import dev.onceward.dlq.replay.ReplayTarget;
import dev.onceward.dlq.topic.LetterReader;
import dev.onceward.dlq.topic.Payload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code dlq edit}. */
@Command(
        name = "edit",
        description = {
            "Changes the payload of one dead letter, and sends it to its consumer again.",
            "",
            "Opens it in the editor of VISUAL or EDITOR, or takes it from a file. Message id, key and headers stay. Shows"
                    + " what changed, and asks. Only one of the payloads that were ever sent under its id takes effect."
        },
        sortOptions = true,
        mixinStandardHelpOptions = true)
@Manual(
        examples = {
            @Manual.Example(does = "In the editor", command = "dlq edit payment-4711"),
            @Manual.Example(
                    does = "With a payload from a file",
                    command = "dlq edit payment-4711 --value-file mended.json --yes")
        },
        seeAlso = {"show", "replay"})
final class EditCommand implements Callable<Integer> {
    private static final String STANDARD_INPUT = "-";

    private final Console console;

    @Parameters(
            index = "0",
            paramLabel = "ID",
            description = "topic/partition/offset of the record that first failed, or a message id.")
    private String id = "";

    @Option(
            names = "--value-file",
            paramLabel = "FILE",
            description = "The new payload, byte for byte; - is standard input, with --yes.",
            order = 20)
    private @Nullable String valueFile;

    @Option(names = "--tombstone", description = "The new payload is null.", order = 21)
    private boolean tombstone;

    @Option(
            names = {"-m", "--because"},
            paramLabel = "TEXT",
            description = "Why, for those who ask later.",
            order = 22)
    private String because = "";

    @Option(names = "--wait", description = "Wait until it took effect or is dead again, and tell which.", order = 24)
    private boolean wait;

    @Option(
            names = "--wait-timeout",
            paramLabel = "TIME",
            description = "How long --wait waits. Default: ${DEFAULT-VALUE}.",
            defaultValue = "10m",
            order = 25)
    private String waitTimeout = "10m";

    @Option(
            names = "--assert-unprocessed",
            description = "If it is TOO_OLD: you know that it was never processed. Your name is recorded.",
            order = 26)
    private boolean assertUnprocessed;

    @Mixin
    private ConsentOption yes = new ConsentOption();

    @Mixin
    private ConnectionOptions connection;

    EditCommand(Console console) {
        this.console = console;
        this.connection = new ConnectionOptions(console);
    }

    @Override
    public Integer call() throws SQLException {
        if (tombstone && valueFile != null) {
            throw new UsageException("--tombstone and --value-file: only one of them");
        }
        if (STANDARD_INPUT.equals(valueFile) && !yes.consent(console).given()) {
            throw new UsageException("--value-file -: the answer cannot come from there, too; give --yes");
        }
        Duration patience = patience();
        // Listening from the beginning: Ctrl-C must not leave the payload's file behind.
        try (Connections connections = connection.connections();
                Stop stop = Stop.listening()) {
            DeadLetterIndex index = new DeadLetterIndex(connections);
            Letter letter = OneLetter.of(index, id, connections.consumer().orElse(null));
            requireDead(letter);
            ReplayTarget target = ReplayTarget.of(connections, letter.consumer());
            String refusal = new Eligibility(target, assertUnprocessed).refusalOfAny(letter);
            if (refusal != null) {
                throw new RefusedException(letter.name() + ": " + refusal);
            }
            byte @Nullable [] before;
            try (LetterReader reader = new LetterReader(connections)) {
                Payload payload = reader.read(letter);
                if (payload instanceof Payload.Missing missing) {
                    console.say("dlq: its payload cannot be edited: " + missing.why());
                    return ExitCodes.SOME_FAILED;
                }
                before = ((Payload.Found) payload).copy().value();
            }
            PayloadChange change = new PayloadChange(before, edited(before));
            if (change.isNone() && letter.history().editedPayloadHash() == null) {
                console.say("Nothing is changed: nothing was sent. dlq replay sends it as it is.");
                return ExitCodes.DONE;
            }
            show(letter, change);
            WorkersRunning.warnIfNone(console, connections, letter.consumer());
            if (stop.requested()) {
                throw new RefusedException("interrupted: nothing was sent");
            }
            yes.consent(console)
                    .ask(
                            "send",
                            letter.name() + " with another payload",
                            "Send " + letter.name() + " with this payload to " + target.topic() + "?",
                            "nothing was sent");
            return send(connections, index, target, stop, letter, change, patience);
        }
    }

    private Duration patience() {
        try {
            return Times.duration(waitTimeout);
        } catch (IllegalArgumentException e) {
            throw new UsageException("--wait-timeout: " + e.getMessage());
        }
    }

    private static void requireDead(Letter letter) {
        String why = switch (letter.status()) {
            case DEAD -> null;
            case REPLAYED ->
                "it was sent and no worker has finished it yet. What was sent may still take effect,"
                        + " and an edited one would be the same id with other content. Wait for the workers; if what"
                        + " was sent is lost, dlq discard it, dlq restore it, and edit it then";
            case DISCARDED ->
                letter.history().erasedAt() == null
                        ? "it is discarded: take that back with dlq restore first"
                        : "its data were erased";
            case RESOLVED -> "its message took effect";
            case PENDING -> "a worker is about to publish it: try again in a moment";
        };
        if (why != null) {
            throw new RefusedException(letter.name() + " is " + letter.status() + ": " + why);
        }
    }

    private byte @Nullable [] edited(byte @Nullable [] before) {
        if (tombstone) {
            return null;
        }
        try {
            if (STANDARD_INPUT.equals(valueFile)) {
                return System.in.readAllBytes();
            }
            if (valueFile != null) {
                return Files.readAllBytes(Path.of(valueFile));
            }
        } catch (IOException e) {
            throw new UsageException("--value-file: " + valueFile + " cannot be read: " + e.getMessage());
        }
        byte[] saved = PayloadEditor.of(console.environment()).edit(before == null ? new byte[0] : before);
        // An editor shows a tombstone as an empty file, and leaves one.
        return before == null && saved.length == 0 ? null : saved;
    }

    private void show(Letter letter, PayloadChange change) {
        console.say(letter.name() + ": "
                + String.join("\n", change.lines(console.terminal().width())));
        if (change.isNone()) {
            console.say("dlq: this is the original payload");
        }
        if (change.breaksJson()) {
            console.say("dlq: it was JSON, and is not any more");
        }
        if (letter.history().editedPayloadHash() != null) {
            console.say("dlq: another payload was sent in its place, or may have been, by "
                    + letter.history().editedBy() + ": the first that the workers process takes effect, the other"
                    + " becomes a dead letter");
        }
    }

    private int send(
            Connections connections,
            DeadLetterIndex index,
            ReplayTarget target,
            Stop stop,
            Letter letter,
            PayloadChange change,
            Duration patience)
            throws SQLException {
        ActionLog log = new ActionLog(connections, Actor.ofProcess());
        Edit edit = new Edit(letter, change.after(), log.actor().toString());
        ReplayPlan plan = new ReplayPlan(
                new Filter(
                        letter.consumer(),
                        List.of(letter.name()),
                        List.of(),
                        List.of(),
                        List.of(),
                        null,
                        null,
                        null,
                        EnumSet.of(DeadLetterStatus.DEAD)),
                Long.MAX_VALUE,
                Rate.unlimited(),
                0,
                wait,
                patience,
                assertUnprocessed ? edit.by() : null);
        String what = "payload hash " + hex(letter.record().payloadHash()) + " → " + hex(edit.hash())
                + (because.isBlank() ? "" : "\n" + because.strip());
        ReplayRun run = new ReplayRun(
                connections, console, target, plan, new EditedPayload(connections, edit), stop, index.now(), 1);
        ActionLog.Action action = log.begin(
                letter.consumer(),
                "edit",
                "--id " + letter.name() + (assertUnprocessed ? " --assert-unprocessed" : ""),
                1);
        try {
            ReplayResult result = run.run();
            if (result.sent() == 0 && result.notSent() == 0 && result.aborted() == null && !result.interrupted()) {
                action.finish(ActionLog.Outcome.REFUSED, 0, 1, what + "\nchanged in the meantime");
                throw new RefusedException(
                        letter.name() + " has changed in the meantime: nothing was sent. Look at it with dlq show");
            }
            action.finish(
                    ReplayOutcome.of(result),
                    result.sent(),
                    result.notSent(),
                    (what + "\n" + ReplayOutcome.detail(result)).strip());
            ReplayOutcome.tell(console, result, target);
            if (result.aborted() != null) {
                console.say("dlq: " + result.aborted().why());
            }
            return ReplayOutcome.exitCode(result);
        } catch (SQLException | RuntimeException e) {
            action.finishAfter(
                    e, run.sent(), 0, what + "\nended by " + e.getClass().getSimpleName());
            throw e;
        }
    }

    private static String hex(long hash) {
        return HexFormat.of().toHexDigits(hash);
    }
}
