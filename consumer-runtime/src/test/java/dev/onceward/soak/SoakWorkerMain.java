package dev.onceward.soak;

import dev.onceward.runtime.ConsumerRuntime;
import java.time.Duration;
import org.apache.kafka.common.serialization.StringDeserializer;

/** A worker in a JVM of its own, so that its memory and its processor time can be told from the servers'. */
final class SoakWorkerMain {
    private SoakWorkerMain() {}

    public static void main(String[] arguments) throws InterruptedException {
        String consumer = arguments[0];
        String topic = arguments[1];
        try (ConsumerRuntime runtime = ConsumerRuntime.named(consumer)
                .bootstrapServers(arguments[2])
                .database(arguments[3], arguments[4], arguments[5])
                .handle(
                        topic,
                        new StringDeserializer(),
                        new StringDeserializer(),
                        (message, effect) -> effect.update(
                                "UPDATE totals SET messages = messages + 1 WHERE account = ?", message.key()))
                .start()) {
            runtime.awaitStopped(Duration.ofHours(1));
        }
    }
}
