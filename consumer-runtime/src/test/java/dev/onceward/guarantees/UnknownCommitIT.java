package dev.onceward.guarantees;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.EventNames;
import dev.onceward.catalog.MeterNames;
import dev.onceward.handler.MessageHandler;
import dev.onceward.runtime.ConsumerRuntimeBuilder;
import dev.onceward.testsupport.proxy.PostgresProxy;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The connection dies during COMMIT: whether it took effect is found out, not guessed. */
class UnknownCommitIT {
    private static final String CHOSEN = "chosen-message";

    private final Scrape scrape = new Scrape();
    private final AtomicInteger runsOfChosen = new AtomicInteger();
    private final MessageHandler<String, String> counting = (message, effect) -> {
        if (message.id().equals(CHOSEN)) {
            runsOfChosen.incrementAndGet();
        }
        Ledger.HANDLER.handle(message, effect);
    };

    private Ledger ledger;
    private PostgresProxy proxy;
    private EventLog events;

    @BeforeEach
    void begin() {
        ledger = new Ledger(2);
        proxy = PostgresProxy.to(ledger.postgres);
        events = EventLog.of(ledger.name);
    }

    @AfterEach
    void end() {
        ledger.close();
        events.close();
        proxy.close();
    }

    @Test
    void aCommitThatHappenedButWhoseAnswerIsLostIsRecognisedByItsClaim() {
        CompletableFuture<Integer> struck = proxy.loseNextCommitAnswer(CHOSEN);
        sendWithChosen(300);
        ledger.start(throughProxy(), counting);
        allTookEffectOnce(301);
        assertThat(struck).isCompleted();
        assertThat(runsOfChosen).as("it had committed, so it is not run again").hasValue(1);
        nothingWasBlamed(1);
    }

    /** A handler with SQL of its own might have committed by itself; the runtime's own COMMIT is not taken for that. */
    @Test
    void soItIsWhereTheHandlerRanSqlOfItsOwn() {
        CompletableFuture<Integer> struck = proxy.loseNextCommitAnswer(CHOSEN);
        sendWithChosen(30);
        ledger.start(throughProxy(), (message, effect) -> {
            if (message.id().equals(CHOSEN)) {
                runsOfChosen.incrementAndGet();
            }
            effect.handle()
                    .execute(
                            "INSERT INTO entries (message_id, account, amount) VALUES (?, ?, ?)",
                            message.id(),
                            message.key(),
                            message.value());
        });
        allTookEffectOnce(31);
        assertThat(struck).isCompleted();
        assertThat(runsOfChosen).hasValue(1);
        assertThat(events.count(EventNames.TRANSACTION_BROKEN)).isZero();
        nothingWasBlamed(1);
    }

    @Test
    void aCommitThatNeverReachedTheServerIsRunAgain() {
        CompletableFuture<Integer> struck = proxy.cutBeforeNextCommit(CHOSEN);
        sendWithChosen(300);
        ledger.start(throughProxy(), counting);
        allTookEffectOnce(301);
        assertThat(struck).isCompleted();
        assertThat(runsOfChosen).as("it had not committed, so it is run again").hasValue(2);
        nothingWasBlamed(1);
    }

    @Test
    void itCountsAsNoAttempt() {
        CompletableFuture<Integer> struck = proxy.cutBeforeNextCommit(CHOSEN);
        sendWithChosen(0);
        ledger.start(
                throughProxy(),
                (message, effect) -> effect.update(
                        "INSERT INTO entries (message_id, account, amount) VALUES (?, ?, ?)",
                        message.id(),
                        message.key(),
                        String.valueOf(message.attempt())));
        allTookEffectOnce(1);
        assertThat(struck).isCompleted();
        assertThat(ledger.texts("SELECT amount FROM entries"))
                .as("attempt that took effect")
                .containsExactly("1");
    }

    @Test
    void aCommitThatIsStillUnderWayAtTheServerIsWaitedFor() {
        // COMMIT runs the deferred trigger, and there the server stays while its client loses the connection.
        ledger.execute("CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS"
                + " $$ BEGIN PERFORM pg_sleep(1.5); RETURN NULL; END $$");
        ledger.execute("CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON entries DEFERRABLE INITIALLY DEFERRED"
                + " FOR EACH ROW WHEN (NEW.message_id = '" + CHOSEN + "') EXECUTE FUNCTION slow()");
        sendWithChosen(0);
        ledger.start(throughProxy(), counting);
        Ledger.await()
                .until(() -> ledger.count("SELECT count(*) FROM pg_stat_activity"
                                + " WHERE datname = current_database() AND wait_event = 'PgSleep'")
                        == 1);
        proxy.network().cutAll();
        allTookEffectOnce(1);
        assertThat(runsOfChosen).hasValue(1);
        nothingWasBlamed(1);
    }

    @Test
    void manyLostAnswersUnderLoadLeaveEveryEffectOnce() {
        Random random = new Random(7);
        int messages = 4_000;
        for (int i = 0; i < messages; i++) {
            ledger.send("account-" + i % 97, "m" + i, "10");
        }
        ledger.flush();
        ledger.start(throughProxy(), Ledger.HANDLER);
        int strikes = 0;
        while (ledger.committed() < messages * 9L / 10) {
            CompletableFuture<Integer> struck = random.nextBoolean()
                    ? proxy.loseNextCommitAnswer("INSERT INTO entries")
                    : proxy.cutBeforeNextCommit("INSERT INTO entries");
            Ledger.await().until(() -> struck.isDone() || ledger.entries() == messages);
            strikes += struck.isDone() ? 1 : 0;
        }
        proxy.reset();
        allTookEffectOnce(messages);
        assertThat(strikes).isGreaterThan(5);
        nothingWasBlamed(strikes);
    }

    @Test
    void lostAnswersWhileAMessageIsGivenUpNeitherCountTwiceNorGiveUpTwice() {
        CompletableFuture<Integer> attemptWritten = proxy.loseNextCommitAnswer("cannot be done");
        CompletableFuture<CompletableFuture<Integer>> decided = new CompletableFuture<>();
        CompletableFuture<CompletableFuture<Integer>> confirmed = new CompletableFuture<>();
        ledger.send("account", CHOSEN, "10");
        ledger.send("account", "behind", "10");
        ledger.flush();
        ledger.start(throughProxy(), (message, effect) -> {
            Ledger.HANDLER.handle(message, effect);
            if (message.id().equals(CHOSEN)) {
                if (message.attempt() == 5) {
                    decided.complete(proxy.loseNextCommitAnswer("'PENDING', "));
                    confirmed.complete(proxy.loseNextCommitAnswer("SET status ="));
                }
                throw new IllegalStateException("cannot be done");
            }
        });
        Ledger.await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(2));
        assertThat(attemptWritten).isCompleted();
        assertThat(decided.join()).isCompleted();
        assertThat(confirmed.join()).isCompleted();
        assertThat(ledger.count("SELECT attempts FROM dead_letters WHERE status = 'DEAD'"))
                .isEqualTo(5);
        assertThat(ledger.count("SELECT count(*) FROM message_attempts")).isZero();
        assertThat(ledger.texts("SELECT message_id FROM entries")).containsExactly("behind");
        assertThat(scrape.sum(MeterNames.DEAD_LETTERS)).isEqualTo(1);
    }

    private ConsumerRuntimeBuilder throughProxy() {
        return ledger.consumer()
                .database(proxy.jdbcUrl(ledger.databaseName), ledger.postgres.user(), ledger.postgres.password())
                .meterRegistry(scrape.registry());
    }

    private void sendWithChosen(int others) {
        for (int i = 0; i < others; i++) {
            ledger.send("account-" + i % 17, "m" + i, "10");
        }
        ledger.send("account-3", CHOSEN, "10");
        ledger.flush();
    }

    private void allTookEffectOnce(long messages) {
        Ledger.await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(messages));
        assertThat(ledger.entries()).isEqualTo(messages);
        assertThat(ledger.distinctEntries()).isEqualTo(messages);
    }

    private void nothingWasBlamed(int unknownCommits) {
        assertThat(scrape.sum(MeterNames.UNKNOWN_COMMITS)).isEqualTo(unknownCommits);
        assertThat(events.count(EventNames.UNKNOWN_COMMIT)).isEqualTo(unknownCommits);
        assertThat(ledger.count("SELECT count(*) FROM message_attempts")).isZero();
        assertThat(ledger.count("SELECT count(*) FROM dead_letters")).isZero();
        assertThat(scrape.sum(MeterNames.ATTEMPTS_FAILED)).isZero();
    }
}
