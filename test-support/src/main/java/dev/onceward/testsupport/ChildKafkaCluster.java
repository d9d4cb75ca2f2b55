package dev.onceward.testsupport;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;

/**
 * Several Kafka brokers, each in a process of its own that can be killed, stopped, frozen and started again, as {@link
 * ChildKafka}. Each is a controller, too: while most of them are alive, leaders move away from the others. Internal topics
 * are on all of them, and a topic that is made without saying so, too; writes need all but one.
 */
public final class ChildKafkaCluster implements KafkaServer {
    private static final int PORT_ATTEMPTS = 3;

    private final List<ChildKafka> brokers;
    private final String bootstrapServers;

    private ChildKafkaCluster(List<ChildKafka> brokers, List<KafkaNodeSettings.Ports> ports) {
        this.brokers = List.copyOf(brokers);
        this.bootstrapServers = ports.stream()
                .map(port -> KafkaNodeSettings.HOST + ":" + port.advertised())
                .collect(Collectors.joining(","));
    }

    /** Starts brokers to which clients connect directly. */
    public static ChildKafkaCluster start(int brokers, KafkaOptions options) {
        return start(brokers, options, port -> port);
    }

    /**
     * Starts new, empty brokers and waits until they serve clients.
     *
     * @param brokers how many, at least 3: with fewer, none may be missing
     * @param advertised from the port on which a broker listens to the one that clients are told: that of a proxy, which
     *     may be started here. Brokers reach each other without it
     * @throws BackendException if they cannot be started; the message ends with a log
     */
    public static ChildKafkaCluster start(int brokers, KafkaOptions options, IntUnaryOperator advertised) {
        if (brokers < 3) {
            throw new IllegalArgumentException("A cluster has at least 3 brokers, not " + brokers);
        }
        KafkaOptions complete = ChildKafka.quicklyForgotten(replicated(brokers, options));
        for (int attempt = 1; ; attempt++) {
            try {
                return launch(complete, ports(brokers, advertised));
            } catch (BackendException e) {
                // Another JVM may have taken a port since it was found free.
                if (attempt == PORT_ATTEMPTS || !String.valueOf(e.getMessage()).contains("in use")) {
                    throw e;
                }
            }
        }
    }

    private static KafkaOptions replicated(int brokers, KafkaOptions options) {
        String all = String.valueOf(brokers);
        String allButOne = String.valueOf(brokers - 1);
        return KafkaOptions.defaults()
                .withHeapMegabytes(options.heapMegabytes())
                .with("default.replication.factor", all)
                .with("min.insync.replicas", allButOne)
                .with("offsets.topic.replication.factor", all)
                .with("transaction.state.log.replication.factor", all)
                .with("transaction.state.log.min.isr", allButOne)
                .with("share.coordinator.state.topic.replication.factor", all)
                .with("share.coordinator.state.topic.min.isr", allButOne)
                .with(options.settings());
    }

    private static List<KafkaNodeSettings.Ports> ports(int brokers, IntUnaryOperator advertised) {
        List<KafkaNodeSettings.Ports> ports = new ArrayList<>();
        for (int number = 0; number < brokers; number++) {
            int clients = FreePorts.next();
            ports.add(new KafkaNodeSettings.Ports(
                    clients, advertised.applyAsInt(clients), FreePorts.next(), FreePorts.next()));
        }
        return ports;
    }

    /** All at the same time: none is ready before most of them are there. */
    private static ChildKafkaCluster launch(KafkaOptions options, List<KafkaNodeSettings.Ports> ports) {
        String clusterId = KafkaNode.newClusterId();
        List<CompletableFuture<ChildKafka>> starting = new ArrayList<>();
        for (int number = 0; number < ports.size(); number++) {
            int broker = number;
            starting.add(
                    Backends.inBackground("kafka-" + (broker + 1), () -> launch(options, clusterId, broker, ports)));
        }
        List<ChildKafka> started = new ArrayList<>();
        try {
            starting.forEach(broker -> started.add(Backends.join(broker)));
            return new ChildKafkaCluster(started, ports);
        } catch (RuntimeException e) {
            for (var broker : starting) {
                var unused = broker.thenAccept(ChildKafka::close);
            }
            throw e;
        }
    }

    private static ChildKafka launch(
            KafkaOptions options, String clusterId, int number, List<KafkaNodeSettings.Ports> ports) {
        Path directory = WorkDirectory.create("kafka");
        try {
            KafkaNode.format(directory, KafkaNodeSettings.of(options, directory, number, ports), clusterId);
            return ChildKafka.start(directory, options, ports.get(number).clients());
        } catch (RuntimeException e) {
            WorkDirectory.delete(directory);
            throw e;
        }
    }

    @Override
    public String bootstrapServers() {
        return bootstrapServers;
    }

    /** The brokers, in order: the first has the node id 1. */
    public List<ChildKafka> brokers() {
        return brokers;
    }

    @Override
    public void close() {
        brokers.forEach(ChildKafka::close);
    }
}
