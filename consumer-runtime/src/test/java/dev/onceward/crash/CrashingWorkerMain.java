package dev.onceward.crash;

import dev.onceward.config.ConsumerSettings;
import dev.onceward.config.RetryPolicy;
import dev.onceward.handler.PermanentException;
import dev.onceward.runtime.ConsumerRuntime;
import dev.onceward.testsupport.JavaProcess;
import dev.onceward.testsupport.PostgresServer;
import dev.onceward.testsupport.ProcessControl;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.serialization.StringDeserializer;

/** A worker that ends itself, as SIGKILL would, when it comes to a point for the n-th time. Tells when it runs. */
public final class CrashingWorkerMain {
    /** Its exit code then. */
    public static final int CRASHED = 137;
    /** The line that it prints once it runs. */
    public static final String RUNS = "runs";

    private CrashingWorkerMain() {}

    /**
     * Describes the process.
     *
     * @param crash a point and how often it is passed first: {@code AFTER_COMMIT:3}; empty: nowhere
     */
    public static JavaProcess process(
            String consumer, String topic, PostgresServer postgres, String database, String brokers, String crash) {
        return ProcessControl.java(CrashingWorkerMain.class)
                .named("until-" + (crash.isEmpty() ? "the end" : crash))
                .jvmOptions("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")
                .arguments(consumer, topic, postgres.jdbcUrl(database), postgres.user(), brokers, crash)
                .environment("CRASHING_WORKER_PASSWORD", postgres.password());
    }

    /** Runs it. */
    public static void main(String[] arguments) throws InterruptedException {
        if (!arguments[5].isEmpty()) {
            String[] crash = arguments[5].split(":", 2);
            CrashPoint point = CrashPoint.valueOf(crash[0]);
            AtomicInteger left = new AtomicInteger(Integer.parseInt(crash[1]));
            CrashPoint.listen(reached -> {
                if (reached == point && left.getAndDecrement() == 0) {
                    Runtime.getRuntime().halt(CRASHED);
                }
            });
        }
        ConsumerRuntime runtime = ConsumerRuntime.named(arguments[0])
                .database(arguments[2], arguments[3], System.getenv().getOrDefault("CRASHING_WORKER_PASSWORD", ""))
                .bootstrapServers(arguments[4])
                .kafka(Map.of(
                        "group.protocol", "classic", "session.timeout.ms", "2000", "heartbeat.interval.ms", "500"))
                .retry(new RetryPolicy(2, Duration.ofMillis(5), Duration.ofMillis(20)))
                .concurrency(new ConsumerSettings.Concurrency(3, 20, Duration.ofSeconds(1)))
                .lease(new ConsumerSettings.Lease(Duration.ofMillis(200), Duration.ofSeconds(2)))
                .limits(new ConsumerSettings.Limits(
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(5),
                        Duration.ofMillis(200),
                        3))
                .handle(arguments[1], new StringDeserializer(), new StringDeserializer(), (message, effect) -> {
                    if (message.id().startsWith("bad")) {
                        throw new PermanentException("bad for good");
                    }
                    effect.update(
                            "INSERT INTO entries (message_id, account, amount) VALUES (?, ?, ?)",
                            message.id(),
                            message.key(),
                            message.value());
                })
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(runtime::close, "close"));
        System.out.println(RUNS);
        runtime.awaitStopped(Duration.ofHours(1));
    }
}
