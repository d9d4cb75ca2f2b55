package dev.onceward.dlq.connect;

import java.time.Duration;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;

/**
 * What is open, to be closed at the end. Kafka's clients that their users close before are forgotten at once: a closed
 * producer still holds the buffers that it has used, up to {@code buffer.memory}, and a replay makes one after every
 * failure. Thread-safe, since a producer may be closed from its own thread.
 */
final class OpenClients {
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    private final Deque<AutoCloseable> open = new ConcurrentLinkedDeque<>();

    <T extends AutoCloseable> T add(T closeable) {
        open.push(closeable);
        return closeable;
    }

    Consumer<byte[], byte[]> consumer(Map<String, Object> properties) {
        return add(new KafkaConsumer<byte[], byte[]>(properties) {
            @Override
            public void close() {
                open.remove(this);
                super.close();
            }

            @Override
            public void close(CloseOptions options) {
                open.remove(this);
                super.close(options);
            }
        });
    }

    Producer<byte[], byte[]> producer(Map<String, Object> properties) {
        return add(new KafkaProducer<byte[], byte[]>(properties) {
            @Override
            public void close() {
                open.remove(this);
                super.close();
            }

            @Override
            public void close(Duration timeout) {
                open.remove(this);
                super.close(timeout);
            }
        });
    }

    /** How many there are. */
    int count() {
        return open.size();
    }

    /** Closes all; what cannot be closed is left, since the process ends anyway. */
    void close() {
        for (AutoCloseable next = open.poll(); next != null; next = open.poll()) {
            close(next);
        }
    }

    private static void close(AutoCloseable closeable) {
        try {
            if (closeable instanceof Admin client) {
                client.close(CLOSE_TIMEOUT);
            } else if (closeable instanceof Producer<?, ?> producer) {
                producer.close(CLOSE_TIMEOUT);
            } else {
                closeable.close();
            }
        } catch (Exception e) {
            // Nothing depends on it any more: what had to be acknowledged was waited for.
        }
    }
}
