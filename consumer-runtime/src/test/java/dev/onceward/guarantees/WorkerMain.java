package dev.onceward.guarantees;

import dev.onceward.config.ConsumerSettings;
import dev.onceward.config.Ordering;
import dev.onceward.config.RetryPolicy;
import dev.onceward.handler.Effect;
import dev.onceward.runtime.ConsumerRuntime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * A worker in a process of its own, to be frozen in the middle of a handler. It says on its output where it is.
 *
 * <p>Arguments: consumer, topic, brokers, JDBC URL, user, password, a file. The message {@code wait-in-client} keeps its
 * transaction open until the file is there, {@code wait-in-server} until the advisory lock {@value #LOCK} can be had.
 */
final class WorkerMain {
    static final long LOCK = 77;

    private WorkerMain() {}

    public static void main(String[] args) throws Exception {
        Path file = Path.of(args[6]);
        ConsumerRuntime runtime = ConsumerRuntime.named(args[0])
                .bootstrapServers(args[2])
                .database(args[3], args[4], args[5])
                .kafka("session.timeout.ms", "6000")
                .kafka("heartbeat.interval.ms", "1000")
                .ordering(Ordering.PARTITION) // each partition in a lane of its own
                .retry(new RetryPolicy(5, Duration.ofMillis(10), Duration.ofMillis(100)))
                .concurrency(new ConsumerSettings.Concurrency(4, 100, Duration.ofSeconds(5)))
                .lease(new ConsumerSettings.Lease(Duration.ofMillis(200), Duration.ofSeconds(2)))
                .handle(args[1], new StringDeserializer(), new StringDeserializer(), (message, effect) -> {
                    Ledger.HANDLER.handle(message, effect);
                    if (message.id().startsWith("wait-in-")) {
                        stay(message.id(), effect, file);
                    }
                })
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(runtime::close));
        runtime.awaitStopped(Duration.ofMinutes(5));
    }

    private static void stay(String id, Effect effect, Path file) {
        effect.handle().execute("SELECT 1"); // sends what is declared: the effect is in the transaction
        say("inside " + id);
        try {
            if (id.equals("wait-in-server")) {
                effect.handle().execute("SELECT pg_advisory_xact_lock_shared(" + LOCK + ")");
            } else {
                while (!Files.exists(file)) {
                    LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
                }
            }
        } finally {
            say("awake " + id);
        }
    }

    private static void say(String what) {
        System.out.println(what);
        System.out.flush();
    }
}
