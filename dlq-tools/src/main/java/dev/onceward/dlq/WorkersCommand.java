package dev.onceward.dlq;

import dev.onceward.dlq.connect.ConnectionOptions;
import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.exit.ExitCodes;
import dev.onceward.dlq.output.Column;
import dev.onceward.dlq.output.Console;
import dev.onceward.dlq.output.OutputFormat;
import dev.onceward.dlq.output.RowWriter;
import dev.onceward.dlq.workers.RunningWorker;
import dev.onceward.dlq.workers.WorkerList;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code dlq workers}. */
@Command(
        name = "workers",
        description = {
            "Lists who runs, which partitions they own under which generations, and since when nothing was heard of them.",
            "",
            "STALE: the heartbeat is older than the lease, or the worker is gone and has not given its partitions back."
                    + " Ages are by the database's clock. PARTITIONS are partition:generation.",
            "",
            "A partition is listed from its first record on: a worker that is assigned one takes it over, as its owner, when"
                    + " there is something to process."
        },
        sortOptions = true,
        mixinStandardHelpOptions = true)
@Manual(
        examples = {
            @Manual.Example(does = "Who runs, and who is stale", command = "dlq workers"),
            @Manual.Example(does = "For a script", command = "dlq workers --consumer billing -o jsonl")
        },
        seeAlso = {"workers evict", "age", "doctor"})
final class WorkersCommand implements Callable<Integer> {
    private static final List<Column> COLUMNS = List.of(
            Column.whole("consumer"),
            Column.whole("worker"),
            Column.text("host"),
            Column.hidden("version"),
            Column.hidden("startedAt"),
            Column.number("heartbeatAge").headed("HEARTBEAT"),
            Column.number("lease"),
            Column.whole("state"),
            Column.text("partitions"));

    private final Console console;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            description = "table, json, jsonl or csv. Default: ${DEFAULT-VALUE}.",
            defaultValue = "table",
            order = 21)
    private OutputFormat format = OutputFormat.TABLE;

    @Mixin
    private ConnectionOptions connection;

    WorkersCommand(Console console) {
        this.console = console;
        this.connection = new ConnectionOptions(console);
    }

    @Override
    public Integer call() throws SQLException {
        try (Connections connections = connection.connections()) {
            WorkerList list = new WorkerList(connections);
            list.checkConsumer();
            List<RunningWorker> workers = list.read();
            if (workers.isEmpty()) {
                console.say("No worker runs.");
            }
            try (RowWriter writer = format.writer(COLUMNS, console)) {
                for (RunningWorker worker : workers) {
                    writer.row(Arrays.<@Nullable Object>asList(
                            worker.consumer(),
                            worker.id(),
                            worker.host(),
                            worker.version(),
                            worker.startedAt(),
                            worker.heartbeatAge(),
                            worker.lease(),
                            worker.stale() ? "STALE" : "RUNNING",
                            partitions(worker)));
                }
            }
            return ExitCodes.DONE;
        }
    }

    /** {@code payments 0:7 1:7, replay.billing 0:2}. */
    private static String partitions(RunningWorker worker) {
        return worker.partitions().stream()
                .map(RunningWorker.OwnedPartition::topic)
                .distinct()
                .map(topic -> topic + " "
                        + worker.partitions().stream()
                                .filter(partition -> partition.topic().equals(topic))
                                .map(partition -> partition.partition() + ":" + partition.generation())
                                .collect(Collectors.joining(" ")))
                .collect(Collectors.joining(", "));
    }
}
