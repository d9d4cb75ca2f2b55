package dev.onceward.dlq;

import dev.onceward.dlq.connect.ConnectionOptions;
import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.exit.ExitCodes;
import dev.onceward.dlq.index.Letter;
import dev.onceward.dlq.index.LetterSource;
import dev.onceward.dlq.output.Console;
import dev.onceward.dlq.output.JsonWriter;
import dev.onceward.dlq.output.OutputFormat;
import dev.onceward.dlq.topic.LetterReader;
import dev.onceward.dlq.topic.Payload;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code dlq show}. */
@Command(
        name = "show",
        description = {
            "Shows everything that is known of one dead letter.",
            "",
            "Its headers and its payload, which may hold what not everybody should see, only when they are asked for;"
                    + " they come from the dead-letter topic, the rest needs no Kafka.",
            "",
            "While the database cannot be reached, what the dead-letter topic tells of it."
        },
        sortOptions = true,
        mixinStandardHelpOptions = true)
@Manual(
        examples = {
            @Manual.Example(
                    does = "One message, with its headers and its payload",
                    command = "dlq show payment-4711 --headers --payload"),
            @Manual.Example(
                    does = "One that has no id of its own, by where it came from",
                    command = "dlq show payments/1/326"),
            @Manual.Example(does = "Its payload, byte for byte", command = "dlq show payment-4711 --raw > payload.bin")
        },
        seeAlso = {"list", "replay", "edit"})
final class ShowCommand implements Callable<Integer> {
    private final Console console;

    @Parameters(
            index = "0",
            paramLabel = "ID",
            description = "topic/partition/offset of the record that first failed, or a message id.")
    private String id = "";

    @Option(names = "--headers", description = "Show the headers, too.", order = 20)
    private boolean headers;

    @Option(
            names = "--payload",
            description = "Show headers and payload: as JSON, else as text, else as hexadecimal.",
            order = 21)
    private boolean payload;

    @Option(names = "--hex", description = "Show headers and payload, this one as hexadecimal.", order = 22)
    private boolean hex;

    @Option(
            names = "--raw",
            description = "Write the payload's bytes to standard output, and nothing else.",
            order = 23)
    private boolean raw;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            description = "table or json. Default: ${DEFAULT-VALUE}.",
            defaultValue = "table",
            order = 24)
    private OutputFormat format = OutputFormat.TABLE;

    @Mixin
    private LetterSources sources = new LetterSources();

    @Mixin
    private ConnectionOptions connection;

    ShowCommand(Console console) {
        this.console = console;
        this.connection = new ConnectionOptions(console);
    }

    @Override
    public Integer call() throws SQLException {
        try (Connections connections = connection.connections()) {
            LetterSource source = sources.open(connections, console, false);
            Letter letter = OneLetter.of(source, id, connections.consumer().orElse(null));
            if (!headers && !payload && !hex && !raw) {
                show(source, letter, null);
                return ExitCodes.DONE;
            }
            try (LetterReader reader = new LetterReader(connections)) {
                Payload found = reader.read(letter);
                if (found instanceof Payload.Missing missing) {
                    if (!raw) {
                        show(source, letter, null);
                    }
                    console.say("dlq: its payload cannot be shown: " + missing.why());
                    return ExitCodes.SOME_FAILED;
                }
                ConsumerRecord<byte[], byte[]> copy = ((Payload.Found) found).copy();
                if (raw) {
                    if (copy.value() != null) {
                        console.out().write(copy.value(), 0, copy.value().length);
                    }
                    console.out().flush();
                } else {
                    show(source, letter, copy);
                }
                return ExitCodes.DONE;
            }
        }
    }

    private void show(LetterSource source, Letter letter, @Nullable ConsumerRecord<byte[], byte[]> copy)
            throws SQLException {
        if (format == OutputFormat.TABLE) {
            new LetterPage(console, source.now(), source.knowsStatus())
                    .print(letter, source.stacktrace(letter), copy, payload, hex);
            return;
        }
        Map<String, @Nullable Object> json =
                new LinkedHashMap<>(LetterColumns.of(source, true).map(letter));
        json.put("stacktrace", source.stacktrace(letter));
        if (copy != null) {
            List<Object> list = new ArrayList<>();
            copy.headers().forEach(header -> {
                Map<String, @Nullable Object> entry = new LinkedHashMap<>();
                entry.put("name", header.key());
                entry.put("value", header.value());
                list.add(entry);
            });
            json.put("headers", list);
            if (payload || hex) {
                json.put("payload", copy.value());
            }
        }
        console.out().println(JsonWriter.line(json));
    }
}
