package dev.onceward.examples.demo;

import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Option;

/** What a worker process is told on its command line; the password comes through the environment. */
final class WorkerOptions {

    static final String PASSWORD_VARIABLE = "ONCEWARD_DEMO_PASSWORD";

    @Option(names = "--bootstrap-servers", required = true)
    String bootstrapServers = "";

    @Option(names = "--jdbc-url", required = true)
    String jdbcUrl = "";

    @Option(names = "--user", required = true)
    String user = "";

    @Option(names = "--consumer", required = true)
    String consumer = "";

    @Option(names = "--topic", required = true)
    String topic = "";

    @Option(names = "--worker-id", required = true)
    String workerId = "";

    @Option(names = "--handler-millis", required = true)
    long handlerMillis;

    /** The command line that is read back into these. */
    static List<String> arguments(Stage stage, String workerId, Duration handlerTime) {
        return List.of(
                "--bootstrap-servers",
                stage.bootstrapServers(),
                "--jdbc-url",
                stage.jdbcUrl(),
                "--user",
                stage.user(),
                "--consumer",
                stage.consumer(),
                "--topic",
                stage.topic(),
                "--worker-id",
                workerId,
                "--handler-millis",
                Long.toString(handlerTime.toMillis()));
    }
}
