package dev.onceward.testsupport;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The properties of small brokers that are their own controllers. */
final class KafkaNodeSettings {

    static final String HOST = "127.0.0.1";

    /** What a test may replace. */
    private static final Map<String, String> DEFAULTS = Map.ofEntries(
            Map.entry("auto.create.topics.enable", "false"),
            Map.entry("num.network.threads", "2"),
            Map.entry("num.io.threads", "4"),
            Map.entry("background.threads", "2"),
            Map.entry("num.recovery.threads.per.data.dir", "1"),
            Map.entry("log.cleaner.threads", "1"),
            // By default each broker takes 128 MiB of heap for this.
            Map.entry("log.cleaner.dedupe.buffer.size", "2097152"),
            Map.entry("log.retention.check.interval.ms", "1000"),
            Map.entry("log.segment.delete.delay.ms", "1000"),
            Map.entry("offsets.topic.num.partitions", "3"),
            Map.entry("offsets.topic.replication.factor", "1"),
            Map.entry("transaction.state.log.num.partitions", "3"),
            Map.entry("transaction.state.log.replication.factor", "1"),
            Map.entry("transaction.state.log.min.isr", "1"),
            Map.entry("share.coordinator.state.topic.num.partitions", "3"),
            Map.entry("share.coordinator.state.topic.replication.factor", "1"),
            Map.entry("share.coordinator.state.topic.min.isr", "1"),
            Map.entry("group.coordinator.threads", "1"),
            Map.entry("group.initial.rebalance.delay.ms", "0"),
            Map.entry("group.min.session.timeout.ms", "1000"),
            Map.entry("group.consumer.min.session.timeout.ms", "1000"),
            Map.entry("group.consumer.session.timeout.ms", "10000"),
            Map.entry("group.consumer.min.heartbeat.interval.ms", "100"),
            Map.entry("group.consumer.heartbeat.interval.ms", "500"),
            Map.entry("group.consumer.min.assignment.interval.ms", "0"),
            Map.entry("group.consumer.assignment.interval.ms", "0"));

    private KafkaNodeSettings() {}

    /** What does not depend on where the broker runs. */
    static Map<String, String> tuned(KafkaOptions options) {
        Map<String, String> settings = new TreeMap<>(DEFAULTS);
        settings.putAll(options.settings());
        return settings;
    }

    /** The only broker of its cluster. */
    static Map<String, String> of(KafkaOptions options, Path directory, int port, int controllerPort) {
        return of(options, directory, port, port, controllerPort);
    }

    /** The same, to which clients come by way of another port. */
    static Map<String, String> of(KafkaOptions options, Path directory, int port, int advertised, int controllerPort) {
        Map<String, String> settings = member(options, directory, 1, List.of(controllerPort));
        settings.put("listeners", listener("CLIENTS", port) + "," + listener("CONTROLLER", controllerPort));
        settings.put("advertised.listeners", listener("CLIENTS", advertised));
        settings.put("listener.security.protocol.map", "CLIENTS:PLAINTEXT,CONTROLLER:PLAINTEXT");
        settings.put("inter.broker.listener.name", "CLIENTS");
        return settings;
    }

    /**
     * One of several brokers, which talk to each other apart from the clients.
     *
     * @param number from 0
     * @param all all of them, in order
     */
    static Map<String, String> of(KafkaOptions options, Path directory, int number, List<Ports> all) {
        Ports ports = all.get(number);
        Map<String, String> settings = member(
                options,
                directory,
                number + 1,
                all.stream().map(Ports::controllers).toList());
        settings.put(
                "listeners",
                String.join(
                        ",",
                        listener("CLIENTS", ports.clients()),
                        listener("BROKERS", ports.brokers()),
                        listener("CONTROLLER", ports.controllers())));
        settings.put(
                "advertised.listeners",
                listener("CLIENTS", ports.advertised()) + "," + listener("BROKERS", ports.brokers()));
        settings.put("listener.security.protocol.map", "CLIENTS:PLAINTEXT,BROKERS:PLAINTEXT,CONTROLLER:PLAINTEXT");
        settings.put("inter.broker.listener.name", "BROKERS");
        return settings;
    }

    private static Map<String, String> member(
            KafkaOptions options, Path directory, int id, List<Integer> controllerPorts) {
        Map<String, String> settings = tuned(options);
        settings.put("process.roles", "broker,controller");
        settings.put("node.id", String.valueOf(id));
        settings.put("log.dirs", directory.resolve("data").toString());
        settings.put("controller.listener.names", "CONTROLLER");
        List<String> voters = new ArrayList<>();
        for (int voter = 0; voter < controllerPorts.size(); voter++) {
            voters.add((voter + 1) + "@" + HOST + ":" + controllerPorts.get(voter));
        }
        settings.put("controller.quorum.voters", String.join(",", voters));
        return settings;
    }

    private static String listener(String name, int port) {
        return name + "://" + HOST + ":" + port;
    }

    /**
     * Where a broker listens.
     *
     * @param clients for clients
     * @param advertised where clients are told to connect to: a proxy before it, or the same
     * @param brokers for the other brokers
     * @param controllers for the controllers' quorum
     */
    record Ports(int clients, int advertised, int brokers, int controllers) {}
}
