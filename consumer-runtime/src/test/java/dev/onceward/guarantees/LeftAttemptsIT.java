package dev.onceward.guarantees;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.EventNames;
import dev.onceward.config.ConsumerSettings;
import dev.onceward.runtime.ConsumerRuntime;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Attempts are deleted with the effect or the dead letter; records can be finished without either. */
class LeftAttemptsIT {

    @Test
    void attemptsThatNobodyWillAskForAreDeletedOnceTheyAreAsOldAsPrunedClaims() {
        try (Ledger ledger = new Ledger(1);
                EventLog events = EventLog.of(ledger.name)) {
            ledger.send("a", "m0", "10");
            ledger.send("a", "m1", "10");
            ledger.flush();
            ConsumerRuntime before = ledger.start(Ledger.HANDLER);
            Ledger.await().until(() -> ledger.committed() == 2);
            before.close();
            UUID here = ledger.topicId();
            attempts(ledger, ledger.name, "finished", 0, here, "1 hour");
            attempts(ledger, ledger.name, "of the topic before", 900, UUID.randomUUID(), "1 hour");
            attempts(ledger, ledger.name, "finished lately", 1, here, "1 second");
            attempts(ledger, ledger.name, "unfinished", 1_000, here, "1 hour");
            attempts(ledger, "another consumer", "another consumer's", 0, here, "1 hour");

            ledger.start(
                    ledger.consumer()
                            .retention(new ConsumerSettings.Retention(
                                    Duration.ofMinutes(5), true, ConsumerSettings.Retention.Check.WARN)),
                    Ledger.HANDLER);

            Ledger.await()
                    .untilAsserted(() -> assertThat(ledger.texts("SELECT message_id FROM message_attempts"))
                            .containsExactlyInAnyOrder("finished lately", "unfinished", "another consumer's"));
            Ledger.await().until(() -> events.count(EventNames.PRUNED) > 0);
        }
    }

    private static void attempts(Ledger ledger, String consumer, String id, long offset, UUID topicId, String age) {
        ledger.execute("INSERT INTO message_attempts (consumer_name, topic, partition, record_offset, topic_id,"
                + " record_timestamp, payload_hash, message_id, attempts, not_before, first_failed_at, last_failed_at,"
                + " last_error) VALUES ('" + consumer + "', '" + ledger.topic + "', 0, " + offset + ", '" + topicId
                + "', 0, 0, '" + id.replace("'", "''") + "', 1, now(), now() - interval '" + age
                + "', now() - interval '" + age + "', 'failed')");
    }
}
