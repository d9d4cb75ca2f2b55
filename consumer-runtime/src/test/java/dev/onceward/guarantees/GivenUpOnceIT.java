package dev.onceward.guarantees;

import static dev.onceward.guarantees.Ledger.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.DeadLetterReason;
import dev.onceward.catalog.EventNames;
import dev.onceward.catalog.MeterNames;
import dev.onceward.config.ConsumerSettings;
import dev.onceward.config.IdReuse;
import dev.onceward.config.RetryPolicy;
import dev.onceward.handler.MessageHandler;
import dev.onceward.handler.PermanentException;
import dev.onceward.handler.RetryAfterException;
import dev.onceward.runtime.ConsumerRuntime;
import dev.onceward.runtime.ConsumerRuntimeBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What cannot be processed is given up once: one row, one copy that counts, never run again. */
class GivenUpOnceIT {
    private static final RetryPolicy FOR_EVER = new RetryPolicy(1000, Duration.ofMillis(50), Duration.ofMillis(200));

    private static final MessageHandler<String, String> REFUSES_BAD = (message, effect) -> {
        Ledger.HANDLER.handle(message, effect);
        if ("bad".equals(message.value())) {
            throw new IllegalStateException("cannot");
        }
    };

    @ParameterizedTest
    @ValueSource(strings = {"restart", "rebalance"})
    void aDeadLetteredRecordThatComesAgainWhileAnEarlierOneIsHeldIsNotRunAgain(String how) {
        AtomicBoolean mended = new AtomicBoolean();
        AtomicInteger runsOfDead = new AtomicInteger();
        MessageHandler<String, String> handler = (message, effect) -> {
            Ledger.HANDLER.handle(message, effect);
            if (message.value().equals("held") && !mended.get()) {
                throw new RetryAfterException(Duration.ofMillis(300), "not yet");
            }
            if (message.value().equals("dead")) {
                runsOfDead.incrementAndGet();
                throw new PermanentException("never");
            }
        };
        try (Ledger ledger = new Ledger(4)) {
            for (int partition = 0; partition < 4; partition++) {
                ledger.send(partition, "held", "held" + partition, "held");
                ledger.send(partition, "dead", "dead" + partition, "dead");
                ledger.send(partition, "dead", "behind" + partition, "10");
            }
            ledger.flush();
            ConsumerRuntime first = ledger.start(ledger.consumer("classic").retry(FOR_EVER), handler);
            await().untilAsserted(() -> assertThat(ledger.deadLetters()).isEqualTo(4));
            await().untilAsserted(() -> assertThat(ledger.entriesOf("dead")).hasSize(4));
            int runs = runsOfDead.get();
            assertThat(ledger.committed()).isZero();

            if (how.equals("restart")) {
                first.close();
            }
            ConsumerRuntime second = ledger.start(ledger.consumer("classic").retry(FOR_EVER), handler);
            await().untilAsserted(() -> assertThat(ledger.count(
                            "SELECT count(*) FROM partition_generations WHERE topic = ? AND worker_id = ?",
                            ledger.topic,
                            second.workerId()))
                    .isPositive());
            mended.set(true);
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(12));
            assertThat(runsOfDead).as("runs of the dead ones").hasValue(runs);
            assertThat(ledger.count("SELECT count(*) FROM dead_letters")).isEqualTo(4);
            assertThat(ledger.records(ledger.deadLetterTopic())).hasSize(4);
            assertThat(ledger.entriesOf("held")).hasSize(4);
            assertThat(ledger.entriesOf("dead")).hasSize(4).allMatch(id -> id.startsWith("behind"));
        }
    }

    @Test
    void F20_idsThatShareALongBeginningStayDistinctAndLongerOnesAreGivenUp() {
        String beginning = "x".repeat(199);
        String wide = "\u20ac".repeat(199); // three bytes each
        try (Ledger ledger = new Ledger(1)) {
            ledger.send("k", beginning + "1", "10");
            ledger.send("k", beginning + "2", "10");
            ledger.send("k", beginning + "1", "10");
            ledger.send("k", wide + "1", "10");
            ledger.send("k", wide + "2", "10");
            ledger.send("k", beginning + "12", "10"); // longer than the column
            ledger.send("k", beginning + "x".repeat(20_000) + "1", "10"); // than a row of an index can be
            ledger.send("k", beginning + "x".repeat(20_000) + "2", "10");
            ledger.flush();
            ledger.start(Ledger.HANDLER);
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(8));
            assertThat(ledger.entriesOf("k")).containsExactly(beginning + "1", beginning + "2", wide + "1", wide + "2");
            assertThat(ledger.texts("SELECT record_offset || ' ' || reason FROM dead_letters ORDER BY record_offset"))
                    .containsExactly("5 INVALID_ID", "6 INVALID_ID", "7 INVALID_ID");
            assertThat(ledger.texts("SELECT error_message FROM dead_letters"))
                    .allSatisfy(message -> assertThat(message).contains("200"));
        }
    }

    @Test
    void whatWasDecidedButNotPublishedIsPublishedByTheNextOwnerAndNotRun()
            throws ExecutionException, InterruptedException {
        Scrape scrape = new Scrape();
        AtomicInteger runsOfBad = new AtomicInteger();
        MessageHandler<String, String> counting = (message, effect) -> {
            if (message.value().equals("bad")) {
                runsOfBad.incrementAndGet();
            }
            REFUSES_BAD.handle(message, effect);
        };
        try (Ledger ledger = new Ledger(1);
                EventLog events = EventLog.of(ledger.name)) {
            ConsumerRuntime runtime =
                    ledger.start(impatientProducer(ledger.consumer()).meterRegistry(scrape.registry()), counting);
            ledger.admin().deleteTopics(List.of(ledger.deadLetterTopic())).all().get();
            for (int i = 0; i < 30; i++) {
                ledger.send("k" + i % 3, "m" + i, i % 10 == 4 ? "bad" : "10");
            }
            ledger.flush();
            // m4 holds k1, m14 k2, m24 k0; each with what is behind it.
            await().untilAsserted(() ->
                    assertThat(scrape.sum(MeterNames.DEAD_LETTERS_UNPUBLISHED)).isGreaterThanOrEqualTo(4));
            await().untilAsserted(() -> assertThat(runtime.health().troubles())
                    .anyMatch(trouble -> trouble.contains(ledger.deadLetterTopic())));
            assertThat(runtime.health().ready()).isFalse();
            assertThat(ledger.committed()).isLessThanOrEqualTo(4);
            assertThat(ledger.count("SELECT count(*) FROM dead_letters WHERE status = 'PENDING'"))
                    .isEqualTo(3);
            int runs = runsOfBad.get();

            // A crash between the decision and the publication, as far as the next one can tell.
            runtime.close();
            ledger.create(ledger.deadLetterTopic(), 1);
            ConsumerRuntime next = ledger.start(impatientProducer(ledger.consumer()), counting);
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(30));
            assertThat(runsOfBad).as("decided is decided").hasValue(runs);
            assertThat(ledger.deadLetters()).isEqualTo(3);
            assertThat(ledger.count("SELECT count(*) FROM dead_letters")).isEqualTo(3);
            assertThat(ledger.records(ledger.deadLetterTopic())).hasSize(3);
            assertThat(ledger.entries()).isEqualTo(27);
            assertThat(ledger.distinctEntries()).isEqualTo(27);
            assertThat(events.count(EventNames.DEAD_LETTER)).isEqualTo(3);
            assertThat(ledger.count("SELECT count(*) FROM message_attempts")).isZero();
            await().until(() -> next.health().ready());
        }
    }

    /** Does not wait long for a topic that is not there. */
    private static ConsumerRuntimeBuilder impatientProducer(ConsumerRuntimeBuilder builder) {
        return builder.limits(Ledger.impatient())
                .kafka(Map.of(
                        "producer.max.block.ms", "500",
                        "producer.request.timeout.ms", "500",
                        "producer.delivery.timeout.ms", "1000"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aPendingDeadLetterWhoseRecordIsGoneSaysThatItsPayloadIsLost(boolean topicMadeAgain)
            throws ExecutionException, InterruptedException {
        try (Ledger ledger = new Ledger(1);
                EventLog events = EventLog.of(ledger.name)) {
            for (int i = 0; i < 3; i++) {
                ledger.send("k", "m" + i, "10");
            }
            ledger.flush();
            try (ConsumerRuntime before = ledger.start(Ledger.HANDLER)) {
                await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(3));
                assertThat(before.health().live()).isTrue();
            }
            if (!topicMadeAgain) {
                ledger.deleteBefore(2);
            }
            ledger.execute("INSERT INTO dead_letters (consumer_name, topic, partition, record_offset, topic_id,"
                    + " record_timestamp, payload_hash, origin_topic, origin_partition, origin_offset,"
                    + " origin_timestamp, status, reason, error_class, error_message, error_stacktrace, attempts,"
                    + " first_failed_at, failed_at, worker_id, generation)"
                    + " SELECT consumer_name, topic, partition, " + (topicMadeAgain ? 500 : 1) + ", "
                    + (topicMadeAgain ? "gen_random_uuid()" : "topic_id")
                    + ", 1, 1, topic, 0, 1, 1, 'PENDING', 'PERMANENT', 'E', 'e', '', 1, now(), now(), 'w', 1"
                    + " FROM partition_generations WHERE topic = '" + ledger.topic + "'");
            ledger.send("k", "m3", "10");
            ledger.flush();
            ledger.start(Ledger.HANDLER);
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(4));
            assertThat(ledger.texts("SELECT status || ' ' || reason FROM dead_letters"))
                    .containsExactly("DEAD " + DeadLetterReason.PAYLOAD_LOST);
            assertThat(events.count(EventNames.PAYLOAD_LOST)).isEqualTo(1);
        }
    }

    /** Whatever the row says by then: what can be fetched is not lost. */
    @ParameterizedTest
    @ValueSource(strings = {"PENDING", "PAYLOAD_LOST"})
    void aDeadLetterThatAnOperatorSteppedOverIsPublishedWhenItsRecordComesAgain(String state)
            throws ExecutionException, InterruptedException {
        try (Ledger ledger = new Ledger(1)) {
            MessageHandler<String, String> handler = (message, effect) -> {
                if (message.id().equals("bad")) {
                    throw new PermanentException("cannot");
                }
                Ledger.HANDLER.handle(message, effect);
            };
            ConsumerRuntime first = ledger.start(impatientProducer(ledger.consumer()), handler);
            ledger.admin().deleteTopics(List.of(ledger.deadLetterTopic())).all().get();
            ledger.send("a", "bad", "10");
            ledger.send("b", "m1", "10");
            ledger.flush();
            await().until(() -> ledger.count("SELECT count(*) FROM dead_letters WHERE status = 'PENDING'") == 1);
            first.close();

            ledger.create(ledger.deadLetterTopic(), 1);
            ledger.commit(1);
            ConsumerRuntime second = ledger.start(handler);
            await().until(() -> ledger.committed() == 2);
            second.close();
            assertThat(ledger.texts("SELECT status FROM dead_letters")).containsExactly("PENDING");
            if (state.equals("PAYLOAD_LOST")) {
                ledger.execute("UPDATE dead_letters SET status = 'DEAD', reason = 'PAYLOAD_LOST', dead_at = now()");
            }

            ledger.commit(0);
            ledger.start(handler);
            await().until(() -> ledger.committed() == 2);
            assertThat(ledger.records(ledger.deadLetterTopic())).hasSize(1);
            assertThat(ledger.texts("SELECT status || ' ' || dlt_offset FROM dead_letters"))
                    .containsExactly("DEAD 0");
            assertThat(ledger.entries()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"DEAD_LETTER", "SKIP"})
    void anIdUsedAgainForOtherContentIsNeverAppliedAndNeverSilent(String rule) {
        Scrape scrape = new Scrape();
        try (Ledger ledger = new Ledger(1);
                EventLog events = EventLog.of(ledger.name)) {
            ledger.send("k", "m0", "10");
            ledger.send("k", "m0", "10");
            ledger.send("k", "m0", "99");
            ledger.flush();
            ledger.start(
                    ledger.consumer().idReuse(IdReuse.valueOf(rule)).meterRegistry(scrape.registry()), Ledger.HANDLER);
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(3));
            ledger.send("k", "m0", "77"); // in a transaction of its own, when the first one has long committed
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(4));
            assertThat(ledger.texts("SELECT amount FROM entries")).containsExactly("10");
            assertThat(events.count(EventNames.ID_REUSED)).isEqualTo(2);
            boolean skip = rule.equals("SKIP");
            assertThat(ledger.texts("SELECT reason || ' ' || status FROM dead_letters"))
                    .isEqualTo(skip ? List.of() : List.of("ID_REUSED DEAD", "ID_REUSED DEAD"));
            assertThat(scrape.sum(MeterNames.MESSAGES, "outcome", "ID_REUSED_SKIPPED"))
                    .isEqualTo(skip ? 2 : 0);
            assertThat(scrape.sum(MeterNames.MESSAGES, "outcome", "DUPLICATE")).isEqualTo(1);
        }
    }

    @Test
    void F49_afterClaimsWerePrunedAnOffsetResetBringsNoSecondEffect() throws ExecutionException, InterruptedException {
        try (Ledger ledger = new Ledger(1)) {
            for (int i = 0; i < 20; i++) {
                ledger.send("k" + i % 3, "m" + i, "10");
            }
            ledger.flush();
            try (ConsumerRuntime before = ledger.start(Ledger.HANDLER)) {
                await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(20));
                assertThat(before.health().live()).isTrue();
            }
            ledger.execute("UPDATE processed_messages SET processed_at = now() - interval '20 days'"
                    + " WHERE source_offset < 15");
            try (ConsumerRuntime prunes = ledger.start(Ledger.HANDLER)) {
                await().untilAsserted(() -> assertThat(ledger.count("SELECT count(*) FROM processed_messages"))
                        .isEqualTo(5));
                assertThat(prunes.health().live()).isTrue();
            }
            ledger.admin()
                    .alterConsumerGroupOffsets(ledger.name, Map.of(ledger.partition(0), new OffsetAndMetadata(0)))
                    .all()
                    .get();
            ledger.send("k0", "m20", "10");
            ledger.flush();
            ledger.start(Ledger.HANDLER);
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(21));
            assertThat(ledger.entries()).isEqualTo(21);
            assertThat(ledger.distinctEntries()).isEqualTo(21);
            assertThat(ledger.count("SELECT count(*) FROM dead_letters WHERE reason = 'TOO_OLD' AND status = 'DEAD'"))
                    .isEqualTo(15);
        }
    }

    @Test
    void ofAMessageThatItsProducerSentTwiceNoCopyRunsAfterItsClaimWasPruned() throws Exception {
        try (Ledger ledger = new Ledger(1)) {
            ledger.send("k0", "m0", "10");
            ledger.send("k0", "m1", "10");
            ledger.send("k0", "m0", "10");
            ledger.flush();
            try (ConsumerRuntime before = ledger.start(Ledger.HANDLER)) {
                await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(3));
                assertThat(before.health().live()).isTrue();
            }
            ledger.execute("UPDATE partition_generations SET pruned_through = 2 WHERE topic = '" + ledger.topic + "'");
            ledger.execute("DELETE FROM processed_messages");
            ledger.admin()
                    .alterConsumerGroupOffsets(ledger.name, Map.of(ledger.partition(0), new OffsetAndMetadata(0)))
                    .all()
                    .get();
            ledger.start(
                    ledger.consumer().concurrency(new ConsumerSettings.Concurrency(1, 1, Duration.ofSeconds(5))),
                    Ledger.HANDLER);
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(3));
            assertThat(ledger.texts("SELECT message_id || ' ' || reason FROM dead_letters ORDER BY record_offset"))
                    .containsExactly("m0 TOO_OLD", "m1 TOO_OLD", "m0 TOO_OLD");
            assertThat(ledger.entries()).isEqualTo(2);
        }
    }

    @Test
    void F22_twoConsumersOfOneDatabaseHaveOneEffectEachAndTheirOwnDeadLetters() {
        try (Ledger ledger = new Ledger(2)) {
            for (int i = 0; i < 100; i++) {
                ledger.send("k" + i % 7, "m" + i, i == 50 ? "bad" : "10");
            }
            ledger.flush();
            ConsumerRuntimeBuilder other = ConsumerRuntime.named(ledger.name + "-other")
                    .bootstrapServers(ledger.bootstrap)
                    .database(
                            ledger.postgres.jdbcUrl(ledger.databaseName),
                            ledger.postgres.user(),
                            ledger.postgres.password())
                    .createTopics(new ConsumerSettings.TopicCreation(1, (short) 1, null));
            ledger.start(REFUSES_BAD);
            ledger.started(
                    other.handle(ledger.topic, new StringDeserializer(), new StringDeserializer(), Ledger.HANDLER)
                            .start());
            await().untilAsserted(() -> assertThat(ledger.entries()).isEqualTo(199));
            await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(100));
            assertThat(ledger.count(
                            "SELECT count(*) FROM (SELECT FROM entries GROUP BY message_id HAVING count(*) = 2)"))
                    .isEqualTo(99);
            assertThat(ledger.texts("SELECT consumer_name FROM dead_letters")).containsExactly(ledger.name);
            assertThat(ledger.count("SELECT count(*) FROM processed_messages")).isEqualTo(199);
        }
    }
}
