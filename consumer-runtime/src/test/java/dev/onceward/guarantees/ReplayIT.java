package dev.onceward.guarantees;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.onceward.catalog.HeaderNames;
import dev.onceward.catalog.MeterNames;
import dev.onceward.config.ConsumerSettings;
import dev.onceward.handler.Message;
import dev.onceward.handler.MessageHandler;
import dev.onceward.runtime.ConsumerRuntime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** However often and however late a dead letter is replayed: its effect happens once. */
class ReplayIT {
    private final Ledger ledger = new Ledger(1);
    private final Scrape scrape = new Scrape();
    private final List<Message<String, String>> seen = new CopyOnWriteArrayList<>();
    private volatile boolean mended;

    @AfterEach
    void close() {
        ledger.close();
    }

    @Test
    void F41_aDeadLetterHasNoClaimAndItsReplayResolvesItWithItsEffect() {
        start();
        long timestamp = System.currentTimeMillis() - 3_600_000; // of this week, or retention takes it
        ProducerRecord<byte[], byte[]> sent =
                new ProducerRecord<>(ledger.topic, 0, timestamp, Ledger.bytes("account-1"), Ledger.bytes("10"));
        sent.headers()
                .add("message-id", "m1".getBytes(UTF_8))
                .add("note", "a".getBytes(UTF_8))
                .add("note", "b".getBytes(UTF_8));
        ledger.send(sent);
        ledger.flush();
        Ledger.await().until(() -> ledger.deadLetters() == 1);
        assertThat(ledger.count("SELECT count(*) FROM processed_messages")).isZero();
        mended = true;
        Replays.replay(ledger, Replays.lastCopy(ledger));
        awaitReplaysFinished(1);

        assertThat(ledger.texts("SELECT message_id FROM entries")).containsExactly("m1");
        assertThat(statuses()).containsExactly("RESOLVED");
        // One transaction wrote all three rows as they are now.
        assertThat(ledger.count("SELECT count(DISTINCT xmin::text) FROM (SELECT xmin FROM entries"
                        + " UNION ALL SELECT xmin FROM dead_letters UNION ALL SELECT xmin FROM processed_messages) w"))
                .isEqualTo(1);
        Message<String, String> replayed = seen.get(seen.size() - 1);
        assertThat(replayed.replay()).isTrue();
        assertThat(replayed.coordinates().topic()).isEqualTo(ledger.topic);
        assertThat(replayed.coordinates().offset()).isZero();
        assertThat(replayed.timestamp().toEpochMilli()).isEqualTo(timestamp);
        assertThat(replayed.headers()).containsExactlyElementsOf(sent.headers());
    }

    @Test
    void theSameReplayManyTimesHasOneEffect() {
        start();
        deadLetter("m1");
        mended = true;
        ConsumerRecord<byte[], byte[]> copy = Replays.lastCopy(ledger);
        for (int i = 0; i < 5; i++) {
            Replays.send(ledger, copy, 0); // some in one group, with luck
        }
        ledger.flush();
        awaitReplaysFinished(5);
        Replays.replay(ledger, copy); // and one long after
        awaitReplaysFinished(6);
        oneEffectResolved();
        assertThat(scrape.sum(MeterNames.MESSAGES, "outcome", "DUPLICATE")).isEqualTo(5);
    }

    @Test
    void F37_theSameReplayAtTheSameTimeHasOneEffect() throws Exception {
        ledger.admin()
                .createPartitions(Map.of(ledger.replayTopic(), NewPartitions.increaseTo(2)))
                .all()
                .get();
        Blocker blocker = Blocker.polite();
        MessageHandler<String, String> handler = (message, effect) -> {
            if (!mended) {
                throw new IllegalStateException("not yet");
            }
            blocker.handle(message, effect);
        };
        ledger.start(handler);
        ledger.start(handler);
        deadLetter("m1");
        mended = true;
        ConsumerRecord<byte[], byte[]> copy = Replays.lastCopy(ledger);
        Replays.send(ledger, copy, 0);
        Replays.send(ledger, copy, 1);
        ledger.flush();
        // One is in the middle of its effect, the other waits at the claim for what becomes of it.
        Ledger.await()
                .until(() -> blocker.blocked() == 1
                        && ledger.count("SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid)"
                                        + " WHERE l.locktype = 'transactionid' AND NOT l.granted"
                                        + " AND a.datname = current_database()")
                                == 1);
        blocker.open();
        awaitReplaysFinished(2);
        oneEffectResolved();
    }

    @Test
    void aReplayOfAMessageThatWasProcessedAfterAllResolvesIt() {
        start();
        deadLetter("m1");
        ConsumerRecord<byte[], byte[]> copy = Replays.lastCopy(ledger);
        mended = true;
        ledger.send("account-1", "m1", "10"); // its producer sends it again
        ledger.flush();
        Ledger.await().until(() -> ledger.committed() == 2);
        oneEffectResolved();
        // As if the dead letter had been written only then: the duplicate proves that nothing is open.
        ledger.execute("UPDATE dead_letters SET status = 'DEAD', resolved_at = NULL");
        Replays.replay(ledger, copy);
        awaitReplaysFinished(1);
        oneEffectResolved();
    }

    @Test
    void aReplayThatFailsAgainAndAgainIsOneCaseThatEndsResolved() {
        start();
        deadLetter("m1");
        List<Integer> headers = new ArrayList<>();
        List<Integer> bytes = new ArrayList<>();
        int rounds = 6;
        for (int round = 1; round <= rounds; round++) {
            ConsumerRecord<byte[], byte[]> copy = Replays.lastCopy(ledger);
            assertThat(Replays.text(copy.headers(), HeaderNames.DLQ_REPLAYS)).isEqualTo(String.valueOf(round - 1));
            headers.add(copy.headers().toArray().length);
            bytes.add(StreamSupport.stream(copy.headers().spliterator(), false)
                    .filter(header -> !header.key().equals(HeaderNames.DLQ_STACKTRACE.key()))
                    .mapToInt(header -> header.key().length() + header.value().length)
                    .sum());
            Replays.replay(ledger, copy);
            int rows = round + 1;
            Ledger.await()
                    .until(() -> ledger.count("SELECT count(*) FROM dead_letters") == rows
                            && ledger.records(ledger.deadLetterTopic()).size() == rows
                            && ledger.deadLetters() == 1);
        }
        assertThat(headers).containsOnly(headers.get(0));
        // Instants may have a digit more or less.
        assertThat(bytes).allSatisfy(size -> assertThat(size).isCloseTo(bytes.get(0), within(16)));
        assertThat(ledger.count(
                        "SELECT count(DISTINCT (origin_topic, origin_partition, origin_offset)) FROM dead_letters"))
                .isEqualTo(1);
        assertThat(ledger.texts("SELECT DISTINCT origin_topic FROM dead_letters"))
                .containsExactly(ledger.topic);

        mended = true;
        Replays.replay(ledger, Replays.lastCopy(ledger));
        awaitReplaysFinished(rounds + 1);
        assertThat(statuses()).hasSize(rounds + 1).containsOnly("RESOLVED");
        assertThat(ledger.texts("SELECT message_id FROM entries")).containsExactly("m1");
        assertThat(ledger.count("SELECT count(*) FROM message_attempts")).isZero();
    }

    @Test
    void whatCannotBeRoutedIsDeadLetteredAndHoldsNothingUp() {
        String unroutable = "dlq." + ledger.name + "." + ledger.replayTopic();
        ledger.create(unroutable, 1);
        start();
        deadLetter("m1");
        mended = true;
        Replays.forge(ledger, "of.another.consumer", "m2", "10");
        Replays.forge(ledger, "no such topic name!", "m3", "10");
        ledger.send(new ProducerRecord<>(ledger.replayTopic(), Ledger.bytes("account-1"), Ledger.bytes("10")));
        ledger.flush();
        Replays.replay(ledger, Replays.lastCopy(ledger));
        awaitReplaysFinished(4);
        assertThat(ledger.texts(
                        "SELECT reason FROM dead_letters WHERE topic = ? AND status = 'DEAD'", ledger.replayTopic()))
                .containsExactly("UNROUTABLE", "UNROUTABLE", "UNROUTABLE");
        assertThat(ledger.records(unroutable)).hasSize(3);
        assertThat(ledger.records(ledger.deadLetterTopic())).hasSize(1);
        assertThat(ledger.texts("SELECT message_id FROM entries")).containsExactly("m1");
        assertThat(seen).extracting(Message::id).containsOnly("m1");
    }

    @Test
    void F49_aReplayAfterTheClaimWasPrunedHasNoSecondEffect() {
        start();
        deadLetter("m1");
        mended = true;
        ConsumerRecord<byte[], byte[]> copy = Replays.lastCopy(ledger);
        Replays.replay(ledger, copy);
        awaitReplaysFinished(1);
        oneEffectResolved();
        ledger.execute("UPDATE partition_generations SET pruned_through = watermark");
        ledger.execute("DELETE FROM processed_messages");
        Replays.replay(ledger, copy);
        awaitReplaysFinished(2);
        oneEffectResolved();
        // And once more, should the first one have left a claim.
        ledger.execute("DELETE FROM processed_messages");
        Replays.replay(ledger, copy);
        awaitReplaysFinished(3);
        oneEffectResolved();
    }

    @Test
    void aReplayThatNamesNoDeadLetterIsNotRun() {
        mended = true;
        start();
        ledger.send("account-1", "m1", "10");
        ledger.flush();
        Ledger.await().until(() -> ledger.entries() == 1);
        ledger.execute("DELETE FROM processed_messages"); // pruned: nothing tells any more that it was processed
        Replays.forge(ledger, ledger.topic, "m1", "10");
        Replays.forge(ledger, ledger.topic, "never-seen", "10");
        awaitReplaysFinished(2);
        assertThat(ledger.texts("SELECT reason || ' ' || message_id FROM dead_letters ORDER BY record_offset"))
                .containsExactly("TOO_OLD m1", "TOO_OLD never-seen");
        assertThat(ledger.texts("SELECT message_id FROM entries")).containsExactly("m1");
        assertThat(seen).hasSize(1);
        assertThat(ledger.count("SELECT count(*) FROM processed_messages")).isZero();
    }

    @Test
    void F49_anOldExportIsRefusedUntilAnOperatorAssertsThatItWasNotProcessed() {
        mended = true;
        start();
        ledger.send("account-1", "m1", "10");
        ledger.flush();
        Ledger.await().until(() -> ledger.entries() == 1);
        ledger.execute("DELETE FROM processed_messages"); // pruned
        for (int replays = 1; replays <= 3; replays++) {
            Replays.forge(ledger, ledger.topic, "m1", "10"); // from an old export
            awaitReplaysFinished(replays);
        }
        assertThat(ledger.texts("SELECT reason || ' ' || status FROM dead_letters"))
                .containsExactly("TOO_OLD DEAD", "TOO_OLD DEAD", "TOO_OLD DEAD");
        assertThat(ledger.entries()).isEqualTo(1);

        ledger.execute("DELETE FROM entries"); // as if it had never been processed, which is what is asserted now
        ConsumerRecord<byte[], byte[]> copy = Replays.lastCopy(ledger);
        Replays.replay(ledger, copy);
        awaitReplaysFinished(4);
        assertThat(ledger.texts("SELECT message_id FROM entries")).containsExactly("m1");
        assertThat(statuses()).hasSize(3).containsOnly("RESOLVED");
        ledger.execute("DELETE FROM processed_messages");
        Replays.replay(ledger, copy);
        awaitReplaysFinished(5);
        assertThat(ledger.texts("SELECT message_id FROM entries")).containsExactly("m1");
    }

    @Test
    void anAssertedReplayThatFailsCanBeReplayedAgain() {
        start();
        Replays.forge(ledger, ledger.topic, "m1", "10");
        awaitReplaysFinished(1);
        Replays.replay(ledger, Replays.lastCopy(ledger)); // the handler fails
        awaitReplaysFinished(2);
        assertThat(ledger.texts("SELECT reason || ' ' || status FROM dead_letters ORDER BY record_offset"))
                .containsExactly("TOO_OLD REPLAYED", "ATTEMPTS_EXHAUSTED DEAD");
        mended = true;
        Replays.replay(ledger, Replays.lastCopy(ledger));
        awaitReplaysFinished(3);
        assertThat(ledger.texts("SELECT message_id FROM entries")).containsExactly("m1");
        assertThat(statuses()).containsExactly("RESOLVED", "RESOLVED");
    }

    @Test
    void whatCouldNotBeDecodedIsReplayedUnlessItMayHaveBeenProcessedBefore() throws Exception {
        ConsumerRuntime before = ledger.start(Ledger.HANDLER);
        ledger.send("account-1", "processed", "10");
        ledger.flush();
        Ledger.await().until(() -> ledger.committed() == 1);
        before.close();
        ledger.execute("UPDATE partition_generations SET pruned_through = 0 WHERE topic = '" + ledger.topic + "'");
        ledger.execute("DELETE FROM processed_messages");
        ledger.send("account-1", "new", "10");
        ledger.flush();
        ledger.admin()
                .alterConsumerGroupOffsets(ledger.name, Map.of(ledger.partition(0), new OffsetAndMetadata(0)))
                .all()
                .get();
        // A deserialiser that a bad deployment broke.
        ledger.started(ledger.consumer()
                .handle(
                        ledger.topic,
                        new StringDeserializer(),
                        (topic, data) -> {
                            if (!mended) {
                                throw new SerializationException("not yet");
                            }
                            return new String(data, UTF_8);
                        },
                        Ledger.HANDLER)
                .start());
        Ledger.await().until(() -> ledger.deadLetters() == 2 && ledger.committed() == 2);
        assertThat(ledger.texts("SELECT message_id || ' ' || reason FROM dead_letters ORDER BY record_offset"))
                .containsExactly("processed TOO_OLD", "new UNDECODABLE");
        assertThat(ledger.records(ledger.deadLetterTopic()))
                .extracting(copy -> Replays.text(copy.headers(), HeaderNames.DLQ_REASON))
                .containsExactly("TOO_OLD", "UNDECODABLE");
        mended = true;
        Replays.forge(ledger, ledger.topic, "processed", "10");
        Replays.forge(ledger, ledger.topic, "new", "10");
        awaitReplaysFinished(2);
        assertThat(ledger.texts("SELECT message_id FROM entries ORDER BY id")).containsExactly("processed", "new");
    }

    @Test
    void F39_onlyTheConsumerThatFailedSeesTheReplay() {
        String otherName = ledger.name + "-other";
        List<Message<String, String>> seenByOther = new CopyOnWriteArrayList<>();
        ledger.started(ConsumerRuntime.named(otherName)
                .bootstrapServers(ledger.bootstrap)
                .database(
                        ledger.postgres.jdbcUrl(ledger.databaseName),
                        ledger.postgres.user(),
                        ledger.postgres.password())
                .createTopics(new ConsumerSettings.TopicCreation(1, (short) 1, null))
                .handle(
                        ledger.topic,
                        new StringDeserializer(),
                        new StringDeserializer(),
                        (message, effect) -> seenByOther.add(message))
                .start());
        start();
        deadLetter("m1");
        Ledger.await().until(() -> seenByOther.size() == 1);
        mended = true;
        Replays.replay(ledger, Replays.lastCopy(ledger));
        awaitReplaysFinished(1);
        ledger.send("account-1", "m2", "10"); // whatever the other one was to see before this, it has seen
        ledger.flush();
        Ledger.await().until(() -> seenByOther.size() >= 2);
        assertThat(seenByOther).extracting(Message::id).containsExactly("m1", "m2");
        Ledger.await().until(() -> ledger.entries() == 2);
        assertThat(statuses()).containsExactly("RESOLVED");
        assertThat(ledger.count("SELECT count(*) FROM dead_letters WHERE consumer_name = ?", otherName))
                .isZero();
    }

    private void start() {
        ledger.start(ledger.consumer().meterRegistry(scrape.registry()), failing());
    }

    /** Fails until it is mended, then makes its effect. */
    private MessageHandler<String, String> failing() {
        return (message, effect) -> {
            seen.add(message);
            if (!mended) {
                throw new IllegalStateException("not yet");
            }
            Ledger.HANDLER.handle(message, effect);
        };
    }

    private void deadLetter(String id) {
        ledger.send("account-1", id, "10");
        ledger.flush();
        Ledger.await().until(() -> ledger.deadLetters() == 1);
        assertThat(ledger.records(ledger.deadLetterTopic())).hasSize(1);
    }

    private void awaitReplaysFinished(long replays) {
        Ledger.await()
                .until(() -> ledger.offsets().entrySet().stream()
                                .filter(entry -> entry.getKey().topic().equals(ledger.replayTopic()))
                                .mapToLong(Map.Entry::getValue)
                                .sum()
                        == replays);
    }

    private void oneEffectResolved() {
        assertThat(ledger.texts("SELECT message_id FROM entries")).containsExactly("m1");
        assertThat(statuses()).containsExactly("RESOLVED");
    }

    private List<String> statuses() {
        return ledger.texts("SELECT status FROM dead_letters ORDER BY topic, record_offset");
    }
}
