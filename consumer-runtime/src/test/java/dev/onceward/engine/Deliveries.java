package dev.onceward.engine;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onceward.config.Ordering;
import java.time.Clock;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** Partitions and deliveries that came from nowhere. */
final class Deliveries {
    private Deliveries() {}

    static OwnedPartition partition(int number) {
        return new OwnedPartition(
                new TopicPartition("payments", number), false, Clock.systemUTC(), () -> {}, RealMachine.INSTANCE);
    }

    static Delivery of(OwnedPartition partition, long offset, String key) {
        return of(partition, offset, key, false);
    }

    static Delivery of(OwnedPartition partition, long offset, String key, boolean suspect) {
        ConsumerRecord<byte[], byte[]> raw = new ConsumerRecord<>(
                "payments", partition.topicPartition().partition(), offset, key.getBytes(UTF_8), new byte[0]);
        return new Delivery(raw, partition, OrderingKey.of(partition, raw, Ordering.KEY), suspect);
    }
}
