package dev.onceward.engine;

import java.time.Duration;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.jspecify.annotations.Nullable;

/**
 * Whether the broker still answers fetches. The consumer itself says nothing when it does not: it just has no records,
 * and a lag of 0 from the last answer. Told by the consumer's own count of answered fetches.
 */
final class FetchProgress {
    private static final long SILENCE_NANOS = Duration.ofSeconds(10).toNanos();

    private final Supplier<Map<MetricName, ? extends Metric>> metrics;
    private final LongSupplier nanoTime;
    private @Nullable Metric answered;
    private double count = -1;
    private long changedNanos;

    FetchProgress(Supplier<Map<MetricName, ? extends Metric>> metrics, LongSupplier nanoTime) {
        this.metrics = metrics;
        this.nanoTime = nanoTime;
        this.changedNanos = nanoTime.getAsLong();
    }

    /** Whether no fetch was answered for longer than an idle broker takes to answer. */
    boolean silent() {
        double now = count();
        if (now != count) {
            count = now;
            changedNanos = nanoTime.getAsLong();
        }
        return nanoTime.getAsLong() - changedNanos > SILENCE_NANOS;
    }

    /** How long ago the last answer was seen. */
    Duration silence() {
        return Duration.ofNanos(nanoTime.getAsLong() - changedNanos);
    }

    private double count() {
        Metric metric = answered;
        if (metric == null) {
            metric = find();
            answered = metric;
        }
        return metric != null && metric.metricValue() instanceof Double value ? value : -1;
    }

    private @Nullable Metric find() {
        for (Map.Entry<MetricName, ? extends Metric> entry : metrics.get().entrySet()) {
            MetricName name = entry.getKey();
            if (name.name().equals("fetch-total") && name.group().equals("consumer-fetch-manager-metrics")) {
                return entry.getValue();
            }
        }
        return null;
    }
}
