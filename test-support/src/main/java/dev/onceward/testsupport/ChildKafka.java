package dev.onceward.testsupport;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A Kafka broker in a process of its own that can be killed, stopped, frozen and started again with the same data and the
 * same port. It listens on 127.0.0.1 only and ends with this JVM, also when this JVM is killed.
 *
 * <p>Methods may be called from any thread; those that change the server wait for each other.
 */
public final class ChildKafka implements KafkaServer, RestartableServer {

    private static final int PORT_ATTEMPTS = 3;
    private static final int READY_SECONDS = 90;
    private static final int STOP_SECONDS = 60;

    private final Path directory;
    private final KafkaOptions options;
    private final int port;
    private final ServerLifecycle lifecycle = new ServerLifecycle("Kafka");
    private GuardedProcess process;

    private ChildKafka(Path directory, KafkaOptions options, int port) {
        this.directory = directory;
        this.options = options;
        this.port = port;
        this.process = launch(directory, options);
    }

    /** Starts a broker with {@link KafkaOptions#defaults()}. */
    public static ChildKafka start() {
        return start(KafkaOptions.defaults());
    }

    /**
     * Starts a new, empty broker and waits until it serves clients.
     *
     * @throws BackendException if it cannot be started; the message ends with its log
     */
    public static ChildKafka start(KafkaOptions options) {
        for (int attempt = 1; ; attempt++) {
            Path directory = WorkDirectory.create("kafka");
            int port = FreePorts.next();
            try {
                KafkaNode.format(
                        directory, KafkaNodeSettings.of(quicklyForgotten(options), directory, port, FreePorts.next()));
                return new ChildKafka(directory, options, port);
            } catch (RuntimeException e) {
                WorkDirectory.delete(directory);
                // Another JVM may have taken a port since it was found free.
                if (attempt == PORT_ATTEMPTS || !String.valueOf(e.getMessage()).contains("in use")) {
                    throw e;
                }
            }
        }
    }

    /**
     * Starts one of several brokers, in a directory that was formatted for it.
     *
     * @param port where its clients connect to
     */
    static ChildKafka start(Path directory, KafkaOptions options, int port) {
        return new ChildKafka(directory, options, port);
    }

    /** A killed broker is let in again only when the controller has given up its former self, by default after 9 s. */
    static KafkaOptions quicklyForgotten(KafkaOptions options) {
        return KafkaOptions.defaults()
                .with("broker.session.timeout.ms", "3000")
                .with("broker.heartbeat.interval.ms", "500")
                .with(options.settings());
    }

    private static GuardedProcess launch(Path directory, KafkaOptions options) {
        Path log = log(directory);
        Path ready = directory.resolve("ready");
        List<String> command;
        try {
            Files.deleteIfExists(ready);
        } catch (IOException e) {
            throw new BackendException("Could not delete " + ready + ": " + e, e);
        }
        command = JavaCommand.write(
                directory,
                List.of("-Xmx" + options.heapMegabytes() + "m", "-XX:+UseSerialGC"),
                KafkaChildMain.class.getName(),
                List.of(KafkaNode.settingsFile(directory).toString(), ready.toString()));
        GuardedProcess started = GuardedProcess.start(
                command,
                List.of("KILL"),
                directory,
                builder -> builder.redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile())));
        try {
            Await.until(() -> Files.exists(ready) || !started.isAlive(), READY_SECONDS, () -> "Kafka is not ready");
        } catch (BackendException e) {
            started.kill();
            throw new BackendException(e.getMessage() + ":\n" + WorkDirectory.tail(log), e);
        }
        if (!started.isAlive()) {
            throw new BackendException("Kafka did not start:\n" + WorkDirectory.tail(log));
        }
        return started;
    }

    @Override
    public String bootstrapServers() {
        return KafkaNodeSettings.HOST + ":" + port;
    }

    @Override
    public synchronized long pid() {
        return process.pid();
    }

    @Override
    public synchronized boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public synchronized void kill() {
        lifecycle.to(ServerLifecycle.State.STOPPED);
        process.kill();
    }

    /** Stops in an orderly way: leaders are given up and the log is closed, so that the next start need not recover it. */
    @Override
    public synchronized void stop() {
        thaw();
        lifecycle.to(ServerLifecycle.State.STOPPED);
        process.terminate();
        process.awaitExit(STOP_SECONDS);
    }

    @Override
    public synchronized void restart() {
        if (lifecycle.isUp()) {
            stop();
        }
        lifecycle.require(ServerLifecycle.State.STOPPED);
        process = launch(directory, options);
        lifecycle.to(ServerLifecycle.State.RUNNING);
    }

    @Override
    public synchronized void freeze() {
        lifecycle.to(ServerLifecycle.State.FROZEN);
        Signals.stop(process.pid());
    }

    @Override
    public synchronized void unfreeze() {
        lifecycle.require(ServerLifecycle.State.FROZEN);
        lifecycle.to(ServerLifecycle.State.RUNNING);
        Signals.send("CONT", List.of(process.pid()));
    }

    /** Kills it, as its data goes anyway. */
    @Override
    public synchronized void close() {
        if (lifecycle.is(ServerLifecycle.State.CLOSED)) {
            return;
        }
        lifecycle.to(ServerLifecycle.State.CLOSED);
        process.kill();
        WorkDirectory.delete(directory);
    }

    private void thaw() {
        if (lifecycle.is(ServerLifecycle.State.FROZEN)) {
            unfreeze();
        }
    }

    private static Path log(Path directory) {
        return directory.resolve("kafka.log");
    }
}
