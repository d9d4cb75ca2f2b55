package dev.onceward.dlq.connect;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

class OpenClientsTest {
    private static final Map<String, Object> PRODUCER = Map.of(
            "bootstrap.servers", "127.0.0.1:1",
            "key.serializer", ByteArraySerializer.class,
            "value.serializer", ByteArraySerializer.class);
    private static final Map<String, Object> CONSUMER = Map.of(
            "bootstrap.servers", "127.0.0.1:1",
            "key.deserializer", ByteArrayDeserializer.class,
            "value.deserializer", ByteArrayDeserializer.class);

    private final OpenClients clients = new OpenClients();

    @Test
    void aClientThatIsClosedIsForgotten() {
        Producer<byte[], byte[]> one = clients.producer(PRODUCER);
        Producer<byte[], byte[]> other = clients.producer(PRODUCER);
        Consumer<byte[], byte[]> reader = clients.consumer(CONSUMER);
        Consumer<byte[], byte[]> secondReader = clients.consumer(CONSUMER);
        assertThat(clients.count()).isEqualTo(4);

        one.close(Duration.ZERO);
        other.close();
        reader.close(CloseOptions.timeout(Duration.ZERO));
        secondReader.close();

        assertThat(clients.count()).isZero();
    }

    @Test
    void whatIsLeftIsClosedAtTheEnd() {
        AtomicBoolean closed = new AtomicBoolean();
        clients.add(() -> closed.set(true));
        clients.add(() -> {
            throw new IllegalStateException("cannot be closed");
        });

        clients.close();

        assertThat(closed).isTrue();
        assertThat(clients.count()).isZero();
    }
}
