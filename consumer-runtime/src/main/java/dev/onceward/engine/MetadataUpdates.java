package dev.onceward.engine;

import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.ClusterResource;
import org.apache.kafka.common.ClusterResourceListener;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Counts how often the consumer was told anew what the cluster looks like: Kafka tells its deserialisers. Fetches name topics
 * by the ids that the last update gave, so as long as the count stays, records come from the same topics.
 */
final class MetadataUpdates extends ByteArrayDeserializer implements ClusterResourceListener {
    private final AtomicInteger count = new AtomicInteger();

    @Override
    public void onUpdate(ClusterResource cluster) {
        count.incrementAndGet();
    }

    int count() {
        return count.get();
    }
}
