package dev.onceward.metrics;

import dev.onceward.catalog.MeterNames;
import dev.onceward.catalog.MeterNames.Tag;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.DoubleSupplier;

/** Registers meters as the catalogue names them, and remembers which, so that closing leaves none behind. */
final class Registrar implements AutoCloseable {
    private final String consumer;
    private final Set<Meter> registered = new HashSet<>(); // guarded by this
    private MeterRegistry registry; // guarded by this

    Registrar(MeterRegistry registry, String consumer) {
        this.registry = registry;
        this.consumer = consumer;
    }

    synchronized Counter counter(MeterNames name, String... tagValues) {
        return remember(Counter.builder(name.meter())
                .description(name.description())
                .baseUnit(name.unit())
                .tags(tags(name, tagValues))
                .register(registry));
    }

    synchronized Timer timer(MeterNames name, String... tagValues) {
        return remember(Timer.builder(name.meter())
                .description(name.description())
                .tags(tags(name, tagValues))
                .register(registry));
    }

    synchronized DistributionSummary summary(MeterNames name, String... tagValues) {
        return remember(DistributionSummary.builder(name.meter())
                .description(name.description())
                .baseUnit(name.unit())
                .tags(tags(name, tagValues))
                .register(registry));
    }

    /** Read at each scrape; held strongly, since nobody else may keep what it reads. */
    synchronized Gauge gauge(MeterNames name, DoubleSupplier value, String... tagValues) {
        return remember(Gauge.builder(name.meter(), value, DoubleSupplier::getAsDouble)
                .strongReference(true)
                .description(name.description())
                .baseUnit(name.unit().isEmpty() ? null : name.unit())
                .tags(tags(name, tagValues))
                .register(registry));
    }

    synchronized void remove(Meter meter) {
        registered.remove(meter);
        registry.remove(meter);
    }

    /** Afterwards everything is registered nowhere: a late event of a lane must not bring a series back. */
    @Override
    public synchronized void close() {
        registered.forEach(registry::remove);
        registered.clear();
        registry = new CompositeMeterRegistry();
    }

    private <M extends Meter> M remember(M meter) {
        registered.add(meter);
        return meter;
    }

    private Tags tags(MeterNames name, String... values) {
        List<Tag> keys = name.tags();
        if (keys.size() != values.length + 1) {
            throw new IllegalArgumentException(name + " has the tags " + keys);
        }
        Tags tags = Tags.of(Tag.CONSUMER.key(), consumer);
        for (int i = 0; i < values.length; i++) {
            tags = tags.and(keys.get(i + 1).key(), values[i]);
        }
        return tags;
    }
}
