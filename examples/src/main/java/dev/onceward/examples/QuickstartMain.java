package dev.onceward.examples;

import dev.onceward.config.ConsumerSettings.TopicCreation;
import dev.onceward.runtime.ConsumerRuntime;
import org.apache.kafka.common.serialization.StringDeserializer;

/** The smallest consumer: a payment that arrives three times moves the money once. */
public final class QuickstartMain {

    private QuickstartMain() {}

    /** Runs the example. */
    public static void main(String[] arguments) throws Exception {
        try (Sandbox sandbox = Sandbox.start();
                ConsumerRuntime runtime = start(sandbox)) {
            System.out.println("Worker " + runtime.workerId() + " is " + runtime.state());
            sandbox.send("payment-1", "alice", "100.00");
            sandbox.send("payment-1", "alice", "100.00");
            sandbox.send("payment-2", "bob", "25.50");
            sandbox.send("payment-1", "alice", "100.00");
            sandbox.send("payment-3", "alice", "-30.00");

            sandbox.await("(SELECT count(*) = 3 FROM processed_messages)");
            sandbox.print("Balances:", "SELECT id, balance FROM accounts ORDER BY id");
            sandbox.print(
                    "Claims, each committed with its effect:",
                    "SELECT message_id, source_offset FROM processed_messages ORDER BY message_id");
        }
    }

    @SuppressWarnings("NullAway") // only a tombstone has no value: it would fail here and end as a dead letter
    private static ConsumerRuntime start(Sandbox sandbox) {
        return ConsumerRuntime.named("billing")
                .bootstrapServers(sandbox.brokers())
                .database(sandbox.jdbcUrl(), sandbox.user(), sandbox.password())
                .handle(
                        Sandbox.TOPIC,
                        new StringDeserializer(),
                        new JsonDeserializer<>(Payment.class),
                        (message, effect) -> effect.updateExpecting(
                                1,
                                "UPDATE accounts SET balance = balance + ? WHERE id = ?",
                                message.value().amount(),
                                message.value().account()))
                .createTopics(new TopicCreation(0, (short) -1, null))
                .start();
    }
}
