package dev.onceward.guarantees;

import dev.onceward.catalog.MeterNames;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

/** What the meters of one runtime show. */
final class Readings {
    final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    /** Sum of a counter over all its series; 0 if it never counted. */
    double total(MeterNames name) {
        return registry.find(name.meter()).counters().stream()
                .mapToDouble(Counter::count)
                .sum();
    }

    /** Sum of a counter over the series that have this tag value. */
    double total(MeterNames name, MeterNames.Tag tag, String value) {
        return registry.find(name.meter()).tag(tag.key(), value).counters().stream()
                .mapToDouble(Counter::count)
                .sum();
    }

    /** A gauge of the worker. */
    double gauge(MeterNames name) {
        return registry.get(name.meter()).gauges().stream()
                .mapToDouble(Gauge::value)
                .sum();
    }
}
