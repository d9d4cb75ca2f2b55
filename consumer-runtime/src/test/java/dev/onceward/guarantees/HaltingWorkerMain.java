package dev.onceward.guarantees;

import dev.onceward.config.ConsumerSettings;
import dev.onceward.config.RetryPolicy;
import dev.onceward.runtime.ConsumerRuntime;
import java.time.Duration;
import org.apache.kafka.common.serialization.StringDeserializer;

/** A worker that one of its messages halts at once, each time it runs, as the system's own killer of processes would. */
final class HaltingWorkerMain {
    static final int HALTED = 77;
    static final int ATTEMPTS = 3;

    private HaltingWorkerMain() {}

    public static void main(String[] arguments) throws InterruptedException {
        String fatal = arguments[6];
        try (ConsumerRuntime runtime = ConsumerRuntime.named(arguments[0])
                .bootstrapServers(arguments[2])
                .kafka("session.timeout.ms", "2000")
                .kafka("heartbeat.interval.ms", "500")
                .database(arguments[3], arguments[4], arguments[5])
                .retry(new RetryPolicy(ATTEMPTS, Duration.ofMillis(10), Duration.ofMillis(100)))
                .lease(new ConsumerSettings.Lease(Duration.ofMillis(200), Duration.ofSeconds(2)))
                .handle(arguments[1], new StringDeserializer(), new StringDeserializer(), (message, effect) -> {
                    if (message.id().equals(fatal)) {
                        System.out.println(fatal + " attempt " + message.attempt());
                        System.out.flush();
                        Runtime.getRuntime().halt(HALTED);
                    }
                    effect.update(
                            "INSERT INTO entries (message_id, account, amount) VALUES (?, ?, ?)",
                            message.id(),
                            message.key(),
                            String.valueOf(message.attempt()));
                })
                .start()) {
            runtime.awaitStopped(Duration.ofMinutes(10));
        }
    }
}
