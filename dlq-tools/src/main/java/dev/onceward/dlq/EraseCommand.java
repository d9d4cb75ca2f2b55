package dev.onceward.dlq;

import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.dlq.connect.ConnectionOptions;
import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.erase.ErasableRow;
import dev.onceward.dlq.erase.ErasedLetter;
import dev.onceward.dlq.erase.Erasure;
import dev.onceward.dlq.erase.Leftovers;
import dev.onceward.dlq.erase.Tombstones;
import dev.onceward.dlq.exit.ExitCodes;
import dev.onceward.dlq.exit.RefusedException;
import dev.onceward.dlq.exit.Stop;
import dev.onceward.dlq.exit.UsageException;
import dev.onceward.dlq.index.DeadLetterIndex;
import dev.onceward.dlq.index.Letter;
import dev.onceward.dlq.output.Console;
import dev.onceward.dlq.output.People;
import dev.onceward.dlq.replay.ReplayTarget;
import dev.onceward.dlq.topic.TopicFacts;
import dev.onceward.dlq.transfer.FileErasure;
import dev.onceward.handler.Coordinates;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code dlq erase}. */
@Command(
        name = "erase",
        description = {
            "Removes personal data of dead letters for good: key and error texts, of every failure of the message.",
            "",
            "The fact stays: where and when it failed, its message id, the reason, the hash. They cannot be shown, replayed"
                    + " or restored any more. In a compacted dead-letter topic a tombstone is written first. Says what"
                    + " still exists in Kafka, and until when."
        },
        sortOptions = true,
        mixinStandardHelpOptions = true)
@Manual(
        examples = {
            @Manual.Example(
                    does = "One message, because a customer asked for it",
                    command = "dlq erase payment-4711 --because \"request of 3 May\""),
            @Manual.Example(
                    does = "Out of an export that was made before, too",
                    command = "dlq erase payment-4711 --because \"request of 3 May\" --file before.jsonl"),
            @Manual.Example(
                    does = "Two, without being asked",
                    command = "dlq erase payment-4711 payments/1/326 --because \"request\" --yes")
        },
        seeAlso = {"show", "discard"})
final class EraseCommand implements Callable<Integer> {
    private final Console console;

    @Parameters(
            paramLabel = "ID",
            arity = "1..*",
            description = "topic/partition/offset of a record that first failed, or a message id.")
    private List<String> ids = new ArrayList<>();

    @Option(
            names = {"-m", "--because"},
            paramLabel = "TEXT",
            required = true,
            description = "Why, for those who ask later. It stays: no personal data.",
            order = 20)
    private String because = "";

    @Option(
            names = "--file",
            paramLabel = "F",
            description = "Take them out of this export, too. May be repeated.",
            order = 21)
    private List<Path> files = new ArrayList<>();

    @Mixin
    private ConsentOption yes = new ConsentOption();

    @Mixin
    private ConnectionOptions connection;

    EraseCommand(Console console) {
        this.console = console;
        this.connection = new ConnectionOptions(console);
    }

    @Override
    public Integer call() throws SQLException, IOException {
        if (because.isBlank()) {
            throw new UsageException("--because: say why");
        }
        for (Path file : files) {
            FileErasure.check(file);
        }
        try (Connections connections = connection.connections();
                Stop stop = Stop.listening()) {
            DeadLetterIndex index = new DeadLetterIndex(connections);
            Erasure erasure = new Erasure(connections);
            List<ErasedLetter> letters = letters(connections, index, erasure);
            refusePending(letters);
            // Kafka is needed in any case: whether a topic is compacted must be known, not guessed.
            ReplayTarget target =
                    ReplayTarget.of(connections, letters.get(0).letter().consumer());
            Map<String, TopicFacts> facts = TopicFacts.read(connections, topics(letters, target));
            List<ErasedLetter> open =
                    letters.stream().filter(letter -> !letter.isDone()).toList();
            Tombstones tombstones = Tombstones.plan(connections, open, facts);
            EraseRun.Ending ending = EraseRun.Ending.ERASED;
            if (!open.isEmpty()) {
                erasure.checkRights();
                confirm(open, tombstones);
                if (stop.requested()) {
                    throw new RefusedException("interrupted: nothing was erased");
                }
                ending = new EraseRun(console, connections, open, tombstones)
                        .run(because.strip().replace("\u0000", ""));
                if (ending == EraseRun.Ending.ONLY_TOMBSTONES) {
                    return ExitCodes.SOME_FAILED;
                }
            }
            tell(letters, open.size(), new Leftovers(target.topic(), facts), erasure);
            boolean files = eraseFromFiles(letters);
            return files && ending == EraseRun.Ending.ERASED ? ExitCodes.DONE : ExitCodes.SOME_FAILED;
        }
    }

    private List<ErasedLetter> letters(Connections connections, DeadLetterIndex index, Erasure erasure)
            throws SQLException {
        Map<String, ErasedLetter> letters = new LinkedHashMap<>();
        Set<String> consumers = new HashSet<>();
        for (String id : ids) {
            Letter letter = OneLetter.of(index, id, connections.consumer().orElse(null));
            consumers.add(letter.consumer());
            letters.put(
                    letter.consumer() + " " + letter.name() + " "
                            + letter.origin().timestamp(),
                    erasure.look(letter));
        }
        if (consumers.size() > 1) {
            throw new UsageException("--consumer: these are of several: " + String.join(", ", consumers));
        }
        return List.copyOf(letters.values());
    }

    private static void refusePending(List<ErasedLetter> letters) {
        List<String> pending = letters.stream()
                .filter(letter -> letter.rows().stream().anyMatch(row -> row.status() == DeadLetterStatus.PENDING))
                .map(letter -> letter.letter().name())
                .toList();
        if (!pending.isEmpty()) {
            throw new RefusedException(
                    "a worker is about to publish " + String.join(", ", pending) + ": try again in a moment");
        }
    }

    private static Set<String> topics(List<ErasedLetter> letters, ReplayTarget target) {
        Set<String> topics = new HashSet<>();
        topics.add(target.topic());
        for (ErasedLetter letter : letters) {
            topics.add(letter.letter().origin().coordinates().topic());
            for (ErasableRow row : letter.rows()) {
                Coordinates copy = row.copy();
                if (copy != null) {
                    topics.add(copy.topic());
                }
            }
        }
        return topics;
    }

    private void confirm(List<ErasedLetter> open, Tombstones tombstones) {
        String what = People.count(open.size(), "dead letter") + " ("
                + String.join(
                        ", ",
                        open.stream().map(letter -> letter.letter().name()).toList())
                + ")";
        yes.consent(console)
                .ask(
                        "erase",
                        what,
                        "Erase " + what + " for good"
                                + (tombstones.count() == 0
                                        ? ""
                                        : ", and write " + People.count(tombstones.count(), "tombstone"))
                                + "?",
                        "nothing was erased");
    }

    private void tell(List<ErasedLetter> letters, int erased, Leftovers leftovers, Erasure erasure)
            throws SQLException {
        console.out()
                .println(
                        erased == 0
                                ? "Erased already."
                                : People.count(erased, "dead letter") + " erased: key, error texts and stack traces.");
        for (ErasedLetter letter : letters) {
            console.out().println("What still exists of " + letter.letter().name() + ":");
            leftovers
                    .of(letter, erasure.othersOfTheSameId(letter.letter()))
                    .forEach(line -> console.out().println("  " + line));
        }
        console.out()
                .println(
                        "And, if there are any: exports not named with --file, backups and standby servers, logs of workers, filters"
                                + " by key or id in dlq_actions.");
    }

    /** Returns whether every line could be read. */
    private boolean eraseFromFiles(List<ErasedLetter> letters) throws IOException {
        boolean all = true;
        for (Path file : files) {
            FileErasure.Result result = FileErasure.erase(
                    file, letters.stream().map(ErasedLetter::letter).toList());
            console.out().println(file + ": " + People.count(result.erased(), "letter") + " erased.");
            if (result.keysInFirstLine()) {
                console.say("dlq: the first line of " + file + " names the keys that were asked for; they stay");
            }
            if (!result.unread().isEmpty()) {
                all = false;
                console.say("dlq: lines of " + file + " that are no letters, and stay as they are: "
                        + String.join(
                                ", ",
                                result.unread().stream().map(String::valueOf).toList()));
            }
        }
        return all;
    }
}
