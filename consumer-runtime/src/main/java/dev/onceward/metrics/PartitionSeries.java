package dev.onceward.metrics;

import dev.onceward.catalog.MeterNames;
import dev.onceward.metrics.RuntimeMeters.PartitionGauges;
import io.micrometer.core.instrument.Meter;
import java.util.List;

/**
 * The gauges of one partition. They read through this object: a registry answers a second registration of the same name
 * and tags with the first meter, which would go on showing an owner that is gone.
 */
final class PartitionSeries {
    private final Registrar registrar;
    private final List<Meter> meters;
    private volatile PartitionGauges gauges;

    PartitionSeries(Registrar registrar, String topic, int partition, PartitionGauges gauges) {
        this.registrar = registrar;
        this.gauges = gauges;
        String number = String.valueOf(partition);
        this.meters = List.of(
                registrar.gauge(MeterNames.OLDEST_MESSAGE_AGE, this::oldestAgeSeconds, topic, number),
                registrar.gauge(MeterNames.LAG, this::lag, topic, number),
                registrar.gauge(MeterNames.PARTITION_IN_FLIGHT, this::inFlight, topic, number));
    }

    void show(PartitionGauges newest) {
        gauges = newest;
    }

    void remove() {
        meters.forEach(registrar::remove);
    }

    private double oldestAgeSeconds() {
        double age = gauges.oldestAgeSeconds();
        return age < 0 ? 0 : age; // not Math.max: an unknown age stays NaN
    }

    private double lag() {
        return gauges.lag();
    }

    private double inFlight() {
        return gauges.inFlight();
    }
}
