package dev.onceward.chaos;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Sends messages at a steady rate, from the start until it is stopped. What a message is depends on the seed and its number
 * alone. Two in a hundred are sent a second time later on. What became of a send whose answer was lost, the topic says.
 */
final class Load {
    static final int ACCOUNTS = 200;

    private static final int DUPLICATES_OF_HUNDRED = 2;
    private static final int FURTHEST_BACK = 2_000;
    private static final long MOST_WAITING = 20_000;
    private static final long TICK_NANOS = 20_000_000;

    private final long seed;
    private final int rate;
    private final LongSupplier waiting;
    private final AtomicLong sent = new AtomicLong();
    private final KafkaProducer<String, String> producer;
    private final Thread thread = new Thread(this::run, "chaos-load");
    private volatile boolean stopped;

    /**
     * Starts it.
     *
     * @param rate messages a second
     * @param waiting how many wait to be processed: with too many it pauses
     */
    Load(long seed, int rate, String bootstrapServers, LongSupplier waiting) {
        this.seed = seed;
        this.rate = rate;
        this.waiting = waiting;
        this.producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrapServers, "acks", "all", "linger.ms", "5"),
                new StringSerializer(),
                new StringSerializer());
        thread.start();
    }

    /** How many were given to the producer. */
    long sent() {
        return sent.get();
    }

    private void run() {
        Random random = new Random(seed);
        long next = System.nanoTime();
        long number = 0;
        while (!stopped) {
            if (waiting.getAsLong() < MOST_WAITING) {
                for (int i = 0; i < Math.max(1, rate * TICK_NANOS / 1_000_000_000); i++) {
                    send(number++);
                    if (random.nextInt(100) < DUPLICATES_OF_HUNDRED) {
                        send(Math.max(0, number - 1 - random.nextInt(FURTHEST_BACK)));
                    }
                }
            }
            next += TICK_NANOS;
            long now = System.nanoTime();
            if (next - now > 0) {
                LockSupport.parkNanos(next - now);
            } else {
                next = now; // the brokers were away: what was not sent then is not made up for
            }
        }
    }

    private void send(long number) {
        Behaviour behaviour = Behaviour.of(new Random(seed + number).nextInt(10_000));
        ProducerRecord<String, String> message =
                new ProducerRecord<>(World.TOPIC, "account-" + number % ACCOUNTS, behaviour.text());
        message.headers().add("message-id", ("m" + number).getBytes(UTF_8));
        try {
            var unused = producer.send(message);
            sent.incrementAndGet();
        } catch (KafkaException e) {
            // No metadata, or a full buffer: never sent.
        }
    }

    /** Sends no more, and returns when nothing is under way. */
    void stop() throws InterruptedException {
        stopped = true;
        thread.join();
        producer.close();
    }
}
