package dev.onceward.examples;

import dev.onceward.config.ConsumerSettings.TopicCreation;
import dev.onceward.config.RetryPolicy;
import dev.onceward.handler.PermanentException;
import dev.onceward.runtime.ConsumerRuntime;
import java.math.BigDecimal;
import java.time.Duration;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Three payments that cannot be processed, each for another reason, end in the dead-letter topic with their bytes unchanged;
 * the good one after them takes effect.
 */
public final class DeadLetterMain {

    private static final BigDecimal LIMIT = new BigDecimal("1000");

    private DeadLetterMain() {}

    /** Runs the example. */
    public static void main(String[] arguments) throws Exception {
        try (Sandbox sandbox = Sandbox.start();
                ConsumerRuntime runtime = start(sandbox)) {
            System.out.println("Worker " + runtime.workerId() + " is " + runtime.state());
            sandbox.sendRaw("payment-1", "alice", "this is not JSON");
            sandbox.send("payment-2", "alice", "5000.00");
            sandbox.send("payment-3", "nobody", "1.00");
            sandbox.send("payment-4", "alice", "10.00");

            sandbox.await("(SELECT count(*) = 3 FROM dead_letters WHERE status = 'DEAD')"
                    + " AND (SELECT count(*) = 1 FROM processed_messages)");
            sandbox.print("Balances:", "SELECT id, balance FROM accounts ORDER BY id");
            sandbox.print("Dead letters:", """
                    SELECT message_id, reason, attempts, error_message, dlt_topic, dlt_partition, dlt_offset
                      FROM dead_letters ORDER BY message_id""");
            sandbox.printTopic("dlq.billing." + Sandbox.TOPIC);
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
                        (message, effect) -> {
                            Payment payment = message.value();
                            if (payment.amount().compareTo(LIMIT) > 0) {
                                throw new PermanentException("above the limit of " + LIMIT); // no retry can help
                            }
                            // No such account: no row is touched, which fails the message and counts as an attempt.
                            effect.updateExpecting(
                                    1,
                                    "UPDATE accounts SET balance = balance + ? WHERE id = ?",
                                    payment.amount(),
                                    payment.account());
                        })
                .retry(new RetryPolicy(3, Duration.ofMillis(100), Duration.ofSeconds(1)))
                .createTopics(new TopicCreation(0, (short) -1, null))
                .start();
    }
}
