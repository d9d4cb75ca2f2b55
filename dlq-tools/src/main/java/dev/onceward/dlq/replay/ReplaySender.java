package dev.onceward.dlq.replay;

import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.index.Letter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.jspecify.annotations.Nullable;

/**
 * Sends letters and collects the acknowledgements. At the first that fails the producer is closed at once, from within
 * its own thread: nothing that was handed over later may reach the topic before the one that failed. What was under way
 * then has an unknown end and counts as not sent; if it did arrive, its second copy finds the claim of the first.
 */
final class ReplaySender implements AutoCloseable {
    /** What waits in the producer; bounded by its buffer, too. Less than the feed's window, which would make it wait. */
    private static final int IN_FLIGHT = 4_000;

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Producer<byte[], byte[]> producer;
    private final Semaphore room = new Semaphore(IN_FLIGHT);
    private final AtomicInteger acknowledgedCount = new AtomicInteger();
    private final Queue<Acknowledged> acknowledged = new ConcurrentLinkedQueue<>();
    private final AtomicReference<@Nullable Failure> failure = new AtomicReference<>();

    ReplaySender(Connections connections) {
        this.producer = connections.newProducer();
    }

    /**
     * Hands a letter over; waits while too much is under way.
     *
     * @return why the producer would not take it at all: too large; {@code null}: it has taken it
     */
    @Nullable
    Refusal send(Letter letter, ProducerRecord<byte[], byte[]> replay) {
        return hand(letter, replay, false).get();
    }

    /**
     * Sends a letter and waits for its end. Nothing else must be under way: nothing can overtake it then, so that a refusal
     * of this record by the broker ends nothing.
     *
     * @return why it is not taken; {@code null}: it is acknowledged, or has failed as others do
     */
    @Nullable
    Refusal sendAlone(Letter letter, ProducerRecord<byte[], byte[]> replay) {
        AtomicReference<@Nullable Refusal> refusal = hand(letter, replay, true);
        flush(); // returns after the callback
        return refusal.get();
    }

    private AtomicReference<@Nullable Refusal> hand(
            Letter letter, ProducerRecord<byte[], byte[]> replay, boolean alone) {
        room.acquireUninterruptibly();
        Thread caller = Thread.currentThread();
        AtomicReference<@Nullable Refusal> refusal = new AtomicReference<>();
        try {
            var unused = producer.send(replay, (metadata, error) -> {
                room.release();
                if (error == null) {
                    acknowledged.add(new Acknowledged(letter, metadata.partition(), metadata.offset()));
                    acknowledgedCount.incrementAndGet();
                } else if (Thread.currentThread() == caller && error instanceof RecordTooLargeException) {
                    refusal.set(new Refusal(error, true));
                } else if (alone && Connections.isTheRecord(error)) {
                    refusal.set(new Refusal(error, false));
                } else {
                    failed(letter, error);
                }
            });
        } catch (RuntimeException e) {
            // The callback was not called: the producer is closed.
            room.release();
            failed(letter, e);
        }
        return refusal;
    }

    /** What was acknowledged since the last call. */
    List<Acknowledged> acknowledged() {
        List<Acknowledged> taken = new ArrayList<>();
        for (Acknowledged next = acknowledged.poll(); next != null; next = acknowledged.poll()) {
            taken.add(next);
        }
        acknowledgedCount.addAndGet(-taken.size());
        return taken;
    }

    /** How many were acknowledged since the last call of {@link #acknowledged}. */
    int waiting() {
        return acknowledgedCount.get();
    }

    /** The first that failed; {@code null}: none has. */
    @Nullable
    Failure failure() {
        return failure.get();
    }

    /** Waits until nothing is under way. */
    void flush() {
        if (failure.get() == null) {
            producer.flush();
        }
        // After a failure the producer is closing; every callback is called before it has closed.
        if (failure.get() != null) {
            producer.close(PATIENCE);
        }
    }

    @Override
    public void close() {
        producer.close(PATIENCE);
    }

    private void failed(Letter letter, Exception error) {
        // The others that end with it say no more than that the producer was closed.
        if (failure.compareAndSet(null, new Failure(letter, error))) {
            producer.close(Duration.ZERO);
        }
    }

    /** A letter that is in the replay topic: in this partition, at this offset. */
    record Acknowledged(Letter letter, int partition, long offset) {}

    /**
     * A letter that Kafka will never take.
     *
     * @param error why
     * @param byProducer whether nothing was sent, for certain
     */
    record Refusal(Exception error, boolean byProducer) {}

    /** The first letter that failed, and why. */
    record Failure(Letter letter, Exception error) {}
}
