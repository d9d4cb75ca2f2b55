package dev.onceward.testsupport;

import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** The properties of a small single-node broker, which is its own controller. */
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

    static Map<String, String> of(KafkaOptions options, Path directory, int port, int controllerPort) {
        Map<String, String> settings = tuned(options);
        settings.put("process.roles", "broker,controller");
        settings.put("node.id", "1");
        settings.put("log.dirs", directory.resolve("data").toString());
        settings.put("listeners", "CLIENTS://" + HOST + ":" + port + ",CONTROLLER://" + HOST + ":" + controllerPort);
        settings.put("advertised.listeners", "CLIENTS://" + HOST + ":" + port);
        settings.put("listener.security.protocol.map", "CLIENTS:PLAINTEXT,CONTROLLER:PLAINTEXT");
        settings.put("inter.broker.listener.name", "CLIENTS");
        settings.put("controller.listener.names", "CONTROLLER");
        settings.put("controller.quorum.voters", "1@" + HOST + ":" + controllerPort);
        return settings;
    }
}
