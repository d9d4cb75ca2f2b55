package dev.onceward.engine;

import dev.onceward.metrics.RuntimeMeters;
import java.util.List;

/** The worker's own gauges, evaluated at each scrape. */
record EngineGauges(Backpressure backpressure, List<Lane> lanes, Heartbeat heartbeat, Gate gate, Lifecycle lifecycle)
        implements RuntimeMeters.WorkerGauges {

    @Override
    public double inFlightMessages() {
        return backpressure.messages();
    }

    @Override
    public double inFlightBytes() {
        return backpressure.bytes();
    }

    @Override
    public double pausedPartitions() {
        return backpressure.pausedPartitions();
    }

    @Override
    public double heldKeys() {
        return lanes.stream().mapToInt(Lane::heldKeys).sum();
    }

    @Override
    public double busyLanes() {
        return lanes.stream().filter(Lane::busy).count();
    }

    @Override
    public double heartbeatAgeSeconds() {
        return heartbeat.ageSeconds();
    }

    @Override
    public double outage() {
        // Where the heartbeat notices first, the lanes stop before any of them meets the outage.
        return gate.outage().isEmpty() && !heartbeat.expired() ? 0 : 1;
    }

    @Override
    public double state() {
        return lifecycle.state().number();
    }
}
