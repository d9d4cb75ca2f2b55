package dev.onceward.deadletter;

import dev.onceward.catalog.EventNames;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Publishes dead letters: original key, value and headers as they came, diagnostics behind them. Never blocks its
 * caller: {@code KafkaProducer.send} waits for metadata up to {@code max.block.ms}, which must not happen on a lane, so
 * one thread of its own does all sending.
 *
 * <p>A failure goes to the caller, who holds the key and calls again; nothing is retried here but a record that is too
 * large, with fewer diagnostics. Thread-safe.
 */
public final class DeadLetterPublisher implements Publisher, AutoCloseable {

    /** Most letters accepted and not answered. */
    static final int MAX_IN_FLIGHT = 10_000;

    /** Longer than any producer needs by its own timeouts: only one whose thread died does not answer by then. */
    private static final Duration ANSWER_LIMIT = Duration.ofMinutes(5);

    private static final Duration DEFAULT_CLOSE = Duration.ofSeconds(5);
    private static final Logger LOG = LoggerFactory.getLogger(DeadLetterPublisher.class);

    private final ReplaceableProducer producers;
    private final UnaryOperator<String> topicOf;
    private final String groupId;
    private final Clock clock;
    private final LongSupplier nanoTime;
    private final Duration answerLimit;
    private final SendThread thread;
    private final Troubles troubles = new Troubles();
    private final OncePerMinute logged;
    private final AtomicInteger inFlight = new AtomicInteger();
    private final Map<String, Unreachable> unreachable = new HashMap<>(); // publisher thread only

    /**
     * Makes a first producer at once, so that wrong settings show at start.
     *
     * @param producers makes a producer with {@code acks=all} and idempotence; asked again when one became unusable
     * @param topicOf from the topic where a record first failed to its dead-letter topic
     * @param groupId the consumer group that gives up
     * @param clock for the timestamps of dead letters
     */
    public DeadLetterPublisher(
            Supplier<Producer<byte[], byte[]>> producers, UnaryOperator<String> topicOf, String groupId, Clock clock) {
        this(producers, topicOf, groupId, clock, System::nanoTime, ANSWER_LIMIT);
    }

    DeadLetterPublisher(
            Supplier<Producer<byte[], byte[]>> producers,
            UnaryOperator<String> topicOf,
            String groupId,
            Clock clock,
            LongSupplier nanoTime,
            Duration answerLimit) {
        this.producers = new ReplaceableProducer(producers, nanoTime);
        this.topicOf = topicOf;
        this.groupId = groupId;
        this.clock = clock;
        this.nanoTime = nanoTime;
        this.answerLimit = answerLimit;
        this.logged = new OncePerMinute(nanoTime);
        this.thread = new SendThread("onceward-dead-letters-" + groupId);
        this.thread.start();
    }

    /**
     * @return fails with the exception of Kafka's producer, an {@link IllegalStateException} after {@link #close}, a
     *     {@link RejectedExecutionException} if too many are waiting, a {@link TimeoutException} if the producer never
     *     answered
     */
    @Override
    public CompletableFuture<PublishedAt> publish(DeadLetter letter, ConsumerRecord<byte[], byte[]> record) {
        CompletableFuture<PublishedAt> answer = new CompletableFuture<>();
        PublishTask task = new PublishTask(letter, record, DiagnosticSize.FULL, nanoTime.getAsLong(), answer);
        if (inFlight.incrementAndGet() > MAX_IN_FLIGHT) {
            inFlight.decrementAndGet();
            answer.completeExceptionally(
                    new RejectedExecutionException(MAX_IN_FLIGHT + " dead letters wait to be published"));
            return answer;
        }
        troubles.begin(letter.record().coordinates());
        submit(task);
        return answer.orTimeout(answerLimit.toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((ok, failure) -> answered(task, failure));
    }

    @Override
    public Optional<String> trouble() {
        return troubles.text();
    }

    @Override
    public void forget(String topic, int partition) {
        troubles.forget(topic, partition);
    }

    /** Closes within 5 seconds. */
    @Override
    public void close() {
        close(DEFAULT_CLOSE);
    }

    @Override
    public void close(Duration timeout) {
        long start = System.nanoTime();
        if (thread.close(timeout)) {
            Duration spent = Duration.ofNanos(System.nanoTime() - start);
            Duration left = timeout.minus(spent);
            producers.close(left.isNegative() ? Duration.ZERO : left);
            thread.drain();
        }
    }

    private void answered(PublishTask task, @Nullable Throwable failure) {
        inFlight.decrementAndGet();
        if (failure instanceof TimeoutException) { // not Kafka's: the producer itself said nothing at all
            producers.suspect(failure);
            troubles.failed(task.letter().record().coordinates(), PublishFailures.explain(task.letter(), "", failure));
        }
    }

    private void submit(PublishTask task) {
        if (!thread.submit(() -> send(task))) {
            task.answer().completeExceptionally(closedException());
        }
    }

    private static IllegalStateException closedException() {
        return new IllegalStateException("the publisher of dead letters is closed");
    }

    private void send(PublishTask task) {
        if (task.answer().isDone()) {
            return;
        }
        if (thread.isStopped()) {
            task.answer().completeExceptionally(closedException());
            return;
        }
        Producer<byte[], byte[]> producer = null;
        String topic = "";
        try {
            topic = topicOf.apply(task.letter().origin().coordinates().topic());
            producer = producers.get();
            send(task, topic, producer);
        } catch (Throwable e) { // even an Error: this thread must live, and whoever waits must hear of it
            failed(task, topic, producer, e);
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the callback gets the same answer
    private void send(PublishTask task, String topic, Producer<byte[], byte[]> producer) {
        Integer partition = partition(task, topic, producer);
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(
                topic,
                partition,
                clock.millis(),
                task.source().key(),
                task.source().value(),
                DeadLetterHeaders.of(task.letter(), task.source().headers(), groupId, task.size()));
        producer.send(record, (metadata, failure) -> {
            if (failure != null) {
                failed(task, topic, producer, failure);
            } else {
                acknowledged(task, topic, producer, metadata);
            }
        });
    }

    /** The partition where it first failed, if there is one of that number; else the producer chooses by key. */
    private @Nullable Integer partition(PublishTask task, String topic, Producer<byte[], byte[]> producer) {
        Unreachable known = unreachable.get(topic);
        if (known != null && task.submittedNanos() - known.sinceNanos() <= 0) {
            throw known.failure();
        }
        int same = task.letter().origin().coordinates().partition();
        try {
            List<?> partitions = producer.partitionsFor(topic);
            unreachable.remove(topic);
            return same < partitions.size() ? same : null;
        } catch (RetriableException e) {
            // It took max.block.ms to find out. Whoever queued up meanwhile shares this answer, or letters for one
            // missing topic would hold up those for all others by that time each.
            unreachable.put(topic, new Unreachable(nanoTime.getAsLong(), e));
            throw e;
        }
    }

    private void acknowledged(
            PublishTask task, String topic, Producer<byte[], byte[]> producer, RecordMetadata metadata) {
        if (!metadata.hasOffset()) {
            failed(task, topic, producer, new AcknowledgedWithoutOffsetException(topic));
            return;
        }
        troubles.published(task.letter().record().coordinates());
        task.answer().complete(new PublishedAt(metadata.topic(), metadata.partition(), metadata.offset()));
    }

    private void failed(
            PublishTask task, String topic, @Nullable Producer<byte[], byte[]> producer, Throwable failure) {
        Optional<DiagnosticSize> smaller =
                PublishFailures.isTooLarge(failure) ? task.size().smaller() : Optional.empty();
        if (smaller.isPresent()) {
            submit(task.with(smaller.get()));
            return;
        }
        if (producer != null) {
            producers.failed(producer, failure);
        }
        String text = PublishFailures.explain(task.letter(), topic, failure);
        troubles.failed(task.letter().record().coordinates(), text);
        boolean loud = !thread.isStopped() && logged.allows(topic);
        LOG.atLevel(loud ? Level.WARN : Level.DEBUG)
                .setCause(failure)
                .addKeyValue(EventNames.KEY, EventNames.DEAD_LETTER_UNPUBLISHED)
                .addKeyValue("record", task.letter().record().coordinates())
                .addKeyValue("topic", topic)
                .log(text);
        task.answer().completeExceptionally(failure);
    }

    /** A topic whose metadata could not be had. */
    private record Unreachable(long sinceNanos, RuntimeException failure) {}
}
