package dev.onceward.guarantees;

import static dev.onceward.guarantees.Ledger.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.HeaderNames;
import dev.onceward.catalog.MeterNames;
import dev.onceward.config.IdReuse;
import dev.onceward.config.RetryPolicy;
import dev.onceward.handler.MessageHandler;
import dev.onceward.handler.PermanentException;
import dev.onceward.handler.RetryAfterException;
import dev.onceward.runtime.ConsumerRuntime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;

class DeadLetterIT {

    /** Reads text, but for what begins with "broken". */
    private static final Deserializer<String> PICKY = (topic, data) -> {
        String text = data == null ? null : new String(data, UTF_8);
        if (text != null && text.startsWith("broken")) {
            throw new SerializationException("cannot be read");
        }
        return text;
    };

    @Test
    void whatWasGivenUpIsNotRunAgainAfterARestartWhileAnEarlierOneIsHeld() {
        AtomicBoolean mended = new AtomicBoolean();
        AtomicInteger runsOfTheBad = new AtomicInteger();
        MessageHandler<String, String> handler = (message, effect) -> {
            Ledger.HANDLER.handle(message, effect);
            if (message.id().equals("held") && !mended.get()) {
                throw new RetryAfterException(Duration.ofMillis(500), "not yet");
            }
            if (message.id().equals("bad")) {
                runsOfTheBad.incrementAndGet();
                throw new PermanentException("never");
            }
        };
        try (Ledger ledger = new Ledger(1)) {
            ledger.send("a", "held", "1");
            ledger.send("b", "bad", "1");
            ledger.send("c", "good", "1");
            ledger.flush();
            // Far more attempts than this test takes time for.
            ConsumerRuntime first = ledger.start(
                    ledger.consumer().retry(new RetryPolicy(1_000, Duration.ofMillis(10), Duration.ofSeconds(1))),
                    handler);
            await().untilAsserted(() -> assertThat(ledger.deadLetters()).isEqualTo(1));
            await().untilAsserted(() -> assertThat(ledger.entriesOf("c")).containsExactly("good"));
            assertThat(ledger.committed()).isZero();

            first.close();
            ledger.start(
                    ledger.consumer().retry(new RetryPolicy(1_000, Duration.ofMillis(10), Duration.ofSeconds(1))),
                    handler);
            await().untilAsserted(() -> assertThat(ledger.count(
                            "SELECT max(generation) FROM partition_generations WHERE topic = ?", ledger.topic))
                    .isEqualTo(2));
            mended.set(true);
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(3));

            assertThat(ledger.count("SELECT count(*) FROM dead_letters")).isEqualTo(1);
            assertThat(ledger.records(ledger.deadLetterTopic())).hasSize(1);
            assertThat(runsOfTheBad).hasValue(1);
            assertThat(ledger.entries()).isEqualTo(2);
        }
    }

    @Test
    void F14_aLetterOfAPartitionThatTheDeadLetterTopicDoesNotHaveGoesToOneThatItHas() throws Exception {
        try (Ledger ledger = new Ledger(6)) {
            ledger.admin().deleteTopics(List.of(ledger.deadLetterTopic())).all().get();
            await().ignoreExceptions().until(() -> {
                ledger.create(ledger.deadLetterTopic(), 1);
                return true;
            });
            ledger.send(5, "a", "bad", "1");
            ledger.send(5, "a", "good", "1");
            ledger.flush();
            ledger.start((message, effect) -> {
                if (message.id().equals("bad")) {
                    throw new PermanentException("never");
                }
                Ledger.HANDLER.handle(message, effect);
            });
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(2));

            assertThat(ledger.texts("SELECT partition || ' ' || status || ' ' || dlt_partition || ' ' || dlt_offset"
                            + " FROM dead_letters"))
                    .containsExactly("5 DEAD 0 0");
            assertThat(ledger.records(ledger.deadLetterTopic()))
                    .extracting(letter -> text(letter.key()) + "/" + text(letter.value()))
                    .containsExactly("a/1");
            assertThat(ledger.entriesOf("a")).containsExactly("good");
        }
    }

    @Test
    void F18_whatCannotBeDecodedGoesToTheDeadLetterTopicAsItCameAndTheNextRuns() {
        try (Ledger ledger = new Ledger(1)) {
            ledger.send("a", "m0", "broken value");
            ledger.send("broken key", "m1", "1");
            ledger.send("broken key", "m2", "broken value");
            // Neither is text at all, so that a copy by way of text would be another one.
            byte[] key = {'b', 'r', 'o', 'k', 'e', 'n', (byte) 0xC3, 0x28};
            byte[] value = {'b', 'r', 'o', 'k', 'e', 'n', (byte) 0xFF, 0, (byte) 0xFE};
            ProducerRecord<byte[], byte[]> noText = new ProducerRecord<>(ledger.topic, key, value);
            noText.headers().add("message-id", "m4".getBytes(UTF_8));
            ledger.send(noText);
            ledger.send("a", "m3", "1");
            ledger.flush();
            ledger.started(ledger.consumer()
                    .handle(ledger.topic, PICKY, PICKY, Ledger.HANDLER)
                    .start());
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(5));

            assertThat(ledger.entriesOf("a")).containsExactly("m3");
            assertThat(ledger.texts("SELECT reason FROM dead_letters ORDER BY record_offset"))
                    .containsExactly("UNDECODABLE", "UNDECODABLE", "UNDECODABLE", "UNDECODABLE");
            assertThat(ledger.records(ledger.deadLetterTopic()))
                    .extracting(letter -> bytesOf(letter.key()) + "/" + bytesOf(letter.value()))
                    .containsExactlyInAnyOrder(
                            bytesOf(Ledger.bytes("a")) + "/" + bytesOf(Ledger.bytes("broken value")),
                            bytesOf(Ledger.bytes("broken key")) + "/" + bytesOf(Ledger.bytes("1")),
                            bytesOf(Ledger.bytes("broken key")) + "/" + bytesOf(Ledger.bytes("broken value")),
                            bytesOf(key) + "/" + bytesOf(value));
        }
    }

    @Test
    void idsThatCannotBeUsedAreNamedAndHoldUpNothing() {
        try (Ledger ledger = new Ledger(1)) {
            ledger.send(new ProducerRecord<>(ledger.topic, Ledger.bytes("a"), Ledger.bytes("no id")));
            ledger.send("a", "l".repeat(201), "too long");
            ledger.send("a", "nul\u0000", "with a NUL");
            ledger.send("a", " ", "blank");
            ProducerRecord<byte[], byte[]> binary =
                    new ProducerRecord<>(ledger.topic, Ledger.bytes("a"), Ledger.bytes("not UTF-8"));
            binary.headers().add("message-id", new byte[] {(byte) 0xC3, (byte) 0x28});
            ledger.send(binary);
            ledger.send("a", "l".repeat(200), "just right");
            ledger.flush();
            ledger.start(Ledger.HANDLER);
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(6));

            assertThat(ledger.count(
                            "SELECT count(*) FROM dead_letters WHERE reason = 'INVALID_ID' AND message_id IS NULL"))
                    .isEqualTo(5);
            assertThat(ledger.entries()).isEqualTo(1);
        }
    }

    /** Neither the first nor the last of them is taken: whoever reads the other one would see another message. */
    @Test
    void F21_anIdHeaderThatOccursTwiceIsRefusedAndReachesTheDeadLetterTopicAsItCame() {
        try (Ledger ledger = new Ledger(1)) {
            for (String[] ids : new String[][] {{"x", "y"}, {"y", "x"}}) {
                ProducerRecord<byte[], byte[]> twice =
                        new ProducerRecord<>(ledger.topic, Ledger.bytes("a"), Ledger.bytes("two ids"));
                for (String id : ids) {
                    twice.headers().add("message-id", id.getBytes(UTF_8));
                }
                ledger.send(twice);
            }
            ledger.send("a", "x", "10");
            ledger.send("a", "y", "10");
            ledger.flush();
            ledger.start(Ledger.HANDLER);
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(4));

            assertThat(ledger.texts("SELECT reason || ' ' || coalesce(message_id, 'none') FROM dead_letters"))
                    .containsExactly("INVALID_ID none", "INVALID_ID none");
            assertThat(ledger.records(ledger.deadLetterTopic()))
                    .extracting(letter -> idsIn(letter))
                    .containsExactly(List.of("x", "y"), List.of("y", "x"));
            assertThat(ledger.records(ledger.deadLetterTopic()))
                    .allSatisfy(letter -> assertThat(letter.headers().lastHeader(HeaderNames.DLQ_MESSAGE_ID.key()))
                            .isNull());
            assertThat(ledger.entriesOf("a")).as("no claim stands for either").containsExactly("x", "y");
        }
    }

    private static List<String> idsIn(ConsumerRecord<byte[], byte[]> letter) {
        List<String> ids = new ArrayList<>();
        letter.headers().headers("message-id").forEach(header -> ids.add(new String(header.value(), UTF_8)));
        return ids;
    }

    @Test
    void F15_aTombstoneWithoutAKeyReachesTheDeadLetterTopicAsItIs() {
        try (Ledger ledger = new Ledger(1)) {
            ProducerRecord<byte[], byte[]> tombstone = new ProducerRecord<>(ledger.topic, null, (byte[]) null);
            tombstone
                    .headers()
                    .add("message-id", "m0".getBytes(UTF_8))
                    .add("twice", new byte[] {1, (byte) 0xFF})
                    .add("empty", new byte[0])
                    .add("twice", new byte[] {2});
            ledger.send(tombstone);
            ledger.flush();
            ledger.start((message, effect) -> {
                throw new PermanentException("never");
            });
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(1));

            ConsumerRecord<byte[], byte[]> letter =
                    ledger.records(ledger.deadLetterTopic()).get(0);
            assertThat(letter.key()).isNull();
            assertThat(letter.value()).isNull();
            Header[] headers = letter.headers().toArray();
            assertThat(List.of(headers).subList(0, 4))
                    .extracting(Header::key)
                    .containsExactly("message-id", "twice", "empty", "twice");
            assertThat(headers[1].value()).containsExactly(1, 0xFF);
            assertThat(headers[2].value()).isEmpty();
            assertThat(headers[3].value()).containsExactly(2);
        }
    }

    @Test
    void F16_withoutADeadLetterTopicNothingIsCommittedPastTheMessageUntilItIsThere() throws Exception {
        try (Ledger ledger = new Ledger(1)) {
            ledger.send("a", "bad", "1");
            ledger.send("b", "good", "1");
            ledger.flush();
            ConsumerRuntime runtime = ledger.start((message, effect) -> {
                if (message.id().equals("bad")) {
                    ledger.admin()
                            .deleteTopics(List.of(ledger.deadLetterTopic()))
                            .all()
                            .get();
                    throw new PermanentException("never");
                }
                Ledger.HANDLER.handle(message, effect);
            });
            await().untilAsserted(() -> assertThat(runtime.health().troubles())
                    .anySatisfy(trouble -> assertThat(trouble).contains("dead letters cannot be published")));
            await().untilAsserted(() -> assertThat(ledger.entriesOf("b")).containsExactly("good"));
            assertThat(ledger.committed()).isZero();

            ledger.create(ledger.deadLetterTopic(), 1);
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(2));
            assertThat(ledger.deadLetters()).isEqualTo(1);
            await().untilAsserted(() -> assertThat(runtime.health().ready()).isTrue());
        }
    }

    /** As when somebody compacts the topic by mistake: it takes no record without a key. */
    @Test
    void F15_aDeadLetterTopicThatRefusesTheRecordStallsVisiblyAndGoesOnOnceItIsMended() throws Exception {
        try (Ledger ledger = new Ledger(1)) {
            cleanupPolicy(ledger, "compact");
            ledger.send("a", "before", "1");
            ledger.send(null, "bad", "1");
            ledger.send("b", "behind", "1");
            ledger.flush();
            ConsumerRuntime runtime = ledger.start((message, effect) -> {
                if (message.id().equals("bad")) {
                    throw new PermanentException("never");
                }
                Ledger.HANDLER.handle(message, effect);
            });
            await().untilAsserted(() -> assertThat(runtime.health().troubles())
                    .anySatisfy(trouble -> assertThat(trouble)
                            .contains("dead letters cannot be published")
                            .contains(ledger.deadLetterTopic())));
            await().untilAsserted(() -> assertThat(ledger.entriesOf("b")).containsExactly("behind"));
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(1));
            assertThat(runtime.health().ready()).isFalse();
            assertThat(runtime.health().live()).isTrue();
            assertThat(ledger.texts("SELECT status FROM dead_letters")).containsExactly("PENDING");
            assertThat(ledger.records(ledger.deadLetterTopic())).isEmpty();

            cleanupPolicy(ledger, "delete");
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(3));
            assertThat(ledger.texts("SELECT message_id || ' ' || status FROM dead_letters"))
                    .containsExactly("bad DEAD");
            assertThat(ledger.records(ledger.deadLetterTopic()))
                    .singleElement()
                    .satisfies(letter -> assertThat(letter.key()).isNull());
            assertThat(ledger.entries()).isEqualTo(2);
            await().untilAsserted(() -> assertThat(runtime.health().ready()).isTrue());
        }
    }

    private static void cleanupPolicy(Ledger ledger, String policy) throws Exception {
        ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, ledger.deadLetterTopic());
        AlterConfigOp set = new AlterConfigOp(new ConfigEntry("cleanup.policy", policy), AlterConfigOp.OpType.SET);
        ledger.admin()
                .incrementalAlterConfigs(Map.of(topic, List.of(set)))
                .all()
                .get();
    }

    @Test
    void anIdThatComesBackWithOtherContentIsNeverSilent() {
        try (Ledger ledger = new Ledger(1)) {
            ledger.send("a", "m", "1");
            ledger.send("a", "m", "2");
            ledger.send("a", "m", "2");
            ledger.flush();
            ledger.start(Ledger.HANDLER);
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(3));

            assertThat(ledger.entries()).isEqualTo(1);
            // Neither of the two is a duplicate of the first, nor of each other: no effect stands behind them.
            assertThat(ledger.texts("SELECT reason || '/' || status FROM dead_letters"))
                    .containsExactly("ID_REUSED/DEAD", "ID_REUSED/DEAD");
        }
    }

    /** In one group: what is stored judges both, not the first of them the second. */
    @Test
    void aTrueCopyBehindAnIdThatComesBackWithOtherContentIsADuplicate() {
        Scrape scrape = new Scrape();
        try (Ledger ledger = new Ledger(1)) {
            ledger.send("a", "m", "1");
            for (int i = 0; i < 20; i++) {
                ledger.send("a", "warm" + i, "1"); // groups are small before handlers were measured
            }
            ledger.flush();
            ConsumerRuntime runtime = ledger.start(ledger.consumer().meterRegistry(scrape.registry()), Ledger.HANDLER);
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(21));
            runtime.pause();
            ledger.send("a", "m", "2");
            ledger.send("a", "m", "1");
            ledger.flush();
            await().untilAsserted(
                            () -> assertThat(scrape.sum(MeterNames.IN_FLIGHT)).isEqualTo(2));
            runtime.resume();
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(23));

            assertThat(ledger.entries()).isEqualTo(21);
            assertThat(ledger.texts("SELECT record_offset || ' ' || reason FROM dead_letters"))
                    .containsExactly("21 ID_REUSED");
            assertThat(scrape.sum(MeterNames.MESSAGES, "outcome", "DUPLICATE")).isEqualTo(1);
        }
    }

    @Test
    void anIdThatComesBackWithOtherContentIsSkippedWhereTheTeamSaysSo() {
        try (Ledger ledger = new Ledger(1)) {
            ledger.send("a", "m", "1");
            ledger.send("a", "m", "2");
            ledger.flush();
            ledger.start(ledger.consumer().idReuse(IdReuse.SKIP), Ledger.HANDLER);
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(2));

            assertThat(ledger.entries()).isEqualTo(1);
            assertThat(ledger.count("SELECT count(*) FROM dead_letters")).isZero();
        }
    }

    private static String bytesOf(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    private static String text(byte[] bytes) {
        return new StringDeserializer().deserialize("", bytes);
    }
}
