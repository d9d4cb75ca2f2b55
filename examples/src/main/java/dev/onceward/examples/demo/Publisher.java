package dev.onceward.examples.demo;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Sends the records of the plan, in their order, as far as it is allowed to: so the faults strike while there is something
 * left to do. One producer, idempotent, so the topic holds exactly what was planned.
 */
final class Publisher implements AutoCloseable {

    private static final byte[] NOT_A_PAYMENT = "\u0000\u0001 this is not a payment {".getBytes(StandardCharsets.UTF_8);

    private final Plan plan;
    private final String topic;
    private final Producer<byte[], byte[]> producer;
    private final ObjectMapper json = new ObjectMapper();
    private final Sent sent;
    private final Thread thread;
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();

    private int allowed;
    private boolean closed;

    Publisher(Plan plan, String bootstrapServers, String topic) {
        this.plan = plan;
        this.topic = topic;
        this.sent = new Sent(plan);
        this.producer = new KafkaProducer<>(
                new HashMap<>(Map.of(
                        "bootstrap.servers",
                        bootstrapServers,
                        "acks",
                        "all",
                        "enable.idempotence",
                        "true",
                        // The topic is new, and its leader may refuse the first batch of several on their way.
                        "max.in.flight.requests.per.connection",
                        "1",
                        "linger.ms",
                        "5",
                        "client.id",
                        "demo-publisher")),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        this.thread = new Thread(this::publish, "demo-publisher");
        thread.setDaemon(true);
        thread.start();
    }

    /** Lets it send the plan's records up to this position; it never takes an allowance back. */
    synchronized void allow(int records) {
        allowed = Math.max(allowed, Math.min(records, plan.records()));
        notifyAll();
    }

    synchronized int allowed() {
        return allowed;
    }

    /** What the broker has acknowledged. */
    Sent sent() {
        Exception failed = failure.get();
        if (failed != null) {
            throw new DemoException("Sending to topic " + topic + " failed: " + failed, failed);
        }
        return sent;
    }

    private void publish() {
        try {
            int position = 0;
            int end;
            while ((end = awaitAllowance(position)) > position) {
                for (; position < end; position++) {
                    send(position);
                }
                producer.flush();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (JsonProcessingException | RuntimeException e) {
            failure.compareAndSet(null, e);
        }
    }

    private synchronized int awaitAllowance(int position) throws InterruptedException {
        while (allowed == position && position < plan.records() && !closed) {
            wait();
        }
        return closed ? position : allowed;
    }

    private void send(int position) throws JsonProcessingException {
        PlannedMessage message = plan.record(position);
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(topic, plan.partition(message), key(message), value(message));
        record.headers().add("message-id", message.id().getBytes(StandardCharsets.UTF_8));
        record.headers().add("sent-by", "demo".getBytes(StandardCharsets.UTF_8));
        var unused = producer.send(record, (metadata, exception) -> {
            if (exception != null) {
                failure.compareAndSet(null, exception);
            } else {
                sent.acknowledged(message, metadata);
            }
        });
    }

    private static byte[] key(PlannedMessage message) {
        return Integer.toString(message.key()).getBytes(StandardCharsets.UTF_8);
    }

    private byte[] value(PlannedMessage message) throws JsonProcessingException {
        return message.kind() == PlannedMessage.Kind.UNDECODABLE
                ? NOT_A_PAYMENT
                : json.writeValueAsBytes(message.payment());
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        producer.close(Duration.ofSeconds(5));
    }

    /** What stands in the topic, as far as the broker has said so. Thread-safe. */
    static final class Sent {

        private final BitSet known = new BitSet();
        private final long[] uniqueGood;
        private final long[][] timestamps;
        private final int[] ends;

        Sent(Plan plan) {
            this.uniqueGood = new long[plan.partitions()];
            this.timestamps = new long[plan.partitions()][];
            this.ends = new int[plan.partitions()];
            int[] records = new int[plan.partitions()];
            for (int position = 0; position < plan.records(); position++) {
                records[plan.partition(plan.record(position))]++;
            }
            for (int partition = 0; partition < plan.partitions(); partition++) {
                timestamps[partition] = new long[records[partition]];
            }
        }

        synchronized void acknowledged(PlannedMessage message, RecordMetadata metadata) {
            int partition = metadata.partition();
            if (!message.bad() && !known.get(message.index())) {
                known.set(message.index());
                uniqueGood[partition]++;
            }
            timestamps[partition][(int) metadata.offset()] = metadata.timestamp();
            ends[partition] = Math.max(ends[partition], (int) metadata.offset() + 1);
        }

        /** Unique good messages, by partition. */
        synchronized long[] uniqueGood() {
            return uniqueGood.clone();
        }

        /** Records, by partition. */
        synchronized int[] ends() {
            return ends.clone();
        }

        synchronized int total() {
            return Arrays.stream(ends).sum();
        }

        /** When the record at this offset was sent, in epoch milliseconds. */
        synchronized long timestamp(int partition, int offset) {
            return timestamps[partition][offset];
        }
    }
}
