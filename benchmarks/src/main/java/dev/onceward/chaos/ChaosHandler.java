package dev.onceward.chaos;

import dev.onceward.handler.Effect;
import dev.onceward.handler.Message;
import dev.onceward.handler.MessageHandler;
import dev.onceward.handler.PermanentException;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Enters each message in a table without any unique key, and behaves as the message says. A message that is retried tells
 * by its attempt that the misbehaviour is over.
 */
final class ChaosHandler implements MessageHandler<String, String> {
    private static final String ENTRY = "INSERT INTO entries (message_id, account, value) VALUES (?, ?, ?)";
    private static final String BALANCE = "UPDATE accounts SET entries = entries + 1 WHERE account = ?";
    private static final long STUBBORN_MILLIS = 3_000;

    private final long limitMillis;

    /** With the limit of a handler's time, which some of them exceed. */
    ChaosHandler(long limitMillis) {
        this.limitMillis = limitMillis;
    }

    @Override
    public void handle(Message<String, String> message, Effect effect) throws Exception {
        Behaviour behaviour = Behaviour.parse(String.valueOf(message.value()));
        switch (behaviour) {
            case FAILS_FOR_EVER -> throw new PermanentException("a message that nobody can process");
            case SLOW -> Thread.sleep(300);
            case COMMITS -> commit(effect);
            default -> {
                if (message.attempt() == 1) {
                    misbehave(behaviour, message, effect);
                }
            }
        }
        if (behaviour == Behaviour.OWN_SQL) {
            effect.handle().execute(ENTRY, message.id(), message.key(), message.value());
            effect.handle().execute(BALANCE, message.key());
        } else {
            declare(message, effect);
        }
    }

    private void misbehave(Behaviour behaviour, Message<String, String> message, Effect effect) throws Exception {
        switch (behaviour) {
            case THROWS -> {
                declare(message, effect);
                throw new IllegalStateException("once");
            }
            case HANGS -> Thread.sleep(10 * limitMillis);
            case IGNORES_INTERRUPTS -> ignoreInterrupts();
            case SWALLOWS_SQL_ERROR -> swallow(effect);
            case THROWS_ERROR -> throw new StackOverflowError("once");
            default -> {}
        }
    }

    private static void declare(Message<String, String> message, Effect effect) {
        effect.update(ENTRY, message.id(), message.key(), message.value());
        effect.updateExpecting(1, BALANCE, message.key());
    }

    private static void commit(Effect effect) {
        try {
            effect.connection().commit();
        } catch (SQLException | RuntimeException e) {
            // Refused, and that is well.
        }
    }

    private static void swallow(Effect effect) {
        try (Statement statement = effect.connection().createStatement()) {
            statement.execute("SELECT 1 / 0");
        } catch (SQLException e) {
            // The transaction is aborted now; the handler goes on as if it were not.
        }
    }

    private void ignoreInterrupts() {
        long end = System.nanoTime() + (limitMillis + STUBBORN_MILLIS) * 1_000_000;
        while (System.nanoTime() - end < 0) {
            try {
                Thread.sleep(100);
            } catch (InterruptedException e) {
                // That is the misbehaviour.
            }
        }
    }
}
