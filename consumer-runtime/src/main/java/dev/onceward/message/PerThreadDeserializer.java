package dev.onceward.message;

import dev.onceward.handler.UnavailableException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;

/**
 * One deserialiser for each thread that decodes. Kafka hands a deserialiser to one thread only, so many are written
 * with state, and none of them says so. Bound to the thread and not to the lane: a lane whose handler hangs gets a new
 * thread, while the old one may still be inside the old instance.
 */
final class PerThreadDeserializer implements AutoCloseable {
    private final String role;
    private final Supplier<? extends Deserializer<?>> supplier;
    private final AtomicReference<@Nullable Deserializer<?>> spare = new AtomicReference<>();
    private final ThreadLocal<Deserializer<?>> mine = ThreadLocal.withInitial(this::next);
    private final Set<Deserializer<?>> opened =
            Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));

    /** Makes the first instance at once: a supplier that cannot work shall fail the start, not the first record. */
    PerThreadDeserializer(String role, Supplier<? extends Deserializer<?>> supplier) {
        this.role = role;
        this.supplier = supplier;
        spare.set(open());
    }

    @Nullable
    Object deserialize(String topic, Headers headers, byte @Nullable [] data) {
        if (data == null) {
            // As KafkaConsumer does: deserialisers are not written for null.
            return null;
        }
        // A copy: ByteArrayDeserializer and its like hand on the array itself, and what a handler does to it must not
        // reach the dead-letter topic, where the payload arrives byte for byte.
        return mine.get().deserialize(topic, headers, data.clone());
    }

    /** Closes every instance once, also where the supplier always gives the same one. */
    @Override
    public void close() {
        RuntimeException failure = null;
        for (Deserializer<?> deserializer : opened.toArray(Deserializer<?>[]::new)) {
            try {
                deserializer.close();
            } catch (RuntimeException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        opened.clear();
        if (failure != null) {
            throw failure;
        }
    }

    private Deserializer<?> next() {
        Deserializer<?> first = spare.getAndSet(null);
        return first != null ? first : open();
    }

    private Deserializer<?> open() {
        try {
            Deserializer<?> deserializer = supplier.get();
            if (deserializer == null) {
                throw new IllegalStateException("the supplier returned null");
            }
            opened.add(deserializer);
            return deserializer;
        } catch (RuntimeException | LinkageError e) {
            // Not a word about the record that happens to be next.
            throw new UnavailableException("the " + role + " deserializer could not be made", e);
        }
    }
}
