package dev.onceward.guarantees;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.MeterNames;
import dev.onceward.config.ConsumerSettings;
import dev.onceward.handler.PermanentException;
import dev.onceward.runtime.ConsumerRuntime;
import dev.onceward.runtime.ConsumerRuntimeBuilder;
import dev.onceward.testsupport.Backends;
import dev.onceward.testsupport.ChildPostgres;
import dev.onceward.testsupport.PostgresOptions;
import io.micrometer.core.instrument.Meter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an operator sees: above all the age of the oldest message that is not finished, exact at every scrape. */
class VisibleIT {
    private static final long HOUR = Duration.ofHours(1).toMillis();

    private final Scrape scrape = new Scrape();

    @Test
    void F33_theAgeIsExactAndGrowsWhileAHandlerDoesNotComeBack() {
        try (Ledger ledger = new Ledger(1)) {
            Blocker handler = Blocker.polite();
            ledger.start(watched(ledger), handler);
            caughtUp(ledger);
            long oldest = System.currentTimeMillis() - HOUR;
            send(ledger, "m1", oldest);
            send(ledger, "m2", oldest + HOUR / 2);
            send(ledger, "m3", oldest - HOUR); // older, but behind: the watermark's message counts
            Ledger.await().until(() -> handler.blocked() == 1 && lag(ledger) == 3);
            growsFrom(ledger, oldest);
            handler.open();
            caughtUp(ledger);
            assertThat(ledger.entries()).isEqualTo(3);
        }
    }

    @Test
    void theAgeOfTheOldestCountsThoughLaterMessagesAreFinished() {
        try (Ledger ledger = new Ledger(1)) {
            Blocker handler = Blocker.polite();
            ledger.start(watched(ledger), (message, effect) -> {
                if (message.id().equals("m1")) {
                    handler.handle(message, effect);
                } else {
                    Ledger.HANDLER.handle(message, effect);
                }
            });
            long oldest = System.currentTimeMillis() - HOUR;
            send(ledger, "m1", oldest);
            Ledger.await().until(() -> handler.blocked() == 1);
            for (int i = 0; i < 100; i++) {
                ledger.send("other-" + i, "later-" + i, "10");
            }
            ledger.flush();
            // Those whose lane is free.
            Ledger.await().until(() -> ledger.entries() > 25 && lag(ledger) == 101);
            growsFrom(ledger, oldest);
            handler.open();
            caughtUp(ledger);
        }
    }

    @Test
    void aPausedRuntimeSaysSoAndItsAgeGrows() {
        try (Ledger ledger = new Ledger(1)) {
            ConsumerRuntime runtime = ledger.start(watched(ledger), Ledger.HANDLER);
            Ledger.await().until(() -> runtime.health().ready());
            caughtUp(ledger);
            runtime.pause();
            assertThat(runtime.health().ready()).isFalse();
            assertThat(runtime.health().live()).isTrue();
            assertThat(runtime.health().troubles()).containsExactly("paused");
            long sent = System.currentTimeMillis();
            send(ledger, "m1", sent);
            Ledger.await().until(() -> lag(ledger) == 1);
            growsFrom(ledger, sent);
            assertThat(ledger.entries()).isZero();
            runtime.resume();
            caughtUp(ledger);
            assertThat(ledger.entries()).isEqualTo(1);
            assertThat(runtime.health().ready()).isTrue();
            assertThat(runtime.health().troubles()).isEmpty();
            runtime.close();
            assertThat(runtime.health().live()).isFalse();
            assertThat(runtime.health().ready()).isFalse();
            assertThat(runtime.health().troubles()).containsExactly("the worker is STOPPED");
        }
    }

    @Test
    void withoutADatabaseTheAgeGrowsAndHealthSaysWhy() {
        try (ChildPostgres postgres = ChildPostgres.start(PostgresOptions.durable());
                Ledger ledger =
                        new Ledger(1, postgres, Backends.shared().kafka().bootstrapServers())) {
            ConsumerRuntime runtime = ledger.start(watched(ledger), Ledger.HANDLER);
            caughtUp(ledger);
            postgres.stop();
            long sent = System.currentTimeMillis();
            send(ledger, "m1", sent);
            Ledger.await().untilAsserted(() -> {
                assertThat(scrape.sum(MeterNames.OUTAGE)).isEqualTo(1);
                assertThat(runtime.health().ready()).isFalse();
                assertThat(runtime.health().troubles())
                        .anySatisfy(trouble -> assertThat(trouble)
                                .startsWith("no heartbeat succeeded for one lease: ")
                                // what the last one said, or a pooler for it
                                .containsAnyOf("refused", "server login has been failing"));
            });
            assertThat(runtime.health().live()).isTrue();
            growsFrom(ledger, sent);
            assertThat(scrape.sum(MeterNames.HEARTBEAT_AGE)).isGreaterThan(1);
            postgres.restart();
            caughtUp(ledger);
            Ledger.await().until(() -> runtime.health().ready());
            assertThat(scrape.sum(MeterNames.OUTAGE)).isZero();
            assertThat(ledger.entries()).isEqualTo(1);
            assertThat(scrape.sum(MeterNames.DEAD_LETTERS)).isZero();
        }
    }

    @Test
    void theAgeOfAPartitionThatComesWhileTheDatabaseIsDownIsNotZero() {
        try (ChildPostgres postgres = ChildPostgres.start(PostgresOptions.durable());
                Ledger ledger =
                        new Ledger(2, postgres, Backends.shared().kafka().bootstrapServers())) {
            ConsumerRuntime runtime = ledger.start(watched(ledger), Ledger.HANDLER);
            Scrape elsewhere = new Scrape();
            ConsumerRuntime other = ledger.start(watched(ledger, elsewhere), Ledger.HANDLER);
            Ledger.await()
                    .until(() -> seriesOf(scrape).size() + seriesOf(elsewhere).size() == 3
                            && !seriesOf(elsewhere).isEmpty());
            caughtUp(ledger);
            Set<TopicPartition> moving = seriesOf(elsewhere);
            postgres.stop();
            for (int partition = 0; partition < 2; partition++) {
                ledger.send(partition, "account-1", "m" + partition, "10");
            }
            ledger.flush();
            other.close();
            Ledger.await().until(() -> seriesOf(scrape).size() == 3);
            // Whatever they hold: it cannot be known before the database says where to begin.
            for (TopicPartition moved : moving) {
                String number = String.valueOf(moved.partition());
                double before = age(moved.topic(), number);
                assertThat(before).isPositive();
                Ledger.await().until(() -> age(moved.topic(), number) > before);
            }
            postgres.restart();
            Ledger.await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(2));
            caughtUp(ledger);
            assertThat(ledger.entries()).isEqualTo(2);
            assertThat(runtime.health().live()).isTrue();
        }
    }

    @Test
    void F34_nothingWaitsInATopicThatIsIdleOrWasEmptied() throws Exception {
        // Partition 0 never has a record, 1 is emptied before the worker comes, 2 after it was caught up, 3 is caught
        // up.
        try (Ledger ledger = new Ledger(4)) {
            for (int i = 0; i < 10; i++) {
                ledger.send(1, "account-1", "m" + i, "10");
            }
            ledger.flush();
            empty(ledger, 1);
            ledger.start(watched(ledger), Ledger.HANDLER);
            caughtUp(ledger);
            for (int i = 10; i < 20; i++) {
                ledger.send(2 + i % 2, "account-1", "m" + i, "10");
            }
            ledger.flush();
            Ledger.await().until(() -> ledger.entries() == 10);
            caughtUp(ledger);
            empty(ledger, 2);
            assertThat(scrape.series(MeterNames.OLDEST_MESSAGE_AGE, "topic", ledger.topic))
                    .hasSize(4);
            Ledger.await().during(Duration.ofSeconds(1)).untilAsserted(() -> caughtUpNow(ledger));
            assertThat(scrape.sum(MeterNames.RECORDS_LOST)).isZero(); // none of them was ever this consumer's
        }
    }

    @Test
    void F35_theSeriesOfAPartitionGoWithThePartition() {
        try (Ledger ledger = new Ledger(4)) {
            Scrape other = new Scrape();
            ConsumerRuntime first = ledger.start(watched(ledger), Ledger.HANDLER);
            Ledger.await().until(() -> seriesOf(scrape).size() == 5);
            ConsumerRuntime second = ledger.start(watched(ledger, other), Ledger.HANDLER);
            Ledger.await().untilAsserted(() -> {
                assertThat(seriesOf(other)).isNotEmpty();
                List<TopicPartition> shown = Stream.concat(seriesOf(scrape).stream(), seriesOf(other).stream())
                        .toList();
                assertThat(shown).hasSize(5).doesNotHaveDuplicates();
            });
            second.close();
            assertThat(other.all()).isEmpty();
            Ledger.await().until(() -> seriesOf(scrape).size() == 5);
            first.close();
            assertThat(scrape.all()).isEmpty();
        }
    }

    /** As retention does. */
    private static void empty(Ledger ledger, int partition) throws Exception {
        ledger.admin()
                .deleteRecords(Map.of(ledger.partition(partition), RecordsToDelete.beforeOffset(-1)))
                .all()
                .get();
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void F35_theSeriesOfADeletedTopicGoWithTheTopic(String protocol) throws Exception {
        try (Ledger ledger = new Ledger(1)) {
            String other = "other." + ledger.name;
            ledger.create(other, 1);
            ledger.create("dlq." + ledger.name + "." + other, 1);
            ledger.started(ledger.consumer(protocol)
                    .limits(limits())
                    .meterRegistry(scrape.registry())
                    .kafka("metadata.max.age.ms", "1000")
                    .handle(ledger.topic, new StringDeserializer(), new StringDeserializer(), Ledger.HANDLER)
                    .handle(other, new StringDeserializer(), new StringDeserializer(), Ledger.HANDLER)
                    .start());
            Ledger.await().until(() -> seriesOf(scrape).size() == 3);
            ledger.admin().deleteTopics(List.of(other)).all().get();
            Ledger.await()
                    .untilAsserted(() -> assertThat(scrape.all())
                            .noneMatch(meter -> other.equals(meter.getId().getTag("topic"))
                                    && meter.getId().getTag("partition") != null));
            send(ledger, "m1", System.currentTimeMillis());
            caughtUp(ledger);
            assertThat(seriesOf(scrape)).hasSize(2);
        }
    }

    @Test
    void everyOutcomeIsCounted() {
        try (Ledger ledger = new Ledger(1)) {
            for (int i = 0; i < 20; i++) {
                ledger.send("account-" + i, "m" + i, "10");
            }
            for (int i = 0; i < 3; i++) {
                ledger.send("account-" + i, "m" + i, "10");
            }
            ledger.send("account-4", "m4", "another amount");
            ledger.send("poison", "poison", "10");
            ledger.send("flaky", "flaky", "10");
            ledger.flush();
            ledger.start(watched(ledger), (message, effect) -> {
                if (message.id().equals("poison")) {
                    throw new PermanentException("never");
                }
                if (message.id().equals("flaky") && message.attempt() < 3) {
                    throw new IllegalStateException("not yet");
                }
                Ledger.HANDLER.handle(message, effect);
            });
            Ledger.await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(26));
            assertThat(messages("APPLIED")).isEqualTo(21);
            assertThat(messages("DUPLICATE")).isEqualTo(3);
            assertThat(messages("DEAD_LETTERED")).isEqualTo(2);
            assertThat(scrape.sum(MeterNames.MESSAGES)).isEqualTo(26);
            assertThat(scrape.sum(MeterNames.DEAD_LETTERS, "topic", ledger.topic, "reason", "PERMANENT"))
                    .isEqualTo(1);
            assertThat(scrape.sum(MeterNames.DEAD_LETTERS, "topic", ledger.topic, "reason", "ID_REUSED"))
                    .isEqualTo(1);
            assertThat(scrape.sum(MeterNames.DEAD_LETTERS)).isEqualTo(2);
            assertThat(scrape.sum(MeterNames.ATTEMPTS_FAILED, "reason", "TRANSIENT"))
                    .isBetween(2.0, 4.0); // two alone, and those in a group before
            assertThat(scrape.sum(MeterNames.ATTEMPTS_FAILED, "reason", "PERMANENT"))
                    .isBetween(1.0, 2.0);
            assertThat(scrape.sum(MeterNames.RETRIES_SUCCEEDED)).isEqualTo(1);
            assertThat(scrape.sum(MeterNames.END_TO_END)).isEqualTo(21);
            assertThat(scrape.sum(MeterNames.HANDLER)).isGreaterThanOrEqualTo(21);
            assertThat(scrape.sum(MeterNames.TRANSACTION)).isPositive();
            assertThat(scrape.sum(MeterNames.TAKEOVERS, "outcome", "UNCLEAN")).isZero();
            assertThat(scrape.sum(MeterNames.TAKEOVERS, "outcome", "CLEAN")).isEqualTo(1);
        }
    }

    @Test
    void F36_theSeriesStayTheSameAfterThousandsOfIdsAndRestarts() {
        try (Ledger ledger = new Ledger(3)) {
            List<Integer> series = new ArrayList<>();
            int sent = 0;
            for (int restart = 0; restart < 3; restart++) {
                ConsumerRuntime runtime = ledger.start(watched(ledger), (message, effect) -> {
                    if (message.id().endsWith("13")) {
                        throw new PermanentException("error number " + message.id());
                    }
                    Ledger.HANDLER.handle(message, effect);
                });
                for (int i = 0; i < 1_000; i++) {
                    ledger.send("account-" + restart + "-" + i, "m" + restart + "-" + i, "10");
                }
                ledger.flush();
                sent += 1_000;
                int all = sent;
                Ledger.await()
                        .untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(all));
                Ledger.await().until(() -> seriesOf(scrape).size() == 4);
                series.add(scrape.all().size());
                runtime.close();
                assertThat(scrape.all()).isEmpty();
            }
            assertThat(series).containsOnly(series.get(0));
            assertThat(series.get(0)).isLessThan(100);
        }
    }

    private ConsumerRuntimeBuilder watched(Ledger ledger) {
        return watched(ledger, scrape);
    }

    private static ConsumerRuntimeBuilder watched(Ledger ledger, Scrape by) {
        return ledger.consumer().limits(limits()).meterRegistry(by.registry());
    }

    private static ConsumerSettings.Limits limits() {
        return Ledger.impatient();
    }

    private static void send(Ledger ledger, String id, long timestamp) {
        ProducerRecord<byte[], byte[]> message =
                new ProducerRecord<>(ledger.topic, 0, timestamp, Ledger.bytes("account-1"), Ledger.bytes("10"));
        message.headers().add("message-id", id.getBytes(UTF_8));
        ledger.send(message);
        ledger.flush();
    }

    /** Several scrapes: each exact to the millisecond, so that each shows more than the one before. */
    private void growsFrom(Ledger ledger, long timestamp) {
        double last = -1;
        for (int i = 0; i < 5; i++) {
            long before = System.currentTimeMillis();
            double age = age(ledger.topic, "0");
            long after = System.currentTimeMillis();
            assertThat(age).isBetween((before - timestamp) / 1000.0, (after - timestamp) / 1000.0);
            assertThat(age).isGreaterThan(last);
            last = age;
            Ledger.await().until(() -> System.currentTimeMillis() > after);
        }
    }

    private void caughtUp(Ledger ledger) {
        Ledger.await().untilAsserted(() -> caughtUpNow(ledger));
    }

    private void caughtUpNow(Ledger ledger) {
        assertThat(scrape.series(MeterNames.OLDEST_MESSAGE_AGE, "topic", ledger.topic))
                .isNotEmpty();
        assertThat(scrape.sum(MeterNames.OLDEST_MESSAGE_AGE)).isZero();
        assertThat(scrape.sum(MeterNames.LAG)).isZero();
    }

    private double age(String topic, String partition) {
        return scrape.value(MeterNames.OLDEST_MESSAGE_AGE, "topic", topic, "partition", partition)
                .orElseThrow();
    }

    private double lag(Ledger ledger) {
        return scrape.sum(MeterNames.LAG, "topic", ledger.topic);
    }

    private double messages(String outcome) {
        return scrape.sum(MeterNames.MESSAGES, "outcome", outcome);
    }

    /** Topic and partition of each age that is shown. */
    private static Set<TopicPartition> seriesOf(Scrape by) {
        Set<TopicPartition> shown = new HashSet<>();
        for (Meter meter : by.series(MeterNames.OLDEST_MESSAGE_AGE)) {
            String topic = String.valueOf(meter.getId().getTag("topic"));
            shown.add(new TopicPartition(
                    topic, Integer.parseInt(String.valueOf(meter.getId().getTag("partition")))));
        }
        return shown;
    }
}
