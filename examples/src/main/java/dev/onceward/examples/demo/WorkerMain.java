package dev.onceward.examples.demo;

import dev.onceward.config.ConsumerSettings;
import dev.onceward.config.RetryPolicy;
import dev.onceward.examples.JsonDeserializer;
import dev.onceward.runtime.ConsumerRuntime;
import dev.onceward.runtime.RuntimeState;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** A worker process of the demo: one runtime, until somebody ends the process. */
@Command(name = "worker")
public final class WorkerMain implements Callable<Integer> {

    private static final int STOPPED = 0;
    private static final int FAILED = 1;

    /** Short, so that the messages that no handler can process are given up within a second or two. */
    private static final RetryPolicy RETRY = new RetryPolicy(3, Duration.ofMillis(100), Duration.ofSeconds(1));

    private static final ConsumerSettings.Concurrency CONCURRENCY =
            new ConsumerSettings.Concurrency(Scenario.LANES, 100, Duration.ofSeconds(1));

    private static final ConsumerSettings.Limits LIMITS = new ConsumerSettings.Limits(
            Duration.ofSeconds(10),
            Duration.ofSeconds(5),
            Timing.TAKEOVER_GRACE,
            Duration.ofSeconds(5),
            Timing.SHUTDOWN,
            Duration.ofMillis(250),
            3);

    /** Few in flight, and few fetched at a time: the partitions of a worker take turns often, none is far behind another. */
    private static final ConsumerSettings.Backpressure BACKPRESSURE =
            new ConsumerSettings.Backpressure(150, 4 << 20, 4_000, 16 << 20, 100_000);

    private static final String RECORDS_AT_A_TIME = "100";

    @Mixin
    private final WorkerOptions options = new WorkerOptions();

    /** Runs it. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new WorkerMain()).execute(arguments));
    }

    @Override
    public Integer call() throws InterruptedException {
        ConsumerRuntime runtime = start();
        // SIGTERM: drain, commit, release. After SIGKILL nothing of this happens, which is the point of the demo.
        Runtime.getRuntime().addShutdownHook(new Thread(runtime::close, "close"));
        while (!runtime.awaitStopped(Duration.ofHours(1))) {
            // Goes on.
        }
        return runtime.state() == RuntimeState.FAILED ? FAILED : STOPPED;
    }

    private ConsumerRuntime start() {
        return ConsumerRuntime.named(options.consumer)
                .bootstrapServers(options.bootstrapServers)
                .database(options.jdbcUrl, options.user, Objects.requireNonNullElse(password(), ""))
                .schema(Stage.SCHEMA)
                .workerId(options.workerId)
                .handle(
                        options.topic,
                        new StringDeserializer(),
                        new JsonDeserializer<>(Payment.class),
                        new PaymentHandler(Duration.ofMillis(options.handlerMillis)))
                .createTopics(new ConsumerSettings.TopicCreation(0, (short) -1, null))
                .concurrency(CONCURRENCY)
                .limits(LIMITS)
                .backpressure(BACKPRESSURE)
                .lease(new ConsumerSettings.Lease(Timing.HEARTBEAT, Timing.LEASE))
                .retry(RETRY)
                .kafka("session.timeout.ms", Long.toString(Timing.SESSION_TIMEOUT.toMillis()))
                .kafka("max.poll.records", RECORDS_AT_A_TIME)
                .kafka("heartbeat.interval.ms", Long.toString(Timing.KAFKA_HEARTBEAT.toMillis()))
                .start();
    }

    private static @Nullable String password() {
        return System.getenv(WorkerOptions.PASSWORD_VARIABLE);
    }
}
