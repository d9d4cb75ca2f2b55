package dev.onceward.deadletter;

import dev.onceward.catalog.EventNames;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A producer that is replaced once it became unusable: an idempotent producer that was fenced, not authorised or closed
 * fails everything it is given from then on.
 *
 * <p>{@link #get} belongs to the publisher's thread; {@link #failed} may be called by any.
 */
final class ReplaceableProducer {
    /** A broker that refuses every new producer must not be flooded with them. */
    static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final Logger LOG = LoggerFactory.getLogger(ReplaceableProducer.class);

    private final Supplier<Producer<byte[], byte[]>> supplier;
    private final LongSupplier nanoTime;
    private volatile @Nullable Producer<byte[], byte[]> current;
    private volatile @Nullable RuntimeException broken;
    private long createdNanos;

    ReplaceableProducer(Supplier<Producer<byte[], byte[]>> supplier, LongSupplier nanoTime) {
        this.supplier = supplier;
        this.nanoTime = nanoTime;
        this.createdNanos = nanoTime.getAsLong();
        this.current = supplier.get();
    }

    /**
     * A producer that may work.
     *
     * @throws RuntimeException why there is none now
     */
    Producer<byte[], byte[]> get() {
        Producer<byte[], byte[]> usable = current;
        RuntimeException cause = broken;
        if (usable != null && cause == null) {
            return usable;
        }
        long now = nanoTime.getAsLong();
        if (cause != null && now - createdNanos < PAUSE_NANOS) {
            throw cause;
        }
        return replace(usable, cause, now);
    }

    private Producer<byte[], byte[]> replace(
            @Nullable Producer<byte[], byte[]> old, @Nullable RuntimeException cause, long now) {
        if (old != null) {
            LOG.atWarn()
                    .setCause(cause)
                    .addKeyValue(EventNames.KEY, EventNames.PRODUCER_REPLACED)
                    .log("the producer of dead letters became unusable and is replaced");
            close(old, Duration.ZERO);
            current = null;
        }
        createdNanos = now;
        try {
            Producer<byte[], byte[]> fresh = supplier.get();
            broken = null;
            current = fresh;
            return fresh;
        } catch (RuntimeException e) {
            broken = e;
            throw e;
        }
    }

    /** Takes note of what a producer failed with; decides whether it can still be used. */
    void failed(Producer<byte[], byte[]> producer, Throwable failure) {
        // One that was replaced meanwhile reports what its closing aborted: that says nothing about the new one.
        if (producer == current && PublishFailures.breaksProducer(failure)) {
            broken = failure instanceof RuntimeException e ? e : new IllegalStateException(failure);
        }
    }

    /** It does not answer at all. */
    void suspect(Throwable failure) {
        broken = new IllegalStateException("the producer of dead letters does not answer", failure);
    }

    void close(Duration timeout) {
        Producer<byte[], byte[]> last = current;
        if (last != null) {
            close(last, timeout);
        }
    }

    private static void close(Producer<byte[], byte[]> producer, Duration timeout) {
        try {
            producer.close(timeout);
        } catch (RuntimeException e) {
            LOG.debug("closing the producer of dead letters failed", e);
        }
    }
}
