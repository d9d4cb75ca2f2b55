package dev.onceward.guarantees;

import static dev.onceward.guarantees.Ledger.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.MeterNames;
import dev.onceward.config.ConsumerSettings;
import dev.onceward.runtime.ConsumerRuntime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Bounded: a group takes no more time than its budget, whatever those before it took. */
class GroupBudgetIT {
    private static final int SLOW = 40;

    @Test
    void aGroupThatTurnsOutSlowIsNoLongerThanItsBudget() {
        Scrape scrape = new Scrape();
        try (Ledger ledger = new Ledger(1)) {
            ConsumerRuntime runtime = ledger.start(
                    ledger.consumer()
                            .meterRegistry(scrape.registry())
                            .concurrency(new ConsumerSettings.Concurrency(1, 100, Duration.ofMillis(200))),
                    (message, effect) -> {
                        effect.handle().execute("SELECT pg_sleep(?)", Double.parseDouble(message.value()));
                        Ledger.HANDLER.handle(message, effect);
                    });
            // By what these take, the lane puts all that waits into one group, which would last two seconds then.
            send(ledger, "quick", 200, "0");
            await().until(() -> ledger.committed() == 200);
            runtime.pause();
            send(ledger, "slow", SLOW, "0.05");
            await().until(() -> scrape.sum(MeterNames.IN_FLIGHT) == SLOW);
            runtime.resume();
            await().until(() -> ledger.committed() == 200 + SLOW);

            assertThat(ledger.entries()).isEqualTo(200 + SLOW);
            assertThat(ledger.count("SELECT max(size) FROM (SELECT count(*) AS size FROM processed_messages"
                            + " WHERE message_id LIKE 'slow%' GROUP BY xmin::text) transactions"))
                    .as("messages of one transaction; four take 200 ms")
                    .isLessThanOrEqualTo(SLOW / 4);
        }
    }

    private static void send(Ledger ledger, String id, int messages, String value) {
        for (int i = 0; i < messages; i++) {
            ledger.send("account-" + i, id + i, value);
        }
        ledger.flush();
    }
}
