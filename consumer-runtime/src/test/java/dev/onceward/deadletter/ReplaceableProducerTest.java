package dev.onceward.deadletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** With real producers, which need no broker to be made and closed. */
class ReplaceableProducerTest {
    private final ProducerFencedException fenced = new ProducerFencedException("fenced");

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 10); // nanoTime may wrap round
    private final List<Producer<byte[], byte[]>> made = new ArrayList<>();
    private boolean refuse;
    private final ReplaceableProducer producer = new ReplaceableProducer(this::make, now::get);

    private Producer<byte[], byte[]> make() {
        if (refuse) {
            throw new KafkaException("cannot make a producer");
        }
        Producer<byte[], byte[]> fresh = new KafkaProducer<>(
                Map.of(
                        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        "localhost:1",
                        ProducerConfig.RECONNECT_BACKOFF_MS_CONFIG,
                        60_000L,
                        ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG,
                        60_000L),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        made.add(fresh);
        return fresh;
    }

    @AfterEach
    void closeAll() {
        made.forEach(each -> each.close(Duration.ZERO));
    }

    @Test
    void isMadeOnceAndKept() {
        assertThat(made).hasSize(1);
        Producer<byte[], byte[]> first = producer.get();
        producer.failed(first, new TimeoutException("t"));
        later();
        assertThat(producer.get()).isSameAs(first);
        assertThat(made).hasSize(1);
    }

    @Test
    void isReplacedAndClosedWhenItBroke() {
        Producer<byte[], byte[]> first = producer.get();
        producer.failed(first, fenced);
        later();
        Producer<byte[], byte[]> second = producer.get();
        assertThat(second).isNotSameAs(first).isSameAs(producer.get());
        assertThatThrownBy(() -> first.send(new ProducerRecord<>("any", null)))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void isNotReplacedAgainAndAgainWithinAMoment() {
        producer.failed(producer.get(), fenced);
        assertThatThrownBy(producer::get).isSameAs(fenced);
        later();
        producer.failed(producer.get(), fenced);
        assertThatThrownBy(producer::get).isSameAs(fenced);
        assertThat(made).hasSize(2);
    }

    @Test
    void whatTheOldOneReportsSaysNothingAboutTheNewOne() {
        Producer<byte[], byte[]> first = producer.get();
        producer.failed(first, fenced);
        later();
        Producer<byte[], byte[]> second = producer.get();
        producer.failed(first, new KafkaException("closed forcefully"));
        later();
        assertThat(producer.get()).isSameAs(second);
    }

    @Test
    void triesAgainWhenNoneCouldBeMade() {
        producer.failed(producer.get(), fenced);
        refuse = true;
        later();
        assertThatThrownBy(producer::get).hasMessage("cannot make a producer");
        refuse = false;
        assertThatThrownBy(producer::get).hasMessage("cannot make a producer"); // still the same moment
        later();
        assertThat(producer.get()).isNotNull();
    }

    @Test
    void isReplacedWhenItDoesNotAnswer() {
        Producer<byte[], byte[]> first = producer.get();
        producer.suspect(new java.util.concurrent.TimeoutException());
        later();
        assertThat(producer.get()).isNotSameAs(first);
    }

    private void later() {
        now.addAndGet(ReplaceableProducer.PAUSE_NANOS);
    }
}
