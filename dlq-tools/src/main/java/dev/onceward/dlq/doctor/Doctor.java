package dev.onceward.dlq.doctor;

import dev.onceward.dlq.connect.CannotConnectException;
import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.topic.TopicFacts;
import dev.onceward.dlq.workers.WorkerList;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/** Looks at everything around the consumers, changes nothing, and goes on where something is wrong. For one thread. */
public final class Doctor {
    /** What the command reads. */
    private static final List<String> TABLES = List.of(
            "consumers",
            "consumer_workers",
            "dead_letters",
            "dlq_actions",
            "message_attempts",
            "onceward_schema_history",
            "partition_generations",
            "processed_messages");

    private final Connections connections;
    private final String deadLetterPattern;
    private final Optional<Duration> claimsRetention;

    /**
     * @param deadLetterPattern the workers' own
     * @param claimsRetention how long they keep claims, if somebody said
     */
    public Doctor(Connections connections, String deadLetterPattern, Optional<Duration> claimsRetention) {
        this.connections = connections;
        this.deadLetterPattern = deadLetterPattern;
        this.claimsRetention = claimsRetention;
    }

    /**
     * What it found.
     *
     * @throws dev.onceward.dlq.exit.UsageException there is no consumer of the name given, but there are others
     */
    public List<Finding> run() throws SQLException {
        List<Finding> findings = new ArrayList<>();
        List<ConsumerTopics> consumers = database(findings);
        kafka(consumers, findings);
        return findings;
    }

    private List<ConsumerTopics> database(List<Finding> findings) throws SQLException {
        try {
            // First, and over a connection that looks at no table: without its rights all else would fail.
            DatabaseRights rights = DatabaseRights.read(connections, TABLES);
            if (!rights.canRead()) {
                findings.addAll(rights.findings());
                return List.of();
            }
            connections.database();
            new WorkerList(connections).checkConsumer();
            findings.addAll(rights.findings());
        } catch (CannotConnectException e) {
            findings.add(
                    Finding.problem("database", String.valueOf(e.getMessage()), "nothing else could be looked at"));
            return List.of();
        }
        findings.addAll(0, new DatabaseChecks(connections).run());
        List<ConsumerTopics> consumers = ConsumerTopics.read(connections, deadLetterPattern);
        if (consumers.isEmpty()) {
            findings.add(Finding.unknown(
                    "consumers",
                    "no worker"
                            + connections
                                    .consumer()
                                    .map(name -> " of a consumer " + name)
                                    .orElse("") + " has ever started with this database and schema",
                    "look at --db-url, --schema and --consumer"));
        }
        return consumers;
    }

    private void kafka(List<ConsumerTopics> consumers, List<Finding> findings) {
        try {
            connections.admin();
            findings.add(Finding.ok("kafka", connections.kafkaAddress()));
            Map<ConsumerTopics, Map<String, TopicFacts>> all = new LinkedHashMap<>();
            for (ConsumerTopics consumer : consumers) {
                TreeSet<String> names = new TreeSet<>(consumer.deadLetters().keySet());
                names.addAll(consumer.deadLetters().values());
                names.add(consumer.replay());
                names.add(consumer.replayDeadLetters());
                Map<String, TopicFacts> facts = TopicFacts.read(connections, names);
                findings.addAll(new TopicChecks(consumer, facts, claimsRetention).run());
                all.put(consumer, facts);
            }
            findings.addAll(new KafkaRights(connections).run(all));
        } catch (CannotConnectException e) {
            findings.add(Finding.problem("kafka", String.valueOf(e.getMessage()), "its topics could not be looked at"));
        }
    }
}
