package dev.onceward.guarantees;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.runtime.ConsumerRuntime;
import dev.onceward.runtime.RuntimeState;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Closing drains what runs and gives partitions back, whoever calls it and how often. */
class ClosingIT {
    private final Ledger ledger = new Ledger(1);

    @AfterEach
    void end() {
        ledger.close();
    }

    /** A shutdown hook beside try-with-resources, say. */
    @Test
    void aSecondCloseWaitsForTheFirstAndDisturbsNothing() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        ConsumerRuntime runtime = ledger.start((message, effect) -> {
            entered.countDown();
            release.await();
            Ledger.HANDLER.handle(message, effect);
        });
        ledger.send("a", "m1", "1");
        ledger.flush();
        entered.await();

        CompletableFuture<Void> first = CompletableFuture.runAsync(runtime::close);
        Ledger.await().until(() -> runtime.state() == RuntimeState.STOPPING);
        CompletableFuture<Void> second = CompletableFuture.runAsync(runtime::close);
        Ledger.await().during(Duration.ofMillis(300)).until(() -> !second.isDone());
        release.countDown();
        second.join();

        assertThat(runtime.state()).isEqualTo(RuntimeState.STOPPED);
        assertThat(ledger.entries()).as("drained").isEqualTo(1);
        assertThat(ledger.committed()).isEqualTo(1);
        assertThat(ledger.count("SELECT count(*) FROM partition_generations WHERE released_at IS NOT NULL"))
                .as("given back in order")
                .isEqualTo(1);
        assertThat(ledger.count("SELECT count(*) FROM consumer_workers")).isZero();
        first.join();
    }
}
