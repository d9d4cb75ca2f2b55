package dev.onceward.guarantees;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.config.ConsumerSettings;
import dev.onceward.handler.Effect;
import dev.onceward.runtime.ConsumerRuntime;
import dev.onceward.runtime.ConsumerRuntimeBuilder;
import dev.onceward.runtime.RuntimeState;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a handler sets ends with its transaction, and never makes an effect less safe than the others. */
class SessionSettingsIT {
    private final Ledger ledger = new Ledger(1);

    @AfterEach
    void close() {
        ledger.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET synchronous_commit = off",
                "SET LOCAL synchronous_commit = off",
                "SELECT set_config('synchronous_commit', 'off', true)",
                "SELECT set_config('synchronous_' || 'commit', 'local', false)"
            })
    void noHandlerMakesACommitAsynchronous(String sql) {
        List<String> seen = new CopyOnWriteArrayList<>();
        ledger.start(oneByOne(), (message, effect) -> {
            seen.add(synchronousCommit(effect));
            if (message.id().equals("bad")) {
                effect.handle().execute(sql);
            }
            Ledger.HANDLER.handle(message, effect);
        });
        send();

        Ledger.await().until(() -> ledger.entries() == 5 && ledger.deadLetters() == 1);
        assertThat(seen).hasSize(10).containsOnly("on");
        assertThat(ledger.texts("SELECT error_message FROM dead_letters"))
                .allMatch(text -> text.contains(" is refused: "));
    }

    @Test
    void aDeclaredUpdateMakesNoCommitAsynchronous() {
        ledger.start(oneByOne(), (message, effect) -> {
            if (message.id().equals("bad")) {
                effect.update("INSERT INTO entries (amount) SELECT set_config('synchronous_commit', 'off', true)");
            }
            Ledger.HANDLER.handle(message, effect);
        });
        send();

        Ledger.await().until(() -> ledger.entries() == 5 && ledger.deadLetters() == 1);
        assertThat(ledger.count("SELECT count(*) FROM entries WHERE amount = 'off'"))
                .isZero();
    }

    /** Each of them leaves a session in which no transaction of the runtime can begin. */
    @Test
    void aSpoiltSessionIsThrownAway() {
        ConsumerRuntime runtime = ledger.start(
                ledger.consumer().concurrency(new ConsumerSettings.Concurrency(2, 10, Duration.ofSeconds(5))),
                (message, effect) -> {
                    if (message.id().startsWith("bad")) {
                        effect.handle()
                                .createQuery(
                                        "SELECT set_config('default_transaction_isolation', 'serializable', false)")
                                .mapTo(String.class)
                                .one();
                    }
                    Ledger.HANDLER.handle(message, effect);
                });
        for (int i = 0; i < 10; i++) {
            ledger.send("b" + i, "bad" + i, "1");
        }
        for (int i = 0; i < 50; i++) {
            ledger.send("a" + i, "m" + i, "1");
        }
        ledger.flush();

        Ledger.await().until(() -> ledger.entries() == 60);
        assertThat(ledger.distinctEntries()).isEqualTo(60);
        assertThat(ledger.count("SELECT count(*) FROM dead_letters")).isZero();
        assertThat(runtime.state()).isEqualTo(RuntimeState.RUNNING);
    }

    private ConsumerRuntimeBuilder oneByOne() {
        return ledger.consumer().concurrency(new ConsumerSettings.Concurrency(1, 1, Duration.ofSeconds(5)));
    }

    private static String synchronousCommit(Effect effect) {
        return effect.handle()
                .createQuery("SELECT current_setting('synchronous_commit')")
                .mapTo(String.class)
                .one();
    }

    private void send() {
        ledger.send("a", "bad", "1");
        for (int i = 0; i < 5; i++) {
            ledger.send("b", "m" + i, "1");
        }
        ledger.flush();
    }
}
