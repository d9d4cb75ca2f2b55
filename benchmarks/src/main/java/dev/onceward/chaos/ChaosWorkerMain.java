package dev.onceward.chaos;

import dev.onceward.config.ConsumerSettings;
import dev.onceward.config.RetryPolicy;
import dev.onceward.runtime.ConsumerRuntime;
import dev.onceward.runtime.RuntimeState;
import dev.onceward.testsupport.PostgresServer;
import dev.onceward.testsupport.ProcessControl;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.serialization.StringDeserializer;

/** A worker process: one runtime with short times, until somebody ends the process. */
public final class ChaosWorkerMain {
    private static final Duration HANDLER_LIMIT = Duration.ofSeconds(4);
    private static final int STOPPED = 0;
    private static final int FAILED = 1;
    private static final int LANES = 4;
    /** A copy in the dead-letter topic may be left behind by each lane, at each crash. */
    static final int COPIES_PER_CRASH = LANES;

    private ChaosWorkerMain() {}

    /** Describes and starts a process. Its log goes to {@code lines}. */
    static ProcessControl start(
            Fleet.Start start,
            PostgresServer postgres,
            String bootstrapServers,
            String protocol,
            Consumer<String> lines) {
        return ProcessControl.java(ChaosWorkerMain.class)
                .named(start.id())
                .jvmOptions(
                        "-Xmx96m",
                        "-XX:+ExitOnOutOfMemoryError",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Xshare:auto",
                        "-Dlogback.configurationFile=dev/onceward/chaos/worker-logback.xml")
                .arguments(
                        start.id(),
                        start.jdbcUrl(),
                        postgres.user(),
                        bootstrapServers,
                        protocol,
                        start.clockOffset().toString())
                .environment("ONCEWARD_CHAOS_PASSWORD", postgres.password())
                .onOutput(lines)
                .onErrors(lines)
                .start();
    }

    /** Runs it. */
    public static void main(String[] arguments) throws InterruptedException {
        MeterRegistry registry = new SimpleMeterRegistry();
        ConsumerRuntime runtime = start(arguments, registry);
        Runtime.getRuntime().addShutdownHook(new Thread(runtime::close, "close"));
        while (!runtime.awaitStopped(NothingGrows.INTERVAL)) {
            System.out.println(Vitals.now(registry.getMeters().size()).line());
        }
        System.exit(runtime.state() == RuntimeState.FAILED ? FAILED : STOPPED);
    }

    private static ConsumerRuntime start(String[] arguments, MeterRegistry registry) {
        return ConsumerRuntime.named(World.CONSUMER)
                .workerId(arguments[0])
                .database(arguments[1], arguments[2], System.getenv().getOrDefault("ONCEWARD_CHAOS_PASSWORD", ""))
                .bootstrapServers(arguments[3])
                .meterRegistry(registry)
                .kafka(protocol(arguments[4]))
                .clock(Clock.offset(Clock.systemUTC(), Duration.parse(arguments[5])))
                .handle(
                        World.TOPIC,
                        new StringDeserializer(),
                        new StringDeserializer(),
                        new ChaosHandler(HANDLER_LIMIT.toMillis()))
                .createTopics(new ConsumerSettings.TopicCreation(0, (short) -1, null))
                .retry(new RetryPolicy(4, Duration.ofMillis(50), Duration.ofSeconds(1)))
                .concurrency(new ConsumerSettings.Concurrency(LANES, 100, Duration.ofSeconds(1)))
                .lease(new ConsumerSettings.Lease(Duration.ofMillis(500), Duration.ofSeconds(3)))
                .limits(new ConsumerSettings.Limits(
                        HANDLER_LIMIT,
                        Duration.ofSeconds(3),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(10),
                        Duration.ofMillis(250),
                        3))
                .start();
    }

    private static Map<String, String> protocol(String name) {
        return name.equals("classic")
                ? Map.of("group.protocol", name, "session.timeout.ms", "6000", "heartbeat.interval.ms", "1500")
                : Map.of("group.protocol", name);
    }
}
