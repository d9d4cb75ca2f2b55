package dev.onceward.guarantees;

import static dev.onceward.guarantees.Ledger.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.handler.MessageHandler;
import dev.onceward.handler.PermanentException;
import dev.onceward.testsupport.PgBouncer;
import dev.onceward.testsupport.guarantees.DeadLetterOnce;
import dev.onceward.testsupport.guarantees.EffectOnce;
import dev.onceward.testsupport.guarantees.Finding;
import dev.onceward.testsupport.guarantees.Guarantee;
import dev.onceward.testsupport.guarantees.KeyOrder;
import dev.onceward.testsupport.guarantees.NoWriteAfterFence;
import dev.onceward.testsupport.guarantees.NothingLeaks;
import dev.onceward.testsupport.guarantees.NothingLost;
import dev.onceward.testsupport.guarantees.ObservedConsumer;
import dev.onceward.testsupport.guarantees.OffsetsNeverBack;
import dev.onceward.testsupport.guarantees.SourceRecords;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/** The checkers of the guarantees: content with a good run, and none of them overlooks what it is there for. */
class CheckersIT {
    private static final String EFFECTS = "SELECT message_id FROM entries";
    private static final String ORDERED_EFFECTS = "SELECT message_id, id FROM entries";
    private static final MessageHandler<String, String> HANDLER = (message, effect) -> {
        if (message.id().startsWith("bad")) {
            throw new PermanentException("bad for good");
        }
        Ledger.HANDLER.handle(message, effect);
    };

    private final Ledger ledger = new Ledger(2);
    private final ObservedConsumer observed = ObservedConsumer.named(ledger.name, ledger.dataSource, ledger.bootstrap);
    private final SourceRecords source = SourceRecords.withIdHeader(observed, List.of(ledger.topic), "message-id");

    @AfterEach
    void close() {
        ledger.close();
    }

    @Test
    void areContentWithARunThatWasGood() {
        NoWriteAfterFence fence = NoWriteAfterFence.watch(observed, "entries");
        goodRun();

        Guarantee.assertHeld(
                EffectOnce.of(observed, EFFECTS).forEveryClaim(),
                NothingLost.ofEverything(observed, source),
                KeyOrder.of(observed, source, ORDERED_EFFECTS),
                fence,
                DeadLetterOnce.of(observed),
                OffsetsNeverBack.of(observed));
        assertThat(EffectOnce.of(observed, EFFECTS).check().checked()).isEqualTo(95);
        assertThat(NothingLost.of(observed, source).check().checked()).isEqualTo(105);
        assertThat(fence.check().checked()).isGreaterThanOrEqualTo(190);
    }

    @DisabledIfSystemProperty(
            named = PgBouncer.PROPERTY,
            matches = ".+",
            disabledReason = "the sessions that the server sees are the pooler's, which keeps them")
    @Test
    void seeThatAGoodRunLeavesNothingBehind() {
        NothingLeaks leaks = NothingLeaks.since(observed);
        goodRun();

        Guarantee.assertHeld(leaks);
    }

    @Test
    void seeASecondEffectAndOneWithoutAClaim() {
        goodRun();
        ledger.execute("INSERT INTO entries (message_id) VALUES ('m3')");
        ledger.execute("INSERT INTO entries (message_id) VALUES ('nobody')");

        Finding finding = EffectOnce.of(observed, EFFECTS).check();

        assertThat(finding.violations()).isEqualTo(2);
        assertThat(finding.first()).containsExactly("m3 has 2 effects", "nobody has an effect and no claim");
    }

    @Test
    void seeAClaimWithoutItsEffect() {
        goodRun();
        ledger.execute("DELETE FROM entries WHERE message_id IN ('m3', 'm7')");

        Finding finding = EffectOnce.of(observed, EFFECTS).forEveryClaim().check();

        assertThat(finding.violations()).isEqualTo(2);
        assertThat(finding.first()).contains("m3 has a claim and no effect");
    }

    @Test
    void seeAMessageThatLeftNoTrace() {
        goodRun();
        ledger.execute("DELETE FROM processed_messages WHERE message_id = 'm7'");
        ledger.execute("UPDATE dead_letters SET status = 'PENDING', dlt_offset = NULL WHERE message_id = 'bad1'");

        Finding finding = NothingLost.of(observed, source).check();

        assertThat(finding.violations()).isEqualTo(2);
        assertThat(finding.first()).anyMatch(text -> text.contains("(id m7)"));
        assertThat(finding.first()).anyMatch(text -> text.contains("(id bad1)"));
    }

    @Test
    void seeEffectsOutOfTheOrderOfTheirKey() {
        goodRun();
        // m1 and m11 are of one account; afterwards m1 is the last of all.
        ledger.execute("UPDATE entries SET id = id + 1000 WHERE message_id = 'm1'");

        Finding finding = KeyOrder.of(observed, source, ORDERED_EFFECTS).check();

        assertThat(finding.violations()).isEqualTo(1);
        assertThat(finding.first().get(0)).contains("(id m1) took effect after offset");
        assertThat(KeyOrder.ofPartitions(observed, source, ORDERED_EFFECTS)
                        .check()
                        .violations())
                .isPositive();
    }

    @Test
    void seeAWriteThatAStaleWorkerCommitted() throws SQLException {
        NoWriteAfterFence fence = NoWriteAfterFence.watch(observed, "entries");
        goodRun();
        String fenceKey =
                ledger.texts("SELECT max(fence_key) FROM partition_generations").get(0);
        long generation =
                ledger.count("SELECT max(generation) FROM partition_generations WHERE fence_key = " + fenceKey);

        try (Connection connection = ledger.dataSource.getConnection();
                var statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            String open = "SELECT set_config('onceward.generation', '" + fenceKey + "=%d', true);"
                    + " INSERT INTO entries (message_id) VALUES ('%s')";
            statement.execute(String.format(open, generation, "own"));
            connection.commit();
            statement.execute(String.format(open, generation - 1, "rolled back"));
            connection.rollback();
            assertThat(fence.check().held()).isTrue();
            statement.execute(String.format(open, generation - 1, "stale"));
            connection.commit();
            // Own as it wrote, and not any more as it committed.
            statement.execute(String.format(open, generation, "late"));
            ledger.execute(
                    "UPDATE partition_generations SET generation = generation + 1 WHERE fence_key = " + fenceKey);
            connection.commit();
            statement.execute("INSERT INTO entries (message_id) VALUES ('outside')");
            connection.commit();
        }

        Finding finding = fence.check();
        assertThat(finding.violations()).isEqualTo(3);
        assertThat(finding.first().get(0)).contains("stale: " + fenceKey + "=" + (generation - 1));
        assertThat(finding.first().get(1)).contains("stale: " + fenceKey + "=" + generation);
        assertThat(finding.first().get(2)).contains("no fenced transaction");
    }

    @Test
    void seeADeadLetterThatIsNotWhatItsRowSays() {
        goodRun();
        ProducerRecord<byte[], byte[]> stray =
                new ProducerRecord<>(ledger.deadLetterTopic(), 0, Ledger.bytes("k"), Ledger.bytes("v"));
        ledger.send(stray);
        ledger.flush();
        assertThat(DeadLetterOnce.of(observed).check().first())
                .containsExactly("1 copies are named by no dead letter; at most 0 can come from crashes");
        Guarantee.assertHeld(DeadLetterOnce.of(observed).withUnnamedCopies(1));

        ledger.execute("UPDATE dead_letters SET (dlt_partition, dlt_offset) = (SELECT dlt_partition, dlt_offset"
                + " FROM dead_letters WHERE message_id = 'bad0') WHERE message_id = 'bad1'");
        ledger.execute("UPDATE dead_letters SET dlt_offset = 1000 WHERE message_id = 'bad2'");
        ledger.execute("INSERT INTO processed_messages (consumer_name, message_id, payload_hash, fence_key,"
                + " source_offset, generation) SELECT consumer_name, message_id, payload_hash, 1, 1, 1"
                + " FROM dead_letters WHERE message_id = 'bad3'");

        assertThat(DeadLetterOnce.of(observed).withUnnamedCopies(3).check().first())
                .anyMatch(text -> text.contains("is named by two dead letters"))
                .anyMatch(text -> text.contains("there is no record at"))
                .anyMatch(text -> text.contains("(id bad3) took effect, and its dead letter is DEAD"))
                .hasSizeBetween(3, 4);
    }

    @Test
    void seeAnOffsetThatWentBack() throws ExecutionException, InterruptedException {
        goodRun();
        ledger.commit(2);

        Finding finding = OffsetsNeverBack.of(observed).check();

        assertThat(finding.violations()).isEqualTo(1);
        assertThat(finding.first().get(0))
                .startsWith(ledger.topic + "-0 went back from ")
                .contains(" to 2 ");
        Guarantee.assertHeld(OffsetsNeverBack.of(observed).except(ledger.partition(0)));
    }

    @Test
    void tellALateCommitFromOneThatGoesBack() throws ExecutionException, InterruptedException {
        goodRun();
        ledger.commit(1020, "onceward w1 7");
        ledger.commit(1030, "onceward w1 8");
        ledger.commit(1020, "onceward w1 7"); // a broken connection brings it after all
        assertThat(OffsetsNeverBack.of(observed).check().violations()).isZero();

        ledger.commit(1025, "onceward w1 9");
        assertThat(OffsetsNeverBack.of(observed).check().violations()).isEqualTo(1);
        ledger.commit(1022, "onceward w2 7");
        assertThat(OffsetsNeverBack.of(observed).check().violations()).isEqualTo(2);

        ledger.commit(1040, "onceward w2 8");
        ledger.commit(1030, "onceward w2 7"); // late again, and then the worker is gone
        ledger.commit(1035, "onceward w3 1"); // forward from what the next one found
        assertThat(OffsetsNeverBack.of(observed).check().violations()).isEqualTo(2);
    }

    @Test
    void seeWhatIsLeftOver() throws SQLException, InterruptedException {
        NothingLeaks leaks = NothingLeaks.since(observed).counting("things", () -> 1);
        CountDownLatch end = new CountDownLatch(1);
        Thread thread = new Thread(
                () -> {
                    try {
                        end.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "onceward-left-over");
        thread.start();
        try (Connection connection = ledger.dataSource.getConnection()) {
            assertThat(connection.isValid(1)).isTrue();
            assertThat(leaks.check().first())
                    .containsExactly(
                            "thread onceward-left-over still runs", "1 connections to the database, of 0 before");
        } finally {
            end.countDown();
            thread.join();
        }
        assertThat(leaks.check().held()).isTrue();
    }

    @Test
    void saySoIfThereWasNothingToCheck() {
        assertThatThrownBy(() -> Guarantee.assertHeld(EffectOnce.of(observed, EFFECTS)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("there was nothing to check");
    }

    /** 100 messages of ten accounts, five of them bad, five sent twice; then the worker ends. */
    private void goodRun() {
        for (int i = 0; i < 100; i++) {
            ledger.send("account-" + i % 10, i % 20 == 0 ? "bad" + i / 20 : "m" + i, String.valueOf(i));
        }
        for (int i = 1; i <= 5; i++) {
            ledger.send("account-" + i, "m" + i, String.valueOf(i));
        }
        ledger.flush();
        var worker = ledger.start(HANDLER);
        await().until(() -> ledger.committed() == 105);
        worker.close();
    }
}
