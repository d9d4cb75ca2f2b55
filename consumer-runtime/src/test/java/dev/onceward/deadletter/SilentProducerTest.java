package dev.onceward.deadletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

/** With real producers whose broker is not there. */
class SilentProducerTest {
    private final ConsumerRecord<byte[], byte[]> record = Letters.record("orders", 0, 1);

    private static Producer<byte[], byte[]> producer() {
        return new KafkaProducer<>(
                Map.of(
                        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        "localhost:1",
                        ProducerConfig.MAX_BLOCK_MS_CONFIG,
                        600_000L,
                        ProducerConfig.RECONNECT_BACKOFF_MS_CONFIG,
                        60_000L,
                        ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG,
                        60_000L),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    private static DeadLetterPublisher publisher(Duration answerLimit) {
        return new DeadLetterPublisher(
                SilentProducerTest::producer,
                topic -> "dlq." + topic,
                "billing",
                Clock.systemUTC(),
                System::nanoTime,
                answerLimit);
    }

    @Test
    void aLetterIsAnsweredForEvenIfTheProducerSaysNothing() {
        DeadLetterPublisher publisher = publisher(Duration.ofMillis(100));

        assertThat(publisher.publish(Letters.of(record), record))
                .failsWithin(Duration.ofSeconds(20))
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(TimeoutException.class);
        assertThat(publisher.trouble()).get().asString().contains("orders-0@1", "no answer in time");

        publisher.close(Duration.ofMillis(10));
    }

    @Test
    void moreThanCanWaitAreRefused() {
        DeadLetterPublisher publisher = publisher(Duration.ofMinutes(5));
        for (int i = 0; i < DeadLetterPublisher.MAX_IN_FLIGHT; i++) {
            assertThat(publisher.publish(Letters.of(record), record)).isNotDone();
        }
        CompletableFuture<?> refused = publisher.publish(Letters.of(record), record);
        assertThat(refused).isCompletedExceptionally();
        assertThatThrownBy(refused::join).hasCauseInstanceOf(RejectedExecutionException.class);

        publisher.close(Duration.ofMillis(10));
    }

    @Test
    void aProducerThatCannotBeMadeShowsAtOnce() {
        assertThatThrownBy(() -> new DeadLetterPublisher(
                        () -> {
                            throw new KafkaException("no such broker");
                        },
                        topic -> topic,
                        "billing",
                        Clock.systemUTC()))
                .hasMessage("no such broker");
    }

    @Test
    void aTopicThatCannotBeNamedFailsOnlyItsLetter() throws Exception {
        CountDownLatch asked = new CountDownLatch(2);
        DeadLetterPublisher publisher = new DeadLetterPublisher(
                SilentProducerTest::producer,
                topic -> {
                    asked.countDown();
                    throw new IllegalArgumentException("no name for " + topic);
                },
                "billing",
                Clock.systemUTC());

        for (int i = 0; i < 2; i++) {
            assertThat(publisher.publish(Letters.of(record), record))
                    .failsWithin(Duration.ofSeconds(20))
                    .withThrowableOfType(ExecutionException.class)
                    .withCauseInstanceOf(IllegalArgumentException.class);
        }
        asked.await();
        publisher.close(Duration.ofMillis(10));
    }
}
