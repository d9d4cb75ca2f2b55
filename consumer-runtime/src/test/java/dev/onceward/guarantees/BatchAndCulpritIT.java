package dev.onceward.guarantees;

import static dev.onceward.guarantees.Ledger.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.EventNames;
import dev.onceward.catalog.MeterNames;
import dev.onceward.config.ConsumerSettings;
import dev.onceward.config.RetryPolicy;
import dev.onceward.handler.BatchHandler;
import dev.onceward.handler.Message;
import dev.onceward.handler.MessageFailedException;
import dev.onceward.handler.MessageHandler;
import dev.onceward.runtime.ConsumerRuntime;
import dev.onceward.runtime.ConsumerRuntimeBuilder;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One message in a group of a hundred cannot be applied: it alone fails, whoever finds out, and whenever. */
class BatchAndCulpritIT {
    private static final int ATTEMPTS = 3;
    private static final int WARM = 400;
    private static final int TOGETHER = 100;
    private static final String CULPRIT = "m57";
    private static final String BAD = "bad";

    private final Scrape scrape = new Scrape();
    private final Queue<Integer> attemptsOfOthers = new ConcurrentLinkedQueue<>();
    private Ledger ledger;
    private EventLog events;

    @BeforeEach
    void begin() {
        ledger = new Ledger(1);
        events = EventLog.of(ledger.name);
    }

    @AfterEach
    void end() {
        ledger.close();
        events.close();
    }

    /** How the database, or the number of rows, says that the culprit's update cannot be. */
    enum Refusal {
        BY_A_CONSTRAINT("ALTER TABLE entries ADD CONSTRAINT no_bad CHECK (amount <> 'bad')", "PSQLException"),
        BY_A_DEFERRED_CONSTRAINT(
                "CREATE TABLE amounts (amount text PRIMARY KEY); INSERT INTO amounts VALUES ('10');"
                        + " ALTER TABLE entries ADD CONSTRAINT known FOREIGN KEY (amount) REFERENCES amounts"
                        + " DEFERRABLE INITIALLY DEFERRED",
                "PSQLException"),
        BY_A_TRIGGER_AT_COMMIT_WITH_A_STATE_OF_ITS_OWN(
                "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                        + " RAISE EXCEPTION 'refused' USING ERRCODE = 'AB001'; END $$;"
                        + " CREATE CONSTRAINT TRIGGER refused AFTER INSERT ON entries DEFERRABLE INITIALLY DEFERRED"
                        + " FOR EACH ROW WHEN (NEW.amount = 'bad') EXECUTE FUNCTION refuse()",
                "PSQLException"),
        BY_TOUCHING_NO_ROW("", "UnexpectedRowsException");

        private final String setUp;
        private final String error;

        Refusal(String setUp, String error) {
            this.setUp = setUp;
            this.error = error;
        }
    }

    @ParameterizedTest
    @EnumSource
    void F54_ofAHundredDeclaredUpdatesTheOneThatIsRefusedFailsAlone(Refusal refusal) {
        if (!refusal.setUp.isEmpty()) {
            ledger.execute(refusal.setUp);
        }
        ConsumerRuntime runtime = ledger.start(consumer(), (message, effect) -> {
            remember(message);
            if (refusal == Refusal.BY_TOUCHING_NO_ROW) {
                effect.updateExpecting(
                        1,
                        "INSERT INTO entries (message_id, account, amount) SELECT ?, ?, ? WHERE ? <> 'bad'",
                        message.id(),
                        message.key(),
                        message.value(),
                        message.value());
            } else {
                Ledger.HANDLER.handle(message, effect);
            }
        });
        aGroupWithACulprit(runtime);
        itAloneFailed(refusal.error);
    }

    /** Its updates are of different kinds, which go to the server as one text: nobody says which one it was. */
    @Test
    void theCulpritIsFoundAmongMixedUpdates() {
        ledger.execute("CREATE TABLE accounts (account text PRIMARY KEY, messages int, amount text)");
        ledger.execute("ALTER TABLE accounts ADD CONSTRAINT no_bad CHECK (amount <> 'bad')");
        ConsumerRuntime runtime = ledger.start(consumer(), (message, effect) -> {
            remember(message);
            Ledger.HANDLER.handle(message, effect);
            effect.update(
                    "INSERT INTO accounts AS a VALUES (?, 1, ?)"
                            + " ON CONFLICT (account) DO UPDATE SET messages = a.messages + 1, amount = excluded.amount",
                    message.key(),
                    message.value());
        });
        aGroupWithACulprit(runtime);
        itAloneFailed("PSQLException");
        assertThat(ledger.count("SELECT sum(messages) FROM accounts")).isEqualTo(WARM + TOGETHER - 1);
    }

    @Test
    void F24_aHandlerThatThrowsAfterItsUpdatesLeavesNeitherThemNorItsClaim() {
        ConsumerRuntime runtime = ledger.start(consumer(), refusing());
        aGroupWithACulprit(runtime);
        itAloneFailed("IllegalStateException");
    }

    /** The runtime halves the group until it is alone. */
    @Test
    void aBatchHandlerNeedNotKnowWhichOfItsMessagesFailed() {
        Queue<Integer> sizes = new ConcurrentLinkedQueue<>();
        ConsumerRuntime runtime = batch((messages, effect) -> {
            sizes.add(messages.size());
            for (Message<String, String> message : messages) {
                remember(message);
                Ledger.HANDLER.handle(message, effect);
            }
            if (messages.stream().anyMatch(message -> message.value().equals(BAD))) {
                throw new IllegalStateException("one of them cannot be applied");
            }
        });
        aGroupWithACulprit(runtime);
        itAloneFailed("IllegalStateException");
        assertThat(sizes).contains(TOGETHER, TOGETHER / 2, 1);
    }

    /** Those before it, it alone, those behind it: no search. */
    @Test
    void aBatchHandlerThatNamesTheMessageSparesTheOthersTheSearch() {
        Queue<Integer> sizes = new ConcurrentLinkedQueue<>();
        AtomicInteger runsOfOthers = new AtomicInteger();
        ConsumerRuntime runtime = batch((messages, effect) -> {
            sizes.add(messages.size());
            for (Message<String, String> message : messages) {
                remember(message);
                if (message.id().startsWith("m") && !message.id().equals(CULPRIT)) {
                    runsOfOthers.incrementAndGet();
                }
                Ledger.HANDLER.handle(message, effect);
                if (message.value().equals(BAD)) {
                    throw new MessageFailedException(message, new IllegalStateException("cannot be applied"));
                }
            }
        });
        aGroupWithACulprit(runtime);
        itAloneFailed("IllegalStateException");
        assertThat(sizes).contains(TOGETHER, 57, 1);
        // 57 before it in the whole group, then each once.
        assertThat(runsOfOthers).hasValue(57 + TOGETHER - 1);
    }

    @Test
    void ofABatchHandlersDeclaredUpdatesTheOneThatIsRefusedAtCommitFailsAlone() {
        ledger.execute(Refusal.BY_A_DEFERRED_CONSTRAINT.setUp);
        ConsumerRuntime runtime = batch((messages, effect) -> {
            for (Message<String, String> message : messages) {
                remember(message);
                Ledger.HANDLER.handle(message, effect);
            }
        });
        aGroupWithACulprit(runtime);
        itAloneFailed("PSQLException");
    }

    private MessageHandler<String, String> refusing() {
        return (message, effect) -> {
            remember(message);
            Ledger.HANDLER.handle(message, effect);
            if (message.value().equals(BAD)) {
                throw new IllegalStateException("cannot be applied");
            }
        };
    }

    /** Others are never told that an attempt of theirs failed. */
    private void remember(Message<String, String> message) {
        if (!message.id().equals(CULPRIT)) {
            attemptsOfOthers.add(message.attempt());
        }
    }

    private ConsumerRuntimeBuilder consumer() {
        return ledger.consumer()
                .meterRegistry(scrape.registry())
                .concurrency(new ConsumerSettings.Concurrency(1, TOGETHER, Duration.ofSeconds(20)))
                .retry(new RetryPolicy(ATTEMPTS, Duration.ofMillis(10), Duration.ofMillis(100)));
    }

    private ConsumerRuntime batch(BatchHandler<String, String> handler) {
        return ledger.started(consumer()
                .handleBatch(ledger.topic, new StringDeserializer(), new StringDeserializer(), handler)
                .start());
    }

    /** First others, so that the size of groups is measured; then a hundred that wait together, one of them bad. */
    private void aGroupWithACulprit(ConsumerRuntime runtime) {
        for (int i = 0; i < WARM; i++) {
            ledger.send("account-" + i % 10, "warm" + i, "10");
        }
        ledger.flush();
        await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(WARM));
        runtime.pause();
        for (int i = 0; i < TOGETHER; i++) {
            String id = "m" + i;
            ledger.send("account-" + i % 10, id, id.equals(CULPRIT) ? BAD : "10");
        }
        ledger.flush();
        await().untilAsserted(() -> assertThat(scrape.sum(MeterNames.IN_FLIGHT)).isEqualTo(TOGETHER));
        runtime.resume();
        await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(WARM + TOGETHER));
    }

    private void itAloneFailed(String error) {
        assertThat(ledger.entries()).isEqualTo(WARM + TOGETHER - 1);
        assertThat(ledger.distinctEntries()).isEqualTo(WARM + TOGETHER - 1);
        assertThat(ledger.texts("SELECT message_id || ' ' || reason || ' ' || attempts FROM dead_letters"))
                .containsExactly(CULPRIT + " ATTEMPTS_EXHAUSTED " + ATTEMPTS);
        assertThat(ledger.texts("SELECT error_class FROM dead_letters"))
                .singleElement()
                .asString()
                .endsWith(error);
        assertThat(events.count(EventNames.ATTEMPT_FAILED)).isEqualTo(ATTEMPTS - 1);
        assertThat(attemptsOfOthers).containsOnly(1);
        assertThat(ledger.count("SELECT count(*) FROM message_attempts")).isZero();
        // A claim for every effect and for nothing else.
        assertThat(ledger.count("SELECT count(*) FROM processed_messages")).isEqualTo(WARM + TOGETHER - 1);
        assertThat(ledger.count("SELECT count(*) FROM processed_messages WHERE message_id = ?", CULPRIT))
                .isZero();
        for (int account = 0; account < 10; account++) {
            int first = account;
            assertThat(ledger.texts(
                            "SELECT message_id FROM entries WHERE account = ? AND message_id LIKE 'm%' ORDER BY id",
                            "account-" + account))
                    .isEqualTo(IntStream.range(0, TOGETHER / 10)
                            .mapToObj(n -> "m" + (first + 10 * n))
                            .filter(id -> !id.equals(CULPRIT))
                            .toList());
        }
    }
}
