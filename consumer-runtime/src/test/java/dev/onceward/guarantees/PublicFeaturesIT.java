package dev.onceward.guarantees;

import static dev.onceward.guarantees.Ledger.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.MeterNames;
import dev.onceward.config.ConsumerSettings;
import dev.onceward.config.Ordering;
import dev.onceward.config.StartPosition;
import dev.onceward.handler.FailureClass;
import dev.onceward.handler.MessageIds;
import dev.onceward.handler.PermanentException;
import dev.onceward.handler.UnavailableException;
import dev.onceward.migrations.Migrations;
import dev.onceward.runtime.ConsumerRuntime;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Every choice that the builder offers and no other test makes, each with a running worker. */
class PublicFeaturesIT {

    // ---- ids ----

    @Test
    void theIdIsTheKey() {
        try (Ledger ledger = new Ledger(1)) {
            send(ledger, "order-1", "10");
            send(ledger, "order-2", "20");
            send(ledger, "order-1", "10");
            send(ledger, null, "30"); // has no id
            ledger.flush();
            ledger.start(ledger.consumer().messageIds(MessageIds.key()), Ledger.HANDLER);

            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(4));
            assertThat(ledger.texts("SELECT message_id FROM entries ORDER BY 1"))
                    .containsExactly("order-1", "order-2");
            assertThat(ledger.texts("SELECT reason FROM dead_letters")).containsExactly("INVALID_ID");
        }
    }

    @Test
    void theIdStandsInTheJsonOfTheValue() {
        try (Ledger ledger = new Ledger(1)) {
            send(ledger, "account-1", "{\"payment\":{\"id\":\"p-1\"},\"amount\":10}");
            send(ledger, "account-2", "{\"amount\":20,\"payment\":{\"id\":2}}");
            send(ledger, "account-1", "{\"payment\":{\"id\":\"p-1\"},\"amount\":10}");
            send(ledger, "account-1", "{\"payment\":{}}");
            send(ledger, "account-1", "not JSON");
            ledger.flush();
            ledger.start(ledger.consumer().messageIds(MessageIds.jsonPointer("/payment/id")), Ledger.HANDLER);

            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(5));
            assertThat(ledger.texts("SELECT message_id FROM entries ORDER BY 1"))
                    .containsExactly("2", "p-1");
            assertThat(ledger.texts("SELECT reason FROM dead_letters")).containsExactly("INVALID_ID", "INVALID_ID");
        }
    }

    // ---- failures ----

    @Test
    void theTeamsWordOnAFailureCountsBeforeTheBuiltInRules() {
        AtomicInteger refused = new AtomicInteger();
        AtomicInteger conflicts = new AtomicInteger();
        try (Ledger ledger = new Ledger(1)) {
            ledger.send("account-1", "refused", "10");
            ledger.send("account-2", "conflict", "10");
            ledger.send("account-3", "usual", "10");
            ledger.flush();
            ledger.start(ledger.consumer().failureClassifier(PublicFeaturesIT::classify), (message, effect) -> {
                if (message.id().equals("refused")) {
                    refused.incrementAndGet();
                    throw new IllegalArgumentException("the team calls this permanent");
                }
                if (message.id().equals("conflict") && conflicts.incrementAndGet() < 8) {
                    throw new IllegalStateException("the team calls this a conflict");
                }
                if (message.id().equals("usual") && message.attempt() < 3) {
                    throw new UnsupportedOperationException("left to the built-in rules");
                }
                Ledger.HANDLER.handle(message, effect);
            });

            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(3));
            assertThat(ledger.texts("SELECT message_id FROM entries ORDER BY 1"))
                    .containsExactly("conflict", "usual");
            assertThat(ledger.texts("SELECT message_id || ' ' || reason || ' ' || attempts FROM dead_letters"))
                    .containsExactly("refused PERMANENT 1");
            assertThat(refused.get()).as("in a group, and once alone").isBetween(1, 2);
            assertThat(conflicts).as("more often than attempts are allowed").hasValue(8);
        }
    }

    private static @Nullable FailureClass classify(Throwable failure) {
        if (failure instanceof IllegalArgumentException) {
            return FailureClass.PERMANENT;
        }
        return failure instanceof IllegalStateException ? FailureClass.CONTENTION : null;
    }

    @Test
    void whileSomethingThatTheHandlerNeedsIsDownEverythingStandsStillAndNothingIsCounted() {
        AtomicBoolean down = new AtomicBoolean(true);
        AtomicInteger calls = new AtomicInteger();
        Scrape scrape = new Scrape();
        try (Ledger ledger = new Ledger(2)) {
            for (int i = 0; i < 50; i++) {
                ledger.send("account-" + i % 7, "m" + i, "10");
            }
            ledger.flush();
            ConsumerRuntime runtime = ledger.start(
                    ledger.consumer().ordering(Ordering.KEY).meterRegistry(scrape.registry()), (message, effect) -> {
                        calls.incrementAndGet();
                        if (down.get()) {
                            throw new UnavailableException("the ledger of the bank is down");
                        }
                        Ledger.HANDLER.handle(message, effect);
                    });
            // Many more probes than a message has attempts, all lanes together.
            await().until(() -> calls.get() > 30);
            assertThat(scrape.sum(MeterNames.OUTAGE)).isEqualTo(1);
            assertThat(runtime.health().live()).isTrue();
            assertThat(runtime.health().ready()).isFalse();
            assertThat(runtime.health().troubles())
                    .anySatisfy(trouble -> assertThat(trouble).contains("stands still"));
            assertThat(ledger.entries()).isZero();
            assertThat(ledger.committed()).isZero();

            down.set(false);
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(50));
            assertThat(ledger.entries()).isEqualTo(50);
            assertThat(ledger.distinctEntries()).isEqualTo(50);
            assertThat(ledger.entriesOf("account-1")).startsWith("m1", "m8", "m15");
            assertThat(ledger.count("SELECT count(*) FROM dead_letters")).isZero();
            assertThat(ledger.count("SELECT count(*) FROM message_attempts")).isZero();
            assertThat(scrape.sum(MeterNames.RETRIES_SUCCEEDED)).isZero();
            await().until(() -> runtime.health().ready());
            assertThat(scrape.sum(MeterNames.OUTAGE)).isZero();
        }
    }

    // ---- deserialisers that are not thread-safe ----

    @Test
    void eachLaneHasDeserialisersOfItsOwn() {
        try (Ledger ledger = new Ledger(1)) {
            Confined.Made keys = new Confined.Made();
            Confined.Made values = new Confined.Made();
            send200(ledger);
            ConsumerRuntime runtime = ledger.started(ledger.consumer()
                    .handleWith(ledger.topic, keys, values, Ledger.HANDLER)
                    .start());
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(200));
            runtime.close();
            assertEachLaneHadItsOwn(ledger, keys, values);
        }
    }

    @Test
    void eachLaneHasDeserialisersOfItsOwnForABatchHandlerToo() {
        try (Ledger ledger = new Ledger(1)) {
            Confined.Made keys = new Confined.Made();
            Confined.Made values = new Confined.Made();
            send200(ledger);
            ConsumerRuntime runtime = ledger.started(ledger.consumer()
                    .handleBatchWith(ledger.topic, keys, values, (messages, effect) -> {
                        for (var message : messages) {
                            Ledger.HANDLER.handle(message, effect);
                        }
                    })
                    .start());
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(200));
            runtime.close();
            assertEachLaneHadItsOwn(ledger, keys, values);
        }
    }

    private static void send200(Ledger ledger) {
        for (int i = 0; i < 200; i++) {
            ledger.send("account-" + i, "m" + i, "10");
        }
        ledger.flush();
    }

    private static void assertEachLaneHadItsOwn(Ledger ledger, Confined.Made keys, Confined.Made values) {
        assertThat(ledger.entries()).isEqualTo(200);
        assertThat(ledger.count("SELECT count(*) FROM dead_letters"))
                .as("one used by two threads throws")
                .isZero();
        for (Confined.Made made : Set.of(keys, values)) {
            assertThat(made.all()).hasSizeBetween(2, 4); // 200 keys meet all four lanes
            assertThat(made.all()).allMatch(deserializer -> deserializer.closed);
        }
    }

    /** Belongs to the first thread that uses it. */
    private static final class Confined implements Deserializer<String> {
        private final Deserializer<String> text = new StringDeserializer();
        private final Set<Thread> users = ConcurrentHashMap.newKeySet();
        private volatile boolean closed;

        @Override
        public String deserialize(String topic, byte[] data) {
            users.add(Thread.currentThread());
            if (users.size() > 1 || closed) {
                throw new IllegalStateException("used by " + users + (closed ? " after it was closed" : ""));
            }
            return text.deserialize(topic, data);
        }

        @Override
        public void close() {
            closed = true;
        }

        /** Makes them, and remembers which. */
        private static final class Made implements Supplier<Confined> {
            private final Set<Confined> made = ConcurrentHashMap.newKeySet();

            @Override
            public Confined get() {
                Confined one = new Confined();
                made.add(one);
                return one;
            }

            Set<Confined> all() {
                return Set.copyOf(made);
            }
        }
    }

    // ---- names ----

    @Test
    void offsetsAreCommittedUnderTheGroupThatWasGiven() {
        try (Ledger ledger = new Ledger(1)) {
            String group = "group-of-" + ledger.name;
            ledger.send("account-1", "m1", "10");
            ledger.flush();
            ledger.start(ledger.consumer().groupId(group), Ledger.HANDLER);
            await().untilAsserted(() -> assertThat(ledger.committed(group)).isEqualTo(1));

            assertThat(ledger.offsets())
                    .as("of the group named like the consumer")
                    .isEmpty();
            assertThat(ledger.entries()).isEqualTo(1);
            assertThat(ledger.texts("SELECT group_id FROM consumers WHERE consumer_name = ?", ledger.name))
                    .containsExactly(group);
        }
    }

    /** The same consumer of the same topic twice in one database: all that is different is the schema. */
    @Test
    void F51_aTakeoverInOneSchemaLeavesTheSessionsOfAnotherSchemaAlone() {
        Blocker blocker = Blocker.stubborn();
        AtomicInteger calls = new AtomicInteger();
        try (Ledger ledger = new Ledger(1)) {
            Migrations.apply(ledger.dataSource, "other");
            ledger.execute("CREATE TABLE other_entries (message_id text)");
            ledger.send("account-1", "m0", "10");
            ledger.flush();
            ledger.start(ledger.consumer().limits(Ledger.impatient()), (message, effect) -> {
                if (message.id().equals("m0")) {
                    calls.incrementAndGet();
                    blocker.handle(message, effect);
                } else {
                    Ledger.HANDLER.handle(message, effect);
                }
            });
            String known = "SELECT count(*) FROM public.partition_generations";
            await().until(() -> blocker.blocked() == 1 && ledger.count(known) == 2);
            // The same fence keys, of which the blocked transaction holds one.
            ledger.execute(
                    "INSERT INTO other.partition_generations (consumer_name, topic, partition, fence_key, topic_id)"
                            + " OVERRIDING SYSTEM VALUE SELECT consumer_name, topic, partition, fence_key, topic_id"
                            + " FROM public.partition_generations");
            for (int i = 1; i < 100; i++) {
                ledger.send("account-" + i % 7, "m" + i, "10");
            }
            ledger.flush();

            String group = "other-" + ledger.name;
            ledger.start(
                    ledger.consumer().schema("other").groupId(group).limits(Ledger.impatient()), (message, effect) -> {
                        effect.update("INSERT INTO other_entries VALUES (?)", message.id());
                        if (message.id().equals("m50")) {
                            throw new PermanentException("only here");
                        }
                    });
            await().untilAsserted(() -> assertThat(ledger.committed(group)).isEqualTo(100));
            blocker.open();
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(100));
            assertThat(calls).as("nobody ended its session").hasValue(1);
            assertThat(ledger.entries()).isEqualTo(100);
            assertThat(ledger.distinctEntries()).isEqualTo(100);
            assertThat(ledger.count("SELECT count(DISTINCT message_id) FROM other_entries"))
                    .isEqualTo(99);
            assertThat(ledger.count("SELECT count(*) FROM other_entries")).isEqualTo(99);
            assertThat(ledger.count("SELECT count(*) FROM public.processed_messages"))
                    .isEqualTo(100);
            assertThat(ledger.count("SELECT count(*) FROM other.processed_messages"))
                    .isEqualTo(99);
            assertThat(ledger.count("SELECT count(*) FROM public.dead_letters")).isZero();
            assertThat(ledger.texts("SELECT message_id FROM other.dead_letters"))
                    .containsExactly("m50");
            assertThat(ledger.count("SELECT count(*) FROM public.message_attempts"))
                    .isZero();
        }
    }

    // ---- times ----

    @Test
    void aStartPositionInTimeSkipsWhatIsOlder() {
        Instant start = Instant.now().minus(Duration.ofHours(2));
        try (Ledger ledger = new Ledger(2)) {
            for (int partition = 0; partition < 2; partition++) {
                for (int minute = -5; minute < 5; minute++) {
                    long timestamp = start.plus(Duration.ofMinutes(minute)).toEpochMilli();
                    ProducerRecord<byte[], byte[]> message = new ProducerRecord<>(
                            ledger.topic, partition, timestamp, Ledger.bytes("k"), Ledger.bytes("10"));
                    message.headers().add("message-id", Ledger.bytes(partition + "/" + minute));
                    ledger.send(message);
                }
            }
            ledger.flush();
            ledger.start(ledger.consumer().startFrom(StartPosition.at(start)), Ledger.HANDLER);

            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(20));
            assertThat(ledger.texts("SELECT message_id FROM entries ORDER BY id"))
                    .containsExactlyInAnyOrder("0/0", "0/1", "0/2", "0/3", "0/4", "1/0", "1/1", "1/2", "1/3", "1/4");
        }
    }

    @Test
    void claimsArePrunedAfterTheRetentionThatWasGivenAndOnlyByWorkersThatPrune() {
        try (Ledger ledger = new Ledger(1)) {
            for (int i = 0; i < 10; i++) {
                ledger.send("account-" + i, "m" + i, "10");
            }
            ledger.flush();
            Scrape idle = new Scrape();
            ConsumerSettings.Retention hour = retention(Duration.ofHours(1), false);
            try (ConsumerRuntime keeps =
                    ledger.start(ledger.consumer().retention(hour).meterRegistry(idle.registry()), Ledger.HANDLER)) {
                await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(10));
                assertThat(keeps.health().live()).isTrue();
            }
            ledger.execute("UPDATE processed_messages SET processed_at = now() - interval '61 minutes'"
                    + " WHERE source_offset < 4");
            ledger.execute("UPDATE processed_messages SET processed_at = now() - interval '59 minutes'"
                    + " WHERE source_offset >= 4");
            try (ConsumerRuntime keeps =
                    ledger.start(ledger.consumer().retention(hour).meterRegistry(idle.registry()), Ledger.HANDLER)) {
                // Tables are measured before claims would be pruned, in the same run.
                await().until(() -> idle.sum(MeterNames.TABLE_SIZE) > 0);
                assertThat(keeps.health().live()).isTrue();
            }
            assertThat(ledger.count("SELECT count(*) FROM processed_messages")).isEqualTo(10);

            Scrape scrape = new Scrape();
            ledger.start(
                    ledger.consumer()
                            .retention(retention(Duration.ofHours(1), true))
                            .meterRegistry(scrape.registry()),
                    Ledger.HANDLER);
            await().until(() -> scrape.sum(MeterNames.CLAIMS_PRUNED) == 4);
            assertThat(ledger.texts("SELECT source_offset FROM processed_messages ORDER BY source_offset"))
                    .containsExactly("4", "5", "6", "7", "8", "9");
        }
    }

    private static ConsumerSettings.Retention retention(Duration claims, boolean pruning) {
        return new ConsumerSettings.Retention(claims, pruning, ConsumerSettings.Retention.Check.WARN);
    }

    private static void send(Ledger ledger, @Nullable String key, String value) {
        ledger.send(new ProducerRecord<>(ledger.topic, Ledger.bytes(key), Ledger.bytes(value)));
    }
}
