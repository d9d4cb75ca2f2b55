package dev.onceward.dlq;

import dev.onceward.dlq.age.AgeServer;
import dev.onceward.dlq.age.AgeSource;
import dev.onceward.dlq.age.PartitionAge;
import dev.onceward.dlq.connect.CannotConnectException;
import dev.onceward.dlq.connect.ConnectionOptions;
import dev.onceward.dlq.exit.ExitCodes;
import dev.onceward.dlq.exit.UsageException;
import dev.onceward.dlq.output.Column;
import dev.onceward.dlq.output.Console;
import dev.onceward.dlq.output.OutputFormat;
import dev.onceward.dlq.output.People;
import dev.onceward.dlq.output.RowWriter;
import dev.onceward.dlq.output.Times;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code dlq age}. */
@Command(
        name = "age",
        description = {
            "Tells how old the oldest unprocessed message is, by consumer, topic and partition; also while no worker runs.",
            "",
            "It reads the record at the offset where workers are, or would begin. An age that cannot be known is shown as"
                    + " -, with the reason, and never as 0."
        },
        sortOptions = true,
        mixinStandardHelpOptions = true)
@Manual(
        examples = {
            @Manual.Example(does = "Every partition", command = "dlq age --consumer billing"),
            @Manual.Example(
                    does = "In a script",
                    command = "dlq age --fail-over 5m || echo \"messages wait too long\""),
            @Manual.Example(does = "For Prometheus", command = "dlq age --serve 9464")
        },
        seeAlso = {"workers", "doctor"})
final class AgeCommand implements Callable<Integer> {
    private static final List<Column> COLUMNS = List.of(
            Column.whole("consumer"),
            Column.hidden("group"),
            new Column("topic", "TOPIC", false, 12),
            new Column("partition", "PART", true, Column.WHOLE),
            Column.number("offset"),
            Column.number("lag"),
            Column.hidden("oldest"),
            Column.number("age"),
            Column.number("deadLetters").headed("DEAD"),
            Column.number("deadLetterAge").headed("DEAD AGE"),
            Column.text("note"));
    private static final String CLEAR = "\u001b[H\u001b[2J";

    private final Console console;
    /** Nobody counts it down: it is waited for until the process is told to end. */
    private final CountDownLatch never = new CountDownLatch(1);

    @Option(
            names = "--fail-over",
            paramLabel = "AGE",
            description = "Exit code 1 if any message is older, like 5m, or if an age is not known.",
            order = 20)
    private @Nullable String failOver;

    @Option(
            names = "--watch",
            paramLabel = "SECONDS",
            arity = "0..1",
            fallbackValue = "5",
            description = "Again and again, until Ctrl-C. Default: every ${FALLBACK-VALUE} seconds.",
            order = 21)
    private @Nullable Integer watch;

    @Option(
            names = "--serve",
            paramLabel = "PORT",
            description = "Serves the same to Prometheus, at http://127.0.0.1:PORT/metrics, until Ctrl-C.",
            order = 22)
    private @Nullable Integer serve;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            description = "table, json, jsonl or csv. Default: ${DEFAULT-VALUE}.",
            defaultValue = "table",
            order = 23)
    private OutputFormat format = OutputFormat.TABLE;

    @Mixin
    private ConnectionOptions connection;

    AgeCommand(Console console) {
        this.console = console;
        this.connection = new ConnectionOptions(console);
    }

    @Override
    public Integer call() throws SQLException {
        int ways = (failOver == null ? 0 : 1) + (watch == null ? 0 : 1) + (serve == null ? 0 : 1);
        if (ways > 1) {
            throw new UsageException("--fail-over, --watch and --serve: give one of them");
        }
        if (watch != null && watch < 1) {
            throw new UsageException("--watch: at least 1 second");
        }
        Duration limit = limit();
        try (AgeSource source = new AgeSource(connection::connections)) {
            // Before it serves, too: a wrong address is told now, and not to a scrape.
            List<PartitionAge> ages = source.read();
            if (serve != null) {
                return serve(serve, source);
            }
            print(ages);
            if (watch != null) {
                watch(Duration.ofSeconds(watch), source);
            }
            return limit == null ? ExitCodes.DONE : judge(ages, limit);
        }
    }

    /** A server that is away is waited for: the source connects anew at the next reading. */
    private void watch(Duration pause, AgeSource source) {
        while (waited(pause)) {
            try {
                List<PartitionAge> ages = source.read();
                console.out().print(console.terminal().output() ? CLEAR : "\n");
                print(ages);
            } catch (SQLException | KafkaException | CannotConnectException e) {
                if (!Thread.currentThread().isInterrupted()) {
                    console.say("dlq: " + Failures.message(e) + "\nNothing newer is known. Trying again in "
                            + People.duration(pause));
                }
            }
        }
    }

    private @Nullable Duration limit() {
        try {
            return failOver == null ? null : Times.duration(failOver);
        } catch (IllegalArgumentException e) {
            throw new UsageException("--fail-over: " + e.getMessage());
        }
    }

    private void print(List<PartitionAge> ages) {
        if (ages.isEmpty()) {
            console.say("No worker has ever had a partition, with this database and schema.");
        }
        try (RowWriter writer = format.writer(COLUMNS, console)) {
            for (PartitionAge age : ages) {
                writer.row(Arrays.<@Nullable Object>asList(
                        age.consumer(),
                        age.group(),
                        age.topic(),
                        age.partition(),
                        age.offset(),
                        age.lag(),
                        age.oldest(),
                        age.age(),
                        age.deadLetters(),
                        age.deadLetterAge(),
                        age.note()));
            }
        }
    }

    private int judge(List<PartitionAge> ages, Duration limit) {
        // No partition at all is no proof that nothing waits.
        int bad = ages.isEmpty() ? ExitCodes.SOME_FAILED : ExitCodes.DONE;
        for (PartitionAge partition : ages) {
            Duration age = partition.age();
            if (age == null || age.compareTo(limit) > 0) {
                console.say(partition.consumer() + " " + partition.topic() + "/" + partition.partition() + ": "
                        + (age == null ? partition.note() : "the oldest message is " + People.duration(age) + " old"));
                bad = ExitCodes.SOME_FAILED;
            }
        }
        return bad;
    }

    private int serve(int port, AgeSource source) {
        if (port < 0 || port > 65_535) {
            throw new UsageException("--serve: " + port + " is no port");
        }
        try (AgeServer server =
                AgeServer.start(port, source::read, e -> console.secrets().hide(String.valueOf(e.getMessage())))) {
            console.say("Serving " + server.address());
            while (waited(Duration.ofDays(1))) {
                // Until the process is told to end.
            }
        } catch (IOException e) {
            throw new UsageException("--serve: port " + port + ": " + e.getMessage());
        }
        return ExitCodes.DONE;
    }

    /** Returns whether it waited to the end: if not, this thread shall stop. */
    private boolean waited(Duration time) {
        try {
            return !never.await(time.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
