package dev.onceward.examples.demo;

import dev.onceward.testsupport.BackendException;
import dev.onceward.testsupport.ProcessControl;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** The worker processes of a run. Each writes its log to a file of its own, which the process that replaces it continues. */
final class Workers implements AutoCloseable {

    private static final List<String> JVM_OPTIONS = List.of(
            "-Xmx128m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Xshare:auto",
            "-Dlogback.configurationFile=dev/onceward/examples/demo/worker-logback.xml");

    private final Scenario scenario;
    private final Stage stage;
    private final EventLines events;
    private final Path logs;
    private final Consumer<String> news;
    private final Map<String, PrintWriter> writers = new TreeMap<>();
    private final Map<String, WorkerProcess> running = new TreeMap<>();
    private final Map<String, Integer> starts = new TreeMap<>();
    private final List<String> endedByThemselves = new CopyOnWriteArrayList<>();

    /** @param news told when a worker ends that nobody ended */
    Workers(Scenario scenario, Stage stage, EventLines events, Path logs, Consumer<String> news) {
        this.scenario = scenario;
        this.stage = stage;
        this.events = events;
        this.logs = logs;
        this.news = news;
    }

    void startAll() {
        for (int number = 1; number <= scenario.workers(); number++) {
            start("worker-" + number);
        }
    }

    /** Starts a worker under this name, with a new worker id. */
    synchronized WorkerProcess start(String name) {
        String id = name + "." + starts.merge(name, 1, Integer::sum);
        PrintWriter log = writers.computeIfAbsent(name, this::openLog);
        Consumer<String> lines = line -> {
            log.println(line);
            events.accept(line);
        };
        ProcessControl process = ProcessControl.java(WorkerMain.class)
                .named(id)
                .jvmOptions(JVM_OPTIONS.toArray(String[]::new))
                .arguments(WorkerOptions.arguments(stage, id, scenario.handlerTime())
                        .toArray(String[]::new))
                .environment(WorkerOptions.PASSWORD_VARIABLE, stage.password())
                .onOutput(lines)
                .onErrors(lines)
                .start();
        WorkerProcess worker = new WorkerProcess(name, id, process);
        running.put(name, worker);
        var unused = process.exitCode().thenAccept(code -> ended(worker, code));
        return worker;
    }

    private void ended(WorkerProcess worker, int code) {
        boolean unexpected;
        synchronized (this) {
            unexpected = running.remove(worker.name(), worker);
        }
        if (unexpected) {
            endedByThemselves.add(worker.id() + " (exit code " + code + ")");
            news.accept(worker.id() + " ended by itself with exit code " + code);
        }
    }

    synchronized List<WorkerProcess> running() {
        return List.copyOf(running.values());
    }

    synchronized Optional<WorkerProcess> find(String id) {
        return running.values().stream()
                .filter(worker -> worker.id().equals(id))
                .findFirst();
    }

    /** Ends a worker with SIGKILL. */
    void kill(WorkerProcess worker) {
        expectEnd(worker);
        worker.process().kill9();
        worker.process().close();
    }

    /** Ends all in an orderly way: each releases its partitions. */
    void stopAll() {
        List<WorkerProcess> all = running();
        all.forEach(this::expectEnd);
        all.forEach(worker -> worker.process().terminate());
        for (WorkerProcess worker : all) {
            try {
                worker.process().awaitExit(Timing.SHUTDOWN.plusSeconds(10));
            } catch (BackendException e) {
                news.accept(worker.id() + " did not stop in time and was killed");
            }
            worker.process().close();
        }
    }

    /** Workers that ended though nobody ended them. */
    List<String> endedByThemselves() {
        return List.copyOf(endedByThemselves);
    }

    private synchronized void expectEnd(WorkerProcess worker) {
        running.remove(worker.name(), worker);
    }

    private PrintWriter openLog(String name) {
        try {
            return new PrintWriter(Files.newBufferedWriter(logs.resolve(name + ".log")), true);
        } catch (IOException e) {
            throw new UncheckedIOException("The log of " + name + " cannot be written", e);
        }
    }

    @Override
    public void close() {
        for (WorkerProcess worker : running()) {
            kill(worker);
        }
        synchronized (this) {
            writers.values().forEach(PrintWriter::close);
        }
    }
}
