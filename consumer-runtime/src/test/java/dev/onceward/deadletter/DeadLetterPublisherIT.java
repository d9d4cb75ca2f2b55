package dev.onceward.deadletter;

import static dev.onceward.deadletter.Letters.bytes;
import static dev.onceward.deadletter.Letters.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.throwable;

import dev.onceward.catalog.HeaderNames;
import dev.onceward.deadletter.Publisher.PublishedAt;
import dev.onceward.handler.Coordinates;
import dev.onceward.message.Origin;
import dev.onceward.testsupport.Backends;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Against a real broker. */
class DeadLetterPublisherIT {
    private static final Instant NOW = Instant.parse("2025-03-02T00:00:00.500Z");

    private final Broker broker = new Broker(Backends.shared().kafka().bootstrapServers());
    private final List<DeadLetterPublisher> publishers = new ArrayList<>();
    private final String source = Broker.unique("orders");
    private final String dlt = "dlq." + source;

    @AfterEach
    void close() {
        publishers.forEach(publisher -> publisher.close(Duration.ofSeconds(2)));
        broker.close();
    }

    private DeadLetterPublisher publisher(Supplier<Producer<byte[], byte[]>> producers) {
        DeadLetterPublisher publisher = new DeadLetterPublisher(
                producers, topic -> "dlq." + topic, "billing", Clock.fixed(NOW, ZoneOffset.UTC));
        publishers.add(publisher);
        return publisher;
    }

    private DeadLetterPublisher publisher() {
        return publisher(() -> broker.producer(Map.of()));
    }

    private static PublishedAt get(CompletableFuture<PublishedAt> answer) throws Exception {
        return answer.get(30, TimeUnit.SECONDS);
    }

    private static PublishedAt publish(DeadLetterPublisher publisher, ConsumerRecord<byte[], byte[]> record)
            throws Exception {
        return get(publisher.publish(Letters.of(record), record));
    }

    @Test
    void keepsThePartitionNumberWhereTheTopicHasIt() throws Exception {
        broker.create(dlt, 6, Map.of());
        DeadLetterPublisher publisher = publisher();

        for (int partition = 0; partition < 6; partition++) {
            PublishedAt at = publish(publisher, Letters.record(source, partition, 10));
            assertThat(at).isEqualTo(new PublishedAt(dlt, partition, 0));
        }
    }

    @Test
    void F14_thePartitionIsLeftToTheProducerWhereTheTopicIsSmaller() throws Exception {
        broker.create(dlt, 1, Map.of());
        DeadLetterPublisher publisher = publisher();

        for (int partition = 0; partition < 6; partition++) {
            assertThat(publish(publisher, Letters.record(source, partition, 10)))
                    .isEqualTo(new PublishedAt(dlt, 0, partition));
        }
    }

    @Test
    void lettersOfOneKeyStayTogetherWhereThePartitionDoesNotExist() throws Exception {
        broker.create(dlt, 3, Map.of());
        DeadLetterPublisher publisher = publisher();

        List<Integer> partitions = new ArrayList<>();
        for (int offset = 0; offset < 10; offset++) {
            partitions.add(publish(publisher, Letters.record(source, 5, offset)).partition());
        }
        assertThat(partitions).containsOnly(partitions.get(0));
    }

    @Test
    void aReplayGoesByThePartitionWhereItFirstFailed() throws Exception {
        broker.create(dlt, 6, Map.of());
        ConsumerRecord<byte[], byte[]> replay = Letters.record("replay.billing", 0, 3);
        Origin origin = new Origin(new Coordinates(source, 4, 77), 5, 1);

        PublishedAt at = get(publisher().publish(Letters.of(replay, origin, Letters.error()), replay));

        assertThat(at).isEqualTo(new PublishedAt(dlt, 4, 0));
        assertThat(texts(broker.read(at).headers()))
                .contains(
                        "__dlq.errors.topic=" + source,
                        "__dlq.errors.partition=4",
                        "__dlq.errors.offset=77",
                        "onceward.dlq.original-timestamp=5",
                        "onceward.dlq.replays=1");
    }

    @Test
    void tombstonesAndRecordsWithoutAKeyStayWhatTheyAre() throws Exception {
        broker.create(dlt, 2, Map.of());
        DeadLetterPublisher publisher = publisher();

        ConsumerRecord<byte[], byte[]> tombstone =
                broker.read(publish(publisher, Letters.record(source, 0, 1, bytes("key"), null)));
        assertThat(tombstone.key()).isEqualTo(bytes("key"));
        assertThat(tombstone.value()).isNull();

        ConsumerRecord<byte[], byte[]> keyless =
                broker.read(publish(publisher, Letters.record(source, 1, 1, null, bytes("value"))));
        assertThat(keyless.key()).isNull();
        assertThat(keyless.value()).isEqualTo(bytes("value"));

        ConsumerRecord<byte[], byte[]> empty =
                broker.read(publish(publisher, Letters.record(source, 5, 1, new byte[0], new byte[0])));
        assertThat(empty.key()).isEmpty();
        assertThat(empty.value()).isEmpty();
    }

    @Test
    void F17_headersKeepBytesOrderAndDuplicates() throws Exception {
        broker.create(dlt, 1, Map.of());
        Header[] original = {
            new RecordHeader("b", bytes("1")),
            new RecordHeader("a", new byte[] {(byte) 0xff, 0, (byte) 0xc3}),
            new RecordHeader("b", null),
            new RecordHeader("ключ", new byte[0]),
            new RecordHeader("b", bytes("1"))
        };

        ConsumerRecord<byte[], byte[]> read = broker.read(publish(publisher(), Letters.record(source, 0, 1, original)));

        assertThat(List.of(read.headers().toArray()).subList(0, original.length))
                .containsExactly(original);
        assertThat(texts(read.headers())).contains("onceward.dlq.message-id=pay-1", "__dlq.errors.group=billing");
        assertThat(read.timestamp()).isEqualTo(NOW.toEpochMilli());
    }

    @Test
    void F19_aMessageThatFailsTwentyTimesDoesNotGrow() throws Exception {
        broker.create(dlt, 1, Map.of());
        DeadLetterPublisher publisher = publisher();
        ConsumerRecord<byte[], byte[]> first =
                broker.read(publish(publisher, Letters.record(source, 0, 1, new RecordHeader("trace", bytes("t")))));

        ConsumerRecord<byte[], byte[]> last = first;
        for (int round = 0; round < 20; round++) {
            Header[] replayed = IntStream.concat(
                            IntStream.range(0, last.headers().toArray().length), IntStream.of(-1))
                    .mapToObj(new ReplayedHeaders(last)::at)
                    .toArray(Header[]::new);
            last = broker.read(publish(publisher, Letters.record(source, 0, 1, replayed)));
        }

        assertThat(texts(last.headers())).isEqualTo(texts(first.headers()));
        assertThat(last.serializedValueSize()).isEqualTo(first.serializedValueSize());
    }

    /** The headers of a dead letter, and one that a replay adds. */
    private record ReplayedHeaders(ConsumerRecord<byte[], byte[]> record) {
        Header at(int index) {
            return index < 0
                    ? new RecordHeader(HeaderNames.REPLAY_COUNT.key(), bytes("1"))
                    : record.headers().toArray()[index];
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {12_000, 16_000, 19_000, 19_500, 19_800})
    void diagnosticsShrinkUntilTheTopicTakesTheRecord(int valueSize) throws Exception {
        broker.create(dlt, 1, Map.of("max.message.bytes", "20000"));
        byte[] value = "v".repeat(valueSize).getBytes(StandardCharsets.US_ASCII);
        DeadLetterPublisher publisher = publisher();

        ConsumerRecord<byte[], byte[]> read =
                broker.read(publish(publisher, Letters.record(source, 0, 1, bytes("key"), value)));

        assertThat(read.value()).isEqualTo(value);
        assertThat(read.key()).isEqualTo(bytes("key"));
        int trace = read.headers().lastHeader("onceward.dlq.stacktrace") == null
                ? 0
                : read.headers().lastHeader("onceward.dlq.stacktrace").value().length;
        assertThat(trace).isEqualTo(valueSize == 12_000 ? 6_039 : valueSize == 16_000 ? 1_024 : 0);
        assertThat(publisher.trouble()).isEmpty();
    }

    @Test
    void aRecordThatFillsItsTopicIsPublishedWithoutDiagnostics() throws Exception {
        broker.create(dlt, 1, Map.of("max.message.bytes", "20000"));
        byte[] value = new byte[19_910];

        ConsumerRecord<byte[], byte[]> read =
                broker.read(publish(publisher(), Letters.record(source, 0, 1, bytes("key"), value)));

        assertThat(read.value()).isEqualTo(value);
        assertThat(read.headers().toArray()).isEmpty();
    }

    @Test
    void theProducersOwnLimitShrinksDiagnosticsToo() throws Exception {
        broker.create(dlt, 1, Map.of());
        DeadLetterPublisher publisher =
                publisher(() -> broker.producer(Map.of(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, 20_000)));

        ConsumerRecord<byte[], byte[]> read =
                broker.read(publish(publisher, Letters.record(source, 0, 1, bytes("key"), new byte[19_000])));

        assertThat(read.value()).hasSize(19_000);
        assertThat(texts(read.headers())).contains("__dlq.errors.topic=" + source);
    }

    @Test
    void aPayloadThatDoesNotFitFailsAndIsNotCut() throws Exception {
        broker.create(dlt, 1, Map.of("max.message.bytes", "20000"));
        DeadLetterPublisher publisher = publisher();
        ConsumerRecord<byte[], byte[]> large = Letters.record(source, 0, 1, bytes("key"), new byte[20_000]);

        assertThatThrownBy(() -> publish(publisher, large))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(RecordTooLargeException.class);
        assertThat(broker.count(dlt)).isZero();
        assertThat(publisher.trouble())
                .get()
                .asString()
                .contains(source + "-0@1", dlt, "raise max.message.bytes of topic " + dlt);

        publish(publisher, Letters.record(source, 0, 2));
        assertThat(publisher.trouble())
                .as("the large one is still not published")
                .isPresent();
        publisher.forget(source, 0);
        assertThat(publisher.trouble()).isEmpty();
    }

    @Test
    void aMissingTopicFailsUntilItIsCreated() throws Exception {
        DeadLetterPublisher publisher = publisher();
        ConsumerRecord<byte[], byte[]> record = Letters.record(source, 0, 1);

        assertThatThrownBy(() -> publish(publisher, record)).hasCauseInstanceOf(TimeoutException.class);
        assertThat(publisher.trouble()).get().asString().contains(dlt, "the topic does not exist; create it");

        broker.create(dlt, 1, Map.of());
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .ignoreExceptions()
                .until(() -> publish(publisher, record), at -> at.topic().equals(dlt));
        assertThat(publisher.trouble()).isEmpty();
    }

    @Test
    void aMissingTopicDoesNotHoldUpTheOthers() throws Exception {
        broker.create(dlt, 1, Map.of());
        DeadLetterPublisher publisher = publisher(); // waits a second for a topic
        List<CompletableFuture<PublishedAt>> lost = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            ConsumerRecord<byte[], byte[]> record = Letters.record("missing-" + source, 0, i);
            lost.add(publisher.publish(Letters.of(record), record));
        }
        ConsumerRecord<byte[], byte[]> record = Letters.record(source, 0, 1);

        assertThat(publisher.publish(Letters.of(record), record).get(20, TimeUnit.SECONDS))
                .isNotNull();

        assertThat(lost)
                .allSatisfy(answer -> assertThat(answer)
                        .failsWithin(Duration.ofSeconds(1))
                        .withThrowableOfType(ExecutionException.class)
                        .withCauseInstanceOf(TimeoutException.class));
        assertThat(publisher.trouble()).get().asString().endsWith("; and 59 more");
    }

    @Test
    void aProducerThatBrokeIsReplaced() throws Exception {
        broker.create(dlt, 1, Map.of());
        List<Producer<byte[], byte[]>> made = new ArrayList<>();
        DeadLetterPublisher publisher = publisher(() -> {
            made.add(broker.producer(Map.of()));
            return made.get(made.size() - 1);
        });
        ConsumerRecord<byte[], byte[]> record = Letters.record(source, 0, 1);
        publish(publisher, record);
        made.get(0).close();

        assertThatThrownBy(() -> publish(publisher, record))
                .cause()
                .asInstanceOf(throwable(IllegalStateException.class))
                .hasMessageContaining("closed");
        Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .ignoreExceptions()
                .until(() -> publish(publisher, record), at -> at.offset() == 1);
        assertThat(made).hasSize(2);
        assertThat(publisher.trouble()).isEmpty();
    }

    @Test
    void lettersThatWereAcceptedArePublishedBeforeClosing() throws Exception {
        broker.create(dlt, 3, Map.of());
        DeadLetterPublisher publisher = publisher();
        List<CompletableFuture<PublishedAt>> answers = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            ConsumerRecord<byte[], byte[]> record = Letters.record(source, i % 3, i);
            answers.add(publisher.publish(Letters.of(record), record));
        }
        publisher.close(Duration.ofSeconds(20));

        assertThat(answers).allSatisfy(answer -> assertThat(answer).isCompleted());
        assertThat(broker.count(dlt)).isEqualTo(500);
    }

    @Test
    void closingIsBoundedAndFailsWhatIsLeft() {
        DeadLetterPublisher publisher =
                publisher(() -> broker.producer(Map.of(ProducerConfig.MAX_BLOCK_MS_CONFIG, 600_000)));
        List<CompletableFuture<PublishedAt>> answers = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            ConsumerRecord<byte[], byte[]> record = Letters.record("missing-" + source, 0, i);
            answers.add(publisher.publish(Letters.of(record), record));
        }
        long start = System.nanoTime();
        publisher.close(Duration.ofMillis(500));

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
        Awaitility.await()
                .atMost(Duration.ofSeconds(10))
                .until(() -> answers.stream().allMatch(CompletableFuture::isCompletedExceptionally));
        ConsumerRecord<byte[], byte[]> late = Letters.record(source, 0, 1);
        assertThat(publisher.publish(Letters.of(late), late))
                .failsWithin(Duration.ZERO)
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void publishingNeverBlocksItsCaller() {
        DeadLetterPublisher publisher =
                publisher(() -> broker.producer(Map.of(ProducerConfig.MAX_BLOCK_MS_CONFIG, 600_000)));
        long start = System.nanoTime();
        for (int i = 0; i < 100; i++) {
            ConsumerRecord<byte[], byte[]> record = Letters.record("missing-" + source, 0, i);
            assertThat(publisher.publish(Letters.of(record), record)).isNotDone();
        }
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
    }
}
