package dev.onceward.guarantees;

import dev.onceward.catalog.MeterNames;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Statistic;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Collection;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.StreamSupport;

/** A registry of its own for one runtime, and what a scrape of it shows. */
final class Scrape {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    SimpleMeterRegistry registry() {
        return registry;
    }

    /** All series of a meter that have these tags (key, value, …) added up; 0 if there is none. */
    double sum(MeterNames meter, String... tags) {
        return series(meter, tags).stream().mapToDouble(Scrape::value).sum();
    }

    /** The value of the only series; empty if there is none. */
    OptionalDouble value(MeterNames meter, String... tags) {
        Collection<Meter> series = series(meter, tags);
        if (series.size() > 1) {
            throw new AssertionError(meter + " has several series: " + series);
        }
        return series.stream().mapToDouble(Scrape::value).findFirst();
    }

    Collection<Meter> series(MeterNames meter, String... tags) {
        return registry.find(meter.meter()).tags(tags).meters();
    }

    List<Meter> all() {
        return registry.getMeters();
    }

    private static double value(Meter meter) {
        return StreamSupport.stream(meter.measure().spliterator(), false)
                .filter(measurement ->
                        measurement.getStatistic() == Statistic.VALUE || measurement.getStatistic() == Statistic.COUNT)
                .findFirst()
                .orElseThrow()
                .getValue();
    }
}
