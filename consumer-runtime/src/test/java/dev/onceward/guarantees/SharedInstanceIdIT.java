package dev.onceward.guarantees;

import static dev.onceward.guarantees.Ledger.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.EventNames;
import dev.onceward.runtime.ConsumerRuntime;
import dev.onceward.runtime.ConsumerRuntimeBuilder;
import dev.onceward.runtime.RuntimeState;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two workers with one {@code group.instance.id}, as when a configuration is copied. */
class SharedInstanceIdIT {

    /** With the classic protocol the second one drives the first out, with the new one it is not let in. */
    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void F32_oneOfThemFailsLoudlyAndTheOtherGivesEachMessageItsEffectOnce(String protocol) {
        try (Ledger ledger = new Ledger(2);
                EventLog events = EventLog.of(ledger.name)) {
            send(ledger, 0, 100);
            ConsumerRuntime first = ledger.start(withInstanceId(ledger, protocol), Ledger.HANDLER);
            await().until(() -> ledger.entries() > 0);
            ConsumerRuntime second = ledger.start(withInstanceId(ledger, protocol), Ledger.HANDLER);
            send(ledger, 100, 200);

            await().until(() -> first.state() == RuntimeState.FAILED || second.state() == RuntimeState.FAILED);
            ConsumerRuntime failed = first.state() == RuntimeState.FAILED ? first : second;
            ConsumerRuntime other = failed == first ? second : first;
            assertThat(failed.health().live()).isFalse();
            assertThat(failed.health().troubles())
                    .anySatisfy(
                            trouble -> assertThat(trouble).contains("FAILED").contains("InstanceId"));
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(200));
            assertThat(ledger.entries()).isEqualTo(200);
            assertThat(ledger.distinctEntries()).isEqualTo(200);
            assertThat(ledger.count("SELECT count(*) FROM dead_letters")).isZero();
            await().until(() -> other.health().ready());
            assertThat(List.of(first.state(), second.state()))
                    .as("no endless loop in which they drive each other out")
                    .containsExactlyInAnyOrder(RuntimeState.FAILED, RuntimeState.RUNNING);
            assertThat(events.count(EventNames.WORKER_FAILED)).isEqualTo(1);
        }
    }

    private static ConsumerRuntimeBuilder withInstanceId(Ledger ledger, String protocol) {
        return ledger.consumer(protocol).limits(Ledger.impatient()).kafka("group.instance.id", "the-same");
    }

    private static void send(Ledger ledger, int from, int to) {
        for (int i = from; i < to; i++) {
            ledger.send("account-" + i % 7, "m" + i, "10");
        }
        ledger.flush();
    }
}
