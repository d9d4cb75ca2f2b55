package dev.onceward.examples;

import dev.onceward.config.ConsumerSettings.TopicCreation;
import dev.onceward.config.RetryPolicy;
import dev.onceward.handler.Effect;
import dev.onceward.handler.Message;
import dev.onceward.handler.RetryAfterException;
import dev.onceward.runtime.ConsumerRuntime;
import java.time.Duration;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * A payment fails twice and succeeds at the third attempt. Meanwhile the next payment of the same account waits, and those
 * of other accounts do not.
 */
public final class RetryMain {

    private RetryMain() {}

    /** Runs the example. */
    public static void main(String[] arguments) throws Exception {
        try (Sandbox sandbox = Sandbox.start();
                ConsumerRuntime runtime = start(sandbox)) {
            System.out.println("Worker " + runtime.workerId() + " is " + runtime.state());
            sandbox.send("payment-1", "alice", "100.00");
            sandbox.send("payment-2-flaky", "alice", "20.00");
            sandbox.send("payment-3", "alice", "3.00");
            sandbox.send("payment-4", "bob", "4.00");

            sandbox.await("(SELECT count(*) = 4 FROM processed_messages)");
            sandbox.print("Balances:", "SELECT id, balance FROM accounts ORDER BY id");
            sandbox.print(
                    "In the order of their effects:",
                    "SELECT message_id, processed_at FROM processed_messages ORDER BY processed_at");
        }
    }

    private static ConsumerRuntime start(Sandbox sandbox) {
        return ConsumerRuntime.named("billing")
                .bootstrapServers(sandbox.brokers())
                .database(sandbox.jdbcUrl(), sandbox.user(), sandbox.password())
                .handle(
                        Sandbox.TOPIC,
                        new StringDeserializer(),
                        new JsonDeserializer<>(Payment.class),
                        RetryMain::handle)
                .retry(new RetryPolicy(5, Duration.ofMillis(200), Duration.ofSeconds(5)))
                .createTopics(new TopicCreation(0, (short) -1, null))
                .start();
    }

    @SuppressWarnings("NullAway") // only a tombstone has no value: it would fail here and end as a dead letter
    private static void handle(Message<String, Payment> message, Effect effect) {
        effect.updateExpecting(
                1,
                "UPDATE accounts SET balance = balance + ? WHERE id = ?",
                message.value().amount(),
                message.value().account());
        System.out.println("Attempt " + message.attempt() + " of " + message.id());
        if (message.id().endsWith("flaky")) {
            // Whatever it declared or wrote before is rolled back.
            switch (message.attempt()) {
                case 1 -> throw new IllegalStateException("the fraud check did not answer");
                case 2 -> throw new RetryAfterException(Duration.ofSeconds(1), "the fraud check said: come back later");
                default -> System.out.println("The fraud check answers at last");
            }
        }
    }
}
