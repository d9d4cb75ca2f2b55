package dev.onceward.engine;

import dev.onceward.config.ConsumerSettings;
import dev.onceward.effect.GroupLimits;
import dev.onceward.effect.HandlerEffect;
import dev.onceward.effect.Handling;
import dev.onceward.engine.Choices.Of;
import dev.onceward.message.RecordDecoder;
import dev.onceward.metrics.RuntimeMeters;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jdbi.v3.core.Jdbi;

/** The servers, the workers, and what happens to them. */
final class World implements Runnable {
    private static final Jdbi JDBI = HandlerEffect.newJdbi();
    private static final long LONGEST_END = Duration.ofMinutes(10).toNanos();
    private static final Duration SHUTDOWN = Duration.ofSeconds(10);

    private final Simulation simulation;
    private final Scenario scenario;
    private final Bug bug;
    private final Verdicts verdicts;
    private final SimDatabase database;
    private final SimBroker broker;
    private final ConsumerSettings settings;
    private final Map<String, Route> routes;
    private final List<SimWorker> workers = new ArrayList<>();
    private final long beginning;

    World(Simulation simulation, Scenario scenario, Bug bug) {
        this.simulation = simulation;
        this.scenario = scenario;
        this.bug = bug;
        this.beginning = simulation.now();
        this.verdicts = new Verdicts(simulation, scenario.partitionMessages() - 1 + scenario.maxPollRecords());
        this.database = new SimDatabase(simulation, verdicts, bug);
        verdicts.of(database);
        this.broker = new SimBroker(simulation, verdicts, scenario.eager());
        this.settings = SimSettings.of(scenario.lanes(), scenario.groupSize(), scenario.partitionMessages());
        SimHandler handler = new SimHandler(simulation, verdicts);
        RecordDecoder decoder = new RecordDecoder(
                SimSettings.CONSUMER,
                (record, topic) -> new String(
                        record.headers().lastHeader("message-id").value(), java.nio.charset.StandardCharsets.UTF_8),
                StringDeserializer::new,
                StringDeserializer::new);
        this.routes = Map.of(SimSettings.TOPIC, new Route(SimSettings.TOPIC, decoder, new Handling.Single(handler)));
        for (int i = 0; i < scenario.partitions(); i++) {
            TopicPartition partition = new TopicPartition(SimSettings.TOPIC, i);
            broker.logs.put(partition, new ArrayList<>());
            broker.ends.put(partition, 0L);
        }
    }

    @Override
    public void run() {
        for (Scenario.Arrival arrival : scenario.arrivals()) {
            simulation.at(beginning + arrival.atNanos(), () -> {
                verdicts.known(arrival.record());
                broker.append(arrival.record());
            });
        }
        for (int i = 0; i < scenario.workers(); i++) {
            startWorker();
        }
        for (Scenario.Fault fault : scenario.faults()) {
            while (simulation.await("the next fault", this::someFailed, beginning + fault.atNanos())) {
                replaceFailed();
            }
            happens(fault);
        }
        simulation.await(
                "what is still to come",
                () -> false,
                beginning + Duration.ofSeconds(8).toNanos());
        calmDown();
        long deadline = simulation.now() + LONGEST_END;
        while (!verdicts.allFinished()) {
            boolean news = simulation.await("the end", () -> someFailed() || verdicts.allFinished(), deadline);
            if (!news) {
                verdicts.end(broker.ends, broker.ends);
            }
            replaceFailed();
        }
        simulation.await("the last commits", () -> broker.committed.equals(broker.ends), deadline);
        replaceFailed();
        for (SimWorker worker : workers) {
            if (!worker.dead && !worker.stopping) {
                stopNow(worker);
            }
        }
        verdicts.end(broker.ends, broker.committed);
    }

    private void calmDown() {
        simulation.tell(() -> "nothing goes wrong any more");
        simulation.calm = true;
        database.outage(0);
        for (SimWorker worker : workers) {
            worker.frozenUntil = 0;
            worker.withoutDatabaseUntil = 0;
            worker.withoutKafkaUntil = 0;
            worker.withoutPublisherUntil = 0;
        }
        replaceFailed();
        if (workers.stream().noneMatch(worker -> !worker.dead && !worker.stopping)) {
            startWorker();
        }
    }

    // ---- workers ----

    private boolean someFailed() {
        return workers.stream().anyMatch(World::failed);
    }

    private static boolean failed(SimWorker worker) {
        return !worker.dead && !worker.stopping && !worker.lifecycle.is(WorkerState.RUNNING) && worker.frozenUntil == 0;
    }

    private void replaceFailed() {
        for (SimWorker worker : List.copyOf(workers)) {
            if (failed(worker)) {
                simulation.tell(() -> worker.name + " failed: " + worker.lifecycle.failure());
                stopInItsOwnTime(worker);
                startWorker();
            }
        }
    }

    private void startWorker() {
        SimWorker worker = new SimWorker("w" + (workers.size() + 1));
        workers.add(worker);
        SimMachine machine = new SimMachine(simulation, worker);
        Lifecycle lifecycle = new Lifecycle();
        Random random = new Random(workers.size());
        EngineParts parts = new EngineParts(
                settings,
                routes,
                null,
                new RuntimeMeters(new SimpleMeterRegistry(), SimSettings.CONSUMER),
                lifecycle,
                JDBI,
                new SimClock(simulation),
                random,
                worker.name,
                "host",
                "simulated");
        GroupLimits limits = parts.limits();
        MetadataUpdates metadata = new MetadataUpdates();
        Outside outside = new Outside(
                machine,
                new SimConsumer(simulation, broker, worker, verdicts, scenario.maxPollRecords(), metadata, bug).proxy(),
                metadata,
                new SimCluster(simulation, broker, worker),
                new SimPublisher(simulation, worker, verdicts, bug),
                new SimOwnerships(database, worker),
                new SimRecords(database, worker),
                watch -> new SimTransaction(database, worker, limits, watch),
                new SimPresence(database, worker),
                pid -> {
                    database.probe(worker);
                    SimDatabase.Tx session = database.session(pid);
                    if (session != null) {
                        database.kill(session);
                    }
                },
                () -> database.probe(worker),
                () -> {});
        simulation.tell(() -> worker.name + " starts");
        worker.lifecycle = lifecycle;
        worker.engine = new Engine(parts, outside);
        lifecycle.to(WorkerState.STARTING);
        worker.engine.start();
    }

    private void stopInItsOwnTime(SimWorker worker) {
        worker.stopping = true;
        simulation.thread(worker, worker.name + "-stop", () -> stopNow(worker)).start();
    }

    private void stopNow(SimWorker worker) {
        worker.stopping = true;
        simulation.tell(() -> worker.name + " stops");
        worker.engine.stop(SHUTDOWN);
        worker.stopped = true;
        simulation.tell(() -> worker.name + " has stopped");
    }

    // ---- faults ----

    private void happens(Scenario.Fault fault) {
        SimWorker worker = workers.get(workers.size() - 1 - fault.worker() % workers.size());
        long until = simulation.now() + fault.nanos();
        simulation.tell(() -> "FAULT " + fault.kind() + " of " + worker.name + " for " + fault.nanos() / 1e9 + " s");
        switch (fault.kind()) {
            case REBALANCE -> broker.rebalance();
            case FREEZE -> worker.frozenUntil = until;
            case STOP -> {
                if (!worker.dead && !worker.stopping) {
                    stopInItsOwnTime(worker);
                    startWorker();
                }
            }
            case CRASH -> {
                if (!worker.dead) {
                    worker.dead = true;
                    database.died(worker, simulation.choices.oneIn(Of.FAULT, 2));
                    startWorker();
                }
            }
            case JOIN -> {
                if (workers.stream().filter(SimWorker::lives).count() < 4) {
                    startWorker();
                }
            }
            case SESSIONS_ENDED -> database.killAll();
            case DATABASE_OUTAGE -> database.outage(until);
            case NO_WAY_TO_DATABASE -> worker.withoutDatabaseUntil = until;
            case NO_WAY_TO_KAFKA -> worker.withoutKafkaUntil = until;
            case NO_PUBLISHING -> worker.withoutPublisherUntil = until;
        }
    }

    /** The wall's clock goes with the time of the simulation. */
    private static final class SimClock extends Clock {
        private final Simulation simulation;

        SimClock(Simulation simulation) {
            this.simulation = simulation;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return Instant.EPOCH.plusNanos(simulation.now());
        }
    }
}
