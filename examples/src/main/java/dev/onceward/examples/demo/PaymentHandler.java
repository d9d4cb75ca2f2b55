package dev.onceward.examples.demo;

import dev.onceward.handler.Effect;
import dev.onceward.handler.Message;
import dev.onceward.handler.MessageHandler;
import dev.onceward.handler.PermanentException;
import java.time.Duration;
import java.util.Objects;

/** What a service team writes: moves the amount and enters it in the ledger, with declared updates. */
final class PaymentHandler implements MessageHandler<String, Payment> {

    private final Duration handlerTime;

    /** @param handlerTime how long to pretend that another system is called for each payment */
    PaymentHandler(Duration handlerTime) {
        this.handlerTime = handlerTime;
    }

    @Override
    public void handle(Message<String, Payment> message, Effect effect) throws InterruptedException {
        Payment payment = Objects.requireNonNull(message.value(), "a payment without a value");
        if (payment.amount().compareTo(Plan.LIMIT) > 0) {
            throw new PermanentException("an amount above the limit");
        }
        Thread.sleep(handlerTime.toMillis());
        effect.updateExpecting(
                1, "UPDATE accounts SET balance = balance + ? WHERE id = ?", payment.amount(), payment.account());
        effect.update(
                "INSERT INTO ledger (message_id, account, sequence, amount) VALUES (?, ?, ?, ?)",
                message.id(),
                payment.account(),
                payment.sequence(),
                payment.amount());
    }
}
