package dev.onceward.examples;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.reducing;

import dev.onceward.config.ConsumerSettings.TopicCreation;
import dev.onceward.handler.Effect;
import dev.onceward.handler.Message;
import dev.onceward.runtime.ConsumerRuntime;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jdbi.v3.core.statement.PreparedBatch;

/**
 * A handler that gets all waiting payments of a transaction together, and so touches each account once. Each message still
 * has its own claim, so a duplicate is not in the list.
 */
public final class BatchHandlerMain {

    private static final int PAYMENTS = 1_000;

    private BatchHandlerMain() {}

    /** Runs the example. */
    public static void main(String[] arguments) throws Exception {
        try (Sandbox sandbox = Sandbox.start()) {
            for (int number = 1; number <= PAYMENTS; number++) {
                String account = number % 3 == 0 ? "bob" : "alice";
                sandbox.send("payment-" + number, account, "1.00");
                if (number % 10 == 0) {
                    sandbox.send("payment-" + number, account, "1.00"); // sent twice
                }
            }
            try (ConsumerRuntime runtime = start(sandbox)) {
                System.out.println("Worker " + runtime.workerId() + " meets a backlog");
                sandbox.await("(SELECT count(*) = " + PAYMENTS + " FROM processed_messages)");
            }
            sandbox.print("Balances:", "SELECT id, balance FROM accounts ORDER BY id");
            sandbox.print("Ledger:", "SELECT count(*) AS entries, sum(amount) FROM ledger");
        }
    }

    private static ConsumerRuntime start(Sandbox sandbox) {
        return ConsumerRuntime.named("billing")
                .bootstrapServers(sandbox.brokers())
                .database(sandbox.jdbcUrl(), sandbox.user(), sandbox.password())
                .handleBatch(
                        Sandbox.TOPIC,
                        new StringDeserializer(),
                        new JsonDeserializer<>(Payment.class),
                        BatchHandlerMain::handle)
                .createTopics(new TopicCreation(0, (short) -1, null))
                .start();
    }

    @SuppressWarnings("NullAway") // only a tombstone has no value: it would fail here and end as a dead letter
    private static void handle(List<Message<String, Payment>> messages, Effect effect) {
        System.out.println("A group of " + messages.size());
        Map<String, BigDecimal> sums = messages.stream()
                .map(Message::value)
                .collect(groupingBy(
                        Payment::account,
                        TreeMap::new, // each transaction in the same order: two lanes cannot deadlock
                        mapping(Payment::amount, reducing(BigDecimal.ZERO, BigDecimal::add))));
        sums.forEach((account, sum) ->
                effect.updateExpecting(1, "UPDATE accounts SET balance = balance + ? WHERE id = ?", sum, account));

        PreparedBatch entries = effect.handle().prepareBatch("INSERT INTO ledger VALUES (?, ?, ?)");
        for (Message<String, Payment> message : messages) {
            entries.add(message.id(), message.value().account(), message.value().amount());
        }
        entries.execute();
    }
}
