package dev.onceward.message;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.catalog.DeadLetterReason;
import dev.onceward.handler.Coordinates;
import dev.onceward.handler.InvalidMessageIdException;
import dev.onceward.handler.Message;
import dev.onceward.handler.MessageIdExtractor;
import dev.onceward.handler.UnavailableException;
import dev.onceward.message.Decoded.Bad;
import dev.onceward.message.Decoded.Interrupted;
import dev.onceward.message.Decoded.Ok;
import dev.onceward.message.Decoded.Unavailable;
import dev.onceward.message.ReplayHeaders.Replay;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteBufferDeserializer;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RecordDecoderTest {
    private static final UUID TOPIC_ID = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");
    private static final MessageIdExtractor KEY = (record, topicId) -> new String(record.key(), UTF_8);

    @Test
    void makesAMessageOfARecord() {
        Message<?, ?> message = ok(decoder(KEY, StringDeserializer::new, LongDeserializer::new)
                .decode(record("id-1", new byte[] {0, 0, 0, 0, 0, 0, 0, 42}), TOPIC_ID, null, 3));
        assertThat(message.consumer()).isEqualTo("billing");
        assertThat(message.id()).isEqualTo("id-1");
        assertThat(message.coordinates()).isEqualTo(new Coordinates("payments", 2, 99));
        assertThat(message.timestamp()).isEqualTo(Instant.ofEpochMilli(1_700_000_000_000L));
        assertThat(message.key()).isEqualTo("id-1");
        assertThat(message.value()).isEqualTo(42L);
        assertThat(message.headers()).containsExactly(new RecordHeader("h", utf8("v")));
        assertThat(message.attempt()).isEqualTo(3);
        assertThat(message.replay()).isFalse();
    }

    @Test
    void theExtractorSeesTheRawRecordAndTheTopicsId() {
        AtomicReference<ConsumerRecord<byte[], byte[]>> seen = new AtomicReference<>();
        ConsumerRecord<byte[], byte[]> record = record("k", utf8("v"));
        MessageIdExtractor ids = (raw, topicId) -> {
            seen.set(raw);
            return topicId.toString();
        };
        Uuid kafkas = new Uuid(TOPIC_ID.getMostSignificantBits(), TOPIC_ID.getLeastSignificantBits());
        assertThat(ok(decoder(ids).decode(record, TOPIC_ID, null, 1)).id()).isEqualTo(kafkas.toString());
        assertThat(seen.get()).isSameAs(record);
    }

    @Test
    void noKeyAndNoValueAreNullWithoutAskingAnyone() {
        Supplier<Deserializer<?>> never = () -> failing(new AssertionError("asked"));
        RecordDecoder decoder = decoder((record, topicId) -> "id", never, never);
        Message<?, ?> message = ok(decoder.decode(record((byte[]) null, null), TOPIC_ID, null, 1));
        assertThat(message.key()).isNull();
        assertThat(message.value()).isNull();
    }

    @Test
    void deserialisersGetTopicAndHeaders() {
        Deserializer<String> curious = new Deserializer<>() {
            @Override
            public String deserialize(String topic, byte[] data) {
                throw new AssertionError("not this one");
            }

            @Override
            public String deserialize(String topic, Headers headers, byte[] data) {
                return topic + ":" + new String(headers.lastHeader("h").value(), UTF_8);
            }
        };
        Message<?, ?> message =
                ok(decoder(KEY, () -> curious, () -> curious).decode(record("k", utf8("v")), TOPIC_ID, null, 1));
        assertThat(message.key()).isEqualTo("payments:v");
        assertThat(message.value()).isEqualTo("payments:v");
    }

    @Test
    void nothingDoneToAMessageReachesItsRecord() {
        Deserializer<String> tidy = new StringDeserializer() {
            @Override
            public String deserialize(String topic, Headers headers, byte[] data) {
                headers.remove("h").add("left", utf8("by the deserialiser"));
                return "decoded";
            }
        };
        ConsumerRecord<byte[], byte[]> record = record("k", utf8("value"));
        Message<?, ?> message =
                ok(decoder(KEY, () -> tidy, ByteArrayDeserializer::new).decode(record, TOPIC_ID, null, 1));
        ((byte[]) message.value())[0] = 'X';
        assertThat(message.headers()).containsExactly(new RecordHeader("left", utf8("by the deserialiser")));
        assertThatThrownBy(() -> message.headers().add("h", utf8("2"))).isInstanceOf(IllegalStateException.class);
        assertThat(record.value()).isEqualTo(utf8("value"));
        assertThat(record.headers()).containsExactly(new RecordHeader("h", utf8("v")));

        Message<?, ?> plain = ok(decoder(KEY, StringDeserializer::new, ByteBufferDeserializer::new)
                .decode(record, TOPIC_ID, null, 1));
        plain.headers().lastHeader("h").value()[0] = 'X';
        ((ByteBuffer) plain.value()).put(0, (byte) 'X');
        assertThat(record.headers().lastHeader("h").value()).isEqualTo(utf8("v"));
        assertThat(record.value()).isEqualTo(utf8("value"));
    }

    @Test
    void withoutIdTheRecordIsBadAndTheErrorSaysWhereItWasLookedFor() {
        MessageIdExtractor ids = new MessageIdExtractor() {
            @Override
            public String extract(ConsumerRecord<byte[], byte[]> record, Uuid topicId) {
                return null;
            }

            @Override
            public String toString() {
                return "header 'order-id'";
            }
        };
        Bad bad = bad(decoder(ids).decode(record("k", utf8("v")), TOPIC_ID, null, 1));
        assertThat(bad.reason()).isEqualTo(DeadLetterReason.INVALID_ID);
        assertThat(bad.messageId()).isNull();
        assertThat(bad.error()).isInstanceOf(InvalidMessageIdException.class).hasMessageContaining("header 'order-id'");
    }

    @Test
    void anIdAgainstTheRulesMakesTheRecordBad() {
        Bad bad = bad(decoder((record, topicId) -> "a\0b").decode(record("k", utf8("v")), TOPIC_ID, null, 1));
        assertThat(bad.reason()).isEqualTo(DeadLetterReason.INVALID_ID);
        assertThat(bad.messageId()).isNull();
        assertThat(bad.error()).isInstanceOf(InvalidMessageIdException.class).hasMessageContaining("NUL");
    }

    @ParameterizedTest
    @MethodSource("faultsOfTheRecord")
    void whateverAnExtractorThrowsItIsTheIdThatIsInvalid(Throwable failure) {
        Bad bad = bad(decoder((record, topicId) -> sneaky(failure)).decode(record("k", utf8("v")), TOPIC_ID, null, 1));
        assertThat(bad.reason()).isEqualTo(DeadLetterReason.INVALID_ID);
        assertThat(bad.error()).isSameAs(failure);
        assertThat(bad.messageId()).isNull();
    }

    @ParameterizedTest
    @MethodSource("faultsOfTheRecord")
    void whateverADeserialiserThrowsTheRecordIsUndecodable(Throwable failure) {
        Bad value = bad(decoder(KEY, StringDeserializer::new, () -> failing(failure))
                .decode(record("id-7", utf8("v")), TOPIC_ID, null, 1));
        assertThat(value).isEqualTo(new Bad(DeadLetterReason.UNDECODABLE, failure, "id-7"));
        Bad key = bad(decoder(KEY, () -> failing(failure), StringDeserializer::new)
                .decode(record("id-7", utf8("v")), TOPIC_ID, null, 1));
        assertThat(key).isEqualTo(new Bad(DeadLetterReason.UNDECODABLE, failure, "id-7"));
    }

    static Stream<Throwable> faultsOfTheRecord() {
        return Stream.of(
                new SerializationException("bad bytes", new EOFException()),
                new IllegalStateException(new IOException("malformed")),
                new IOException("checked, thrown all the same"),
                new NullPointerException(),
                new StackOverflowError(),
                new IllegalStateException(new StackOverflowError()),
                new AssertionError(),
                new NoClassDefFoundError("x"),
                new SerializationException(new UnknownHostException("payload: not a host")),
                cyclic());
    }

    @ParameterizedTest
    @MethodSource("faultsOfOthers")
    void anOutageIsNotTheRecordsFault(Throwable failure) {
        assertThat(decoder(KEY, StringDeserializer::new, () -> failing(failure))
                        .decode(record("id", utf8("v")), TOPIC_ID, null, 1))
                .isEqualTo(new Unavailable(failure));
        assertThat(decoder((record, topicId) -> sneaky(failure)).decode(record("id", utf8("v")), TOPIC_ID, null, 1))
                .isEqualTo(new Unavailable(failure));
    }

    static Stream<Throwable> faultsOfOthers() {
        return Stream.of(
                new UnavailableException("registry down"),
                new SerializationException("no schema", new ConnectException("refused")),
                new SerializationException("no schema", new SocketTimeoutException()),
                new IllegalStateException(new SerializationException(new TimeoutException("registry"))));
    }

    @ParameterizedTest
    @MethodSource("interrupts")
    void anInterruptDecidesNothing(Supplier<Throwable> interrupt) throws Exception {
        onNewThread(() -> {
            Throwable failure = interrupt.get();
            RecordDecoder decoder = decoder(KEY, StringDeserializer::new, () -> failing(failure));
            assertThat(decoder.decode(record("id", utf8("v")), TOPIC_ID, null, 1))
                    .isEqualTo(new Interrupted(failure));
            assertThat(Thread.interrupted()).as("flag left behind").isFalse();
            return null;
        });
    }

    static Stream<Supplier<Throwable>> interrupts() {
        return Stream.of(
                () -> new IllegalStateException(new InterruptedException()),
                InterruptedException::new,
                () -> new InterruptException(new InterruptedException())); // sets the flag of its thread, too
    }

    @Test
    void aFlagLeftByADecoderThatFailsNeverLeavesIt() throws Exception {
        onNewThread(() -> {
            RecordDecoder decoder = decoder(KEY, StringDeserializer::new, () -> failing(new IllegalStateException()));
            Thread.currentThread().interrupt();
            assertThat(decoder.decode(record("id", utf8("v")), TOPIC_ID, null, 1))
                    .isInstanceOf(Interrupted.class);
            assertThat(Thread.interrupted()).isFalse();
            return null;
        });
    }

    @Test
    void aBrokenJvmIsNotTheRecordsFault() {
        OutOfMemoryError outOfMemory = new OutOfMemoryError("for a test");
        for (Throwable thrown : List.of(outOfMemory, new SerializationException(outOfMemory))) {
            RecordDecoder value = decoder(KEY, StringDeserializer::new, () -> failing(thrown));
            assertThatThrownBy(() -> value.decode(record("id", utf8("v")), TOPIC_ID, null, 1))
                    .isSameAs(outOfMemory);
            RecordDecoder id = decoder((record, topicId) -> sneaky(thrown));
            assertThatThrownBy(() -> id.decode(record("id", utf8("v")), TOPIC_ID, null, 1))
                    .isSameAs(outOfMemory);
        }
    }

    @Test
    void aReplayIsDecodedAsTheRecordThatFirstFailed() {
        List<String> topics = new ArrayList<>();
        Deserializer<String> curious = new StringDeserializer() {
            @Override
            public String deserialize(String topic, Headers headers, byte[] data) {
                topics.add(topic);
                return super.deserialize(topic, headers, data);
            }
        };
        RecordDecoder decoder = decoder((record, topicId) -> "from the extractor", () -> curious, () -> curious);
        Message<?, ?> message = ok(decoder.decode(record("k", utf8("v")), TOPIC_ID, replay("id-of-the-letter"), 1));
        assertThat(message.id()).isEqualTo("id-of-the-letter");
        assertThat(message.coordinates()).isEqualTo(new Coordinates("orders", 5, 1234));
        assertThat(message.timestamp()).isEqualTo(Instant.ofEpochMilli(1_600_000_000_000L));
        assertThat(message.headers()).containsExactly(new RecordHeader("original", utf8("1")));
        assertThat(message.replay()).isTrue();
        assertThat(message.key()).isEqualTo("k");
        assertThat(topics).containsExactly("orders", "orders");
    }

    @Test
    void aReplayWithoutIdIsIdentifiedAgain() {
        RecordDecoder decoder = decoder(
                (record, topicId) -> record.topic() + record.partition() + "@" + record.offset() + record.timestamp()
                        + new String(record.headers().lastHeader("original").value(), UTF_8));
        assertThat(ok(decoder.decode(record("k", utf8("v")), TOPIC_ID, replay(null), 1))
                        .id())
                .isEqualTo("orders5@123416000000000001");
        assertThat(bad(decoder((record, topicId) -> null).decode(record("k", utf8("v")), TOPIC_ID, replay(null), 1))
                        .reason())
                .isEqualTo(DeadLetterReason.INVALID_ID);
    }

    @Test
    void aReplayIdentifiedByCoordinatesIsTheSameEachTimeAndNeverThatOfAnotherTopic() {
        RecordDecoder decoder =
                decoder((record, topicId) -> topicId + "/" + record.partition() + "/" + record.offset());
        String first = ok(decoder.decode(record("k", utf8("v")), TOPIC_ID, replay(null), 1))
                .id();
        String second = ok(decoder.decode(record("k", utf8("v")), UUID.randomUUID(), replay(null), 1))
                .id();
        Replay ofAnother = new Replay(
                new Origin(new Coordinates("invoices", 5, 1234), 1_600_000_000_000L, 1), null, new RecordHeaders());
        assertThat(second).isEqualTo(first);
        assertThat(ok(decoder.decode(record("k", utf8("v")), TOPIC_ID, ofAnother, 1))
                        .id())
                .isNotEqualTo(first);
    }

    @Test
    void eachThreadHasDeserialisersOfItsOwn() throws Exception {
        int threads = 4;
        ConcurrentLinkedQueue<OfOneThread> made = new ConcurrentLinkedQueue<>();
        RecordDecoder decoder = decoder(KEY, StringDeserializer::new, () -> {
            OfOneThread deserializer = new OfOneThread();
            made.add(deserializer);
            return deserializer;
        });
        CyclicBarrier together = new CyclicBarrier(threads);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<Boolean>> results = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                results.add(pool.submit(() -> {
                    together.await(10, TimeUnit.SECONDS);
                    for (int i = 0; i < 1000; i++) {
                        ok(decoder.decode(record("id", utf8("v")), TOPIC_ID, null, 1));
                    }
                    return true;
                }));
            }
            for (Future<Boolean> result : results) {
                assertThat(result.get(10, TimeUnit.SECONDS)).isTrue();
            }
        } finally {
            pool.shutdownNow();
        }
        assertThat(made).as("the one made at start is used too").hasSize(threads);
        decoder.close();
        assertThat(made)
                .allSatisfy(deserializer -> assertThat(deserializer.closed).hasValue(1));
    }

    @Test
    void anInstanceGivenForAllThreadsIsClosedOnceForEachRole() throws Exception {
        OfOneThread shared = new OfOneThread();
        RecordDecoder decoder = decoder(KEY, () -> shared, () -> shared);
        ok(decoder.decode(record("id", utf8("v")), TOPIC_ID, null, 1));
        decoder.close();
        // Key and value: closing must be harmless when repeated, as Kafka asks of deserialisers.
        assertThat(shared.closed).hasValue(2);
    }

    @Test
    void closesAllEvenIfOneFails() {
        OfOneThread sound = new OfOneThread();
        Deserializer<String> broken = new StringDeserializer() {
            @Override
            public void close() {
                throw new IllegalStateException("cannot close");
            }
        };
        RecordDecoder decoder = decoder(KEY, () -> sound, () -> broken);
        assertThatThrownBy(decoder::close).hasMessage("cannot close");
        assertThat(sound.closed).hasValue(1);
        RecordDecoder other = decoder(KEY, () -> broken, () -> sound);
        assertThatThrownBy(other::close).hasMessage("cannot close");
        assertThat(sound.closed).hasValue(2);
    }

    @Test
    void aSupplierThatCannotWorkIsFoundAtStart() {
        assertThatThrownBy(() -> decoder(KEY, StringDeserializer::new, () -> sneaky(new IllegalStateException("no"))))
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("value deserializer")
                .hasRootCauseMessage("no");
        assertThatThrownBy(() -> decoder(KEY, () -> null, StringDeserializer::new))
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("key deserializer");
    }

    @Test
    void aSupplierThatFailsLaterIsAnOutage() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        RecordDecoder decoder = decoder(KEY, StringDeserializer::new, () -> {
            if (calls.incrementAndGet() == 2) {
                throw new IllegalStateException("registry down");
            }
            return new StringDeserializer();
        });
        Callable<Decoded> decode = () -> decoder.decode(record("id", utf8("v")), TOPIC_ID, null, 1);
        assertThat(decode.call()).isInstanceOf(Ok.class);
        onNewThread(() -> {
            assertThat(decode.call()).isInstanceOf(Unavailable.class);
            assertThat(decode.call()).as("tried again").isInstanceOf(Ok.class);
            return null;
        });
    }

    /** Fails when two threads meet in it. */
    private static final class OfOneThread implements Deserializer<String> {
        private final AtomicReference<Thread> owner = new AtomicReference<>();
        final AtomicInteger closed = new AtomicInteger();

        @Override
        public String deserialize(String topic, byte[] data) {
            Thread me = Thread.currentThread();
            if (!owner.compareAndSet(null, me) && owner.get() != me) {
                throw new IllegalStateException("two threads");
            }
            return new String(data, UTF_8);
        }

        @Override
        public void close() {
            closed.incrementAndGet();
        }
    }

    private static RecordDecoder decoder(MessageIdExtractor ids) {
        return decoder(ids, StringDeserializer::new, StringDeserializer::new);
    }

    private static RecordDecoder decoder(
            MessageIdExtractor ids,
            Supplier<? extends Deserializer<?>> key,
            Supplier<? extends Deserializer<?>> value) {
        return new RecordDecoder("billing", ids, key, value);
    }

    private static ConsumerRecord<byte[], byte[]> record(String key, byte[] value) {
        return record(utf8(key), value);
    }

    private static ConsumerRecord<byte[], byte[]> record(byte[] key, byte[] value) {
        return new ConsumerRecord<>(
                "payments",
                2,
                99,
                1_700_000_000_000L,
                TimestampType.CREATE_TIME,
                key == null ? -1 : key.length,
                value == null ? -1 : value.length,
                key,
                value,
                new RecordHeaders().add("h", utf8("v")),
                Optional.empty());
    }

    private static Replay replay(String id) {
        return new Replay(
                new Origin(new Coordinates("orders", 5, 1234), 1_600_000_000_000L, 1),
                id,
                new RecordHeaders().add("original", utf8("1")));
    }

    private static Message<?, ?> ok(Decoded decoded) {
        assertThat(decoded).isInstanceOf(Ok.class);
        return ((Ok) decoded).message();
    }

    private static Bad bad(Decoded decoded) {
        assertThat(decoded).isInstanceOf(Bad.class);
        return (Bad) decoded;
    }

    private static Deserializer<Object> failing(Throwable failure) {
        return (topic, data) -> sneaky(failure);
    }

    private static Throwable cyclic() {
        IllegalStateException one = new IllegalStateException("one");
        IllegalStateException two = new IllegalStateException("two", one);
        one.initCause(two);
        return one;
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <T, E extends Throwable> T sneaky(Throwable failure) throws E {
        throw (E) failure;
    }

    private static void onNewThread(Callable<?> work) throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            thread.submit(work).get(10, TimeUnit.SECONDS);
        } finally {
            thread.shutdownNow();
        }
    }

    private static byte[] utf8(String text) {
        return text.getBytes(UTF_8);
    }
}
