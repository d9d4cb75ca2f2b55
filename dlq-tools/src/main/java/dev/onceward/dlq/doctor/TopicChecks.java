package dev.onceward.dlq.doctor;

import dev.onceward.dlq.output.People;
import dev.onceward.dlq.topic.TopicFacts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Judges the topics of one consumer. Pure. */
final class TopicChecks {
    private final ConsumerTopics topics;
    private final Map<String, TopicFacts> facts;
    private final Optional<Duration> claims;
    private final List<Finding> findings = new ArrayList<>();

    /**
     * @param facts of the topics that exist
     * @param given how long claims are kept, if somebody said
     */
    TopicChecks(ConsumerTopics topics, Map<String, TopicFacts> facts, Optional<Duration> given) {
        this.topics = topics;
        this.facts = facts;
        this.claims = given.or(topics::claims);
    }

    List<Finding> run() {
        if (topics.deadLetters().isEmpty()) {
            return List.of(Finding.unknown(
                    "topics",
                    topics.consumer() + " has never had a partition: its topics are not known",
                    "start a worker, and look at its logs if that does not help"));
        }
        Map<String, String> roles = new LinkedHashMap<>();
        topics.deadLetters().forEach((source, deadLetters) -> {
            roles.put(source, "source topic");
            roles.put(deadLetters, "dead-letter topic");
        });
        roles.put(topics.replay(), "replay topic");
        // A replayed message that fails again and has nowhere to go would hold its key.
        roles.putIfAbsent(topics.replayDeadLetters(), "dead-letter topic of the replay topic");
        roles.forEach(this::exists);
        topics.deadLetters().forEach(this::suits);
        noCompaction(topics.replay());
        if (!topics.deadLetters().containsValue(topics.replayDeadLetters())) {
            suits(topics.replay(), topics.replayDeadLetters());
        }
        roles.forEach(this::retention);
        if (findings.isEmpty() && facts.values().stream().noneMatch(TopicFacts::hidden)) {
            findings.add(Finding.ok(
                    "topics", People.count(roles.size(), "topic") + " of " + topics.consumer() + " as they should be"));
        }
        if (claims.isEmpty()) {
            findings.add(Finding.unknown(
                    "retention",
                    "how long " + topics.consumer() + " keeps claims is not known: none has been pruned yet",
                    "give --claims-retention with the value of onceward.retention.claims"));
        }
        return findings;
    }

    private void exists(String topic, String role) {
        TopicFacts known = facts.get(topic);
        if (known == null) {
            findings.add(Finding.problem(
                    "topics",
                    "the " + role + " " + topic + " of " + topics.consumer() + " does not exist",
                    "create it: kafka-topics.sh --create --topic " + topic
                            + (role.startsWith("dead")
                                    ? "; or give --dead-letter-pattern if its name is another"
                                    : "")));
            return;
        }
        if (known.hidden()) {
            return; // what is missing, the check of rights says
        }
        if (known.leaderless() > 0) {
            findings.add(Finding.problem(
                    "partitions",
                    People.count(known.leaderless(), "partition") + " of " + topic + " without a leader",
                    "look at the brokers: nothing can be read or written there"));
        }
        if (known.settings().isEmpty()) {
            findings.add(Finding.unknown(
                    "topics",
                    "the settings of " + topic + " may not be seen",
                    "grant DescribeConfigs on it to the user of --command-config"));
        }
    }

    private void suits(String source, String deadLetters) {
        noCompaction(deadLetters);
        TopicFacts from = facts.get(source);
        TopicFacts to = facts.get(deadLetters);
        if (from == null || to == null) {
            return;
        }
        int largest = from.maxMessageBytes().orElse(0);
        if (to.maxMessageBytes().orElse(Integer.MAX_VALUE) < largest) {
            findings.add(Finding.problem(
                    "topics",
                    deadLetters + " takes smaller records than " + source
                            + ": a large one that fails would hold its key for ever",
                    "set its max.message.bytes to " + largest + " and some room for headers"));
        }
    }

    private void noCompaction(String topic) {
        TopicFacts known = facts.get(topic);
        if (known != null && known.compacted()) {
            findings.add(Finding.problem(
                    "topics",
                    topic + " is compacted: it refuses records without a key, and drops older ones of the same key",
                    "set its cleanup.policy=delete"));
        }
    }

    private void retention(String topic, String role) {
        TopicFacts known = facts.get(topic);
        if (known == null || known.settings().isEmpty() || claims.isEmpty()) {
            return;
        }
        Optional<Duration> kept = known.retention();
        if (kept.isEmpty() || kept.get().compareTo(claims.get()) >= 0) {
            findings.add(Finding.problem(
                    "retention",
                    "the " + role + " " + topic + " keeps records "
                            + kept.map(People::duration).orElse("without limit") + ", claims of " + topics.consumer()
                            + " are kept " + People.duration(claims.get())
                            + ": a record read after its claim is gone cannot be recognised as processed",
                    "raise onceward.retention.claims above it, or set retention.ms of the topic below"));
        }
    }
}
