package dev.onceward.runtime;

import dev.onceward.config.ConsumerSettings;
import dev.onceward.engine.WorkerHandle;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A running consumer: each message's effect exactly once.
 *
 * <pre>{@code
 * ConsumerRuntime runtime = ConsumerRuntime.named("billing")
 *         .bootstrapServers("localhost:9092")
 *         .database("jdbc:postgresql://localhost/ledger", "billing", password)
 *         .handle("payments", new StringDeserializer(), new PaymentDeserializer(), (payment, effect) ->
 *                 effect.update("UPDATE accounts SET balance = balance + ? WHERE id = ?",
 *                         payment.value().amount(), payment.value().account()))
 *         .start();
 * Runtime.getRuntime().addShutdownHook(new Thread(runtime::close));
 * }</pre>
 *
 * <p>Its threads are daemons: a service whose main thread has nothing else to do waits with {@link #awaitStopped}.
 *
 * <p>Thread-safe. Made by {@link #named}.
 */
public final class ConsumerRuntime implements AutoCloseable {
    private final WorkerHandle worker;
    private final OwnedPool pool;
    private final String workerId;
    private final Duration shutdownLimit;
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CountDownLatch closed = new CountDownLatch(1);

    ConsumerRuntime(WorkerHandle worker, OwnedPool pool, String workerId, Duration shutdownLimit) {
        this.worker = worker;
        this.pool = pool;
        this.workerId = workerId;
        this.shutdownLimit = shutdownLimit;
    }

    /**
     * Begins to build a runtime.
     *
     * @param consumer logical name of the consumer, 1 to 100 characters of {@code [A-Za-z0-9._-]}: the namespace of
     *     deduplication, and by default the Kafka group id
     */
    public static ConsumerRuntimeBuilder named(String consumer) {
        return new ConsumerRuntimeBuilder(consumer);
    }

    /**
     * Begins to build a runtime from settings read elsewhere, by {@link dev.onceward.config.SettingsReader} say. The
     * builder's methods change them.
     */
    public static ConsumerRuntimeBuilder with(ConsumerSettings settings) {
        return new ConsumerRuntimeBuilder(settings);
    }

    void start() throws InterruptedException {
        worker.start();
    }

    /** Random for each runtime unless given; stands in logs, heartbeats and dead letters. */
    public String workerId() {
        return workerId;
    }

    /** Where it stands in its life. */
    public RuntimeState state() {
        return RuntimeState.valueOf(worker.state().name());
    }

    /** How it is; asks neither the database nor the broker, so it may be called at any rate. */
    public Health health() {
        RuntimeState state = state();
        var troubles = worker.troubles();
        return new Health(worker.live(), state == RuntimeState.RUNNING && troubles.isEmpty(), troubles);
    }

    /**
     * Handlers run no more until {@link #resume}; what runs ends. The worker keeps its partitions, and the age of the
     * oldest message grows.
     */
    public void pause() {
        worker.pause(true);
    }

    /** Goes on after {@link #pause}. */
    public void resume() {
        worker.pause(false);
    }

    /**
     * Waits until it has stopped or failed.
     *
     * @return false if it still runs after {@code patience}
     */
    public boolean awaitStopped(Duration patience) throws InterruptedException {
        return worker.awaitEnd(patience);
    }

    /**
     * Drains what runs, commits, gives its partitions back and leaves the group, within {@code limits.shutdown}. What
     * has not run stays in Kafka. Called again, also by another thread (a shutdown hook, say), it does nothing but wait
     * until the first call has ended, at most {@code limits.shutdown}; an interrupt ends that wait.
     */
    @Override
    public void close() {
        if (!closing.compareAndSet(false, true)) {
            awaitClosed();
            return;
        }
        try (pool) {
            worker.stop(shutdownLimit);
        } finally {
            closed.countDown();
        }
    }

    private void awaitClosed() {
        try {
            boolean unused = closed.await(shutdownLimit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
