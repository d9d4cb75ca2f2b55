package dev.onceward.dlq;

import dev.onceward.dlq.actions.AuditedRun;
import dev.onceward.dlq.actions.Tally;
import dev.onceward.dlq.connect.ConnectionOptions;
import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.exit.ExitCodes;
import dev.onceward.dlq.exit.UsageException;
import dev.onceward.dlq.output.Console;
import dev.onceward.dlq.output.People;
import dev.onceward.dlq.output.Times;
import dev.onceward.dlq.workers.Eviction;
import dev.onceward.dlq.workers.RunningWorker;
import dev.onceward.dlq.workers.WorkerList;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code dlq workers evict}. */
@Command(
        name = "evict",
        description = {
            "Raises the generations of all partitions that a worker owns: nothing that it still runs can commit.",
            "",
            "Kafka decides who reads a partition, and is not told. A worker that lives and is still assigned its partitions"
                    + " takes them over again, from the last committed offset; claims keep every effect once."
        },
        sortOptions = true,
        mixinStandardHelpOptions = true)
@Manual(
        examples = {
            @Manual.Example(does = "A worker that hangs somewhere", command = "dlq workers evict billing-7f9c"),
            @Manual.Example(
                    does = "Waiting longer for its transactions",
                    command = "dlq workers evict billing-7f9c --wait 1m --yes")
        },
        seeAlso = {"age", "doctor"})
final class EvictCommand implements Callable<Integer> {
    private final Console console;

    @Parameters(paramLabel = "ID", description = "The worker, as dlq workers lists it.")
    private String id = "";

    @Option(
            names = "--wait",
            paramLabel = "TIME",
            description = "How long to wait for the running transactions of each partition. Default: ${DEFAULT-VALUE}.",
            defaultValue = "10s",
            order = 20)
    private String wait = "10s";

    @Mixin
    private ConsentOption yes = new ConsentOption();

    @Mixin
    private ConnectionOptions connection;

    EvictCommand(Console console) {
        this.console = console;
        this.connection = new ConnectionOptions(console);
    }

    @Override
    public Integer call() throws SQLException {
        Duration patience = patience();
        try (Connections connections = connection.connections()) {
            RunningWorker worker = find(connections);
            if (worker.partitions().isEmpty()) {
                console.say(id + " owns no partition: there is nothing to evict it from."
                        + (worker.stale() ? " It can write nothing; " + RunningWorker.ROW_GOES + "." : ""));
                return ExitCodes.DONE;
            }
            confirm(worker);
            return evict(connections, worker, patience);
        }
    }

    private int evict(Connections connections, RunningWorker worker, Duration patience) throws SQLException {
        Eviction.Result result = new Eviction.Result();
        AuditedRun.Told told = new AuditedRun.Told(
                worker.consumer(), "evict", "worker " + id, worker.partitions().size());
        return new AuditedRun(connections)
                .run(
                        told,
                        (Tally tally) -> {
                            try {
                                new Eviction(connections, patience).evict(worker, result, tally::goesOn);
                            } finally {
                                tally.done(result.evicted().size());
                                // Those that had moved are none of this worker's any more.
                                tally.failed(worker.partitions().size()
                                        - result.evicted().size()
                                        - result.moved().size());
                                tally.detail("evicted: " + names(result.evicted()) + "; had moved: "
                                        + names(result.moved()) + "; busy: " + names(result.busy()));
                            }
                        },
                        tally -> tell(result, tally));
    }

    private void tell(Eviction.Result result, Tally tally) {
        console.out()
                .println(id + " evicted from " + People.count(result.evicted().size(), "partition"));
        if (!result.moved().isEmpty()) {
            console.say("Had another owner or generation by then, left alone: " + names(result.moved()));
        }
        if (!result.busy().isEmpty()) {
            console.say("Not evicted, a transaction did not end within " + wait + ": " + names(result.busy())
                    + ". Try again with a longer --wait, or end the session that holds the lock: see pg_locks.");
        }
        if (tally.interrupted()) {
            console.say("dlq: interrupted. Run the same command again to go on");
        }
    }

    private RunningWorker find(Connections connections) throws SQLException {
        List<RunningWorker> workers = new WorkerList(connections).read();
        List<RunningWorker> found =
                workers.stream().filter(worker -> worker.id().equals(id)).toList();
        if (found.isEmpty()) {
            throw new UsageException("there is no worker " + id + "; there are: "
                    + (workers.isEmpty()
                            ? "none"
                            : workers.stream().map(RunningWorker::id).collect(Collectors.joining(", "))));
        }
        if (found.size() > 1) {
            throw new UsageException("--consumer: several have a worker " + id + ": "
                    + found.stream().map(RunningWorker::consumer).collect(Collectors.joining(", ")));
        }
        return found.get(0);
    }

    private void confirm(RunningWorker worker) {
        String what = (worker.stale() ? "the stale worker " : "the RUNNING worker ") + id + " of " + worker.consumer()
                + " from " + People.count(worker.partitions().size(), "partition");
        yes.consent(console).ask("evict", what, "Evict " + what + "?", "nobody was evicted");
    }

    private Duration patience() {
        try {
            Duration patience = Times.duration(wait);
            if (patience.isZero()) {
                throw new UsageException("--wait: 0 would wait without end; give at least 1ms");
            }
            return patience;
        } catch (IllegalArgumentException e) {
            throw new UsageException("--wait: " + e.getMessage());
        }
    }

    private static String names(List<RunningWorker.OwnedPartition> partitions) {
        return partitions.isEmpty()
                ? "none"
                : partitions.stream()
                        .map(RunningWorker.OwnedPartition::toString)
                        .collect(Collectors.joining(", "));
    }
}
