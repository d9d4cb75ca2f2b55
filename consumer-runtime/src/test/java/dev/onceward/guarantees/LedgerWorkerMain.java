package dev.onceward.guarantees;

import dev.onceward.config.ConsumerSettings;
import dev.onceward.runtime.ConsumerRuntime;
import dev.onceward.runtime.ConsumerRuntimeBuilder;
import java.time.Duration;
import org.apache.kafka.common.serialization.StringDeserializer;

/** A worker of a {@link Ledger} as a process of its own, which a test can freeze. */
final class LedgerWorkerMain {
    private LedgerWorkerMain() {}

    public static void main(String[] args) throws InterruptedException {
        ConsumerRuntimeBuilder builder = ConsumerRuntime.named(args[0])
                .workerId(args[1])
                .bootstrapServers(args[2])
                .database(args[3], args[4], args[5])
                .kafka(Ledger.group(args[6]))
                .lease(new ConsumerSettings.Lease(Duration.ofMillis(200), Duration.ofSeconds(2)))
                .limits(Ledger.impatient());
        try (ConsumerRuntime runtime = builder.handle(
                        args[7], new StringDeserializer(), new StringDeserializer(), Ledger.HANDLER)
                .start()) {
            runtime.awaitStopped(Duration.ofHours(1));
        }
    }
}
