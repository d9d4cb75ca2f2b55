package dev.onceward.deadletter;

import dev.onceward.config.ConfigurationException;
import dev.onceward.config.ConsumerSettings;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.internals.Topic;

/**
 * The topics a consumer needs.
 *
 * @param sources what it reads
 * @param deadLetters from dead-letter topic to the source topics whose records it takes
 * @param replay where dead letters come back
 * @param unroutable the dead-letter topic of the replay topic itself: for records there that name no source
 */
record TopicPlan(Set<String> sources, Map<String, Set<String>> deadLetters, String replay, String unroutable) {

    static final String DEAD_LETTER_PATTERN = "onceward.dead-letters.topic-pattern";
    static final String REPLAY_PATTERN = "onceward.dead-letters.replay-topic-pattern";

    /**
     * By the settings' patterns.
     *
     * @throws ConfigurationException the patterns give names that cannot be used
     */
    static TopicPlan of(ConsumerSettings settings, Collection<String> sourceTopics) {
        Set<String> sources = new TreeSet<>(sourceTopics);
        ConsumerSettings.DeadLetterTopics names = settings.deadLetters();
        Map<String, Set<String>> deadLetters = new TreeMap<>();
        for (String source : sources) {
            deadLetters
                    .computeIfAbsent(names.deadLetterTopic(settings.consumer(), source), topic -> new TreeSet<>())
                    .add(source);
        }
        String replay = names.replayTopic(settings.consumer());
        TopicPlan plan =
                new TopicPlan(sources, deadLetters, replay, names.deadLetterTopic(settings.consumer(), replay));
        List<String> problems = plan.problems();
        if (!problems.isEmpty()) {
            throw new ConfigurationException(problems);
        }
        return plan;
    }

    /** All of them, each once. */
    Set<String> all() {
        Set<String> all = new TreeSet<>(sources);
        all.addAll(deadLetters.keySet());
        all.add(replay);
        all.add(unroutable);
        return all;
    }

    /** The source topics whose records may end up in a topic; all of them for the replay topic. */
    Set<String> sourcesOf(String topic) {
        return deadLetters.getOrDefault(topic, sources);
    }

    /** Whether a topic takes only what nobody should ever write: records of the replay topic that cannot be routed. */
    boolean isOnlyForUnroutable(String topic) {
        return topic.equals(unroutable) && !deadLetters.containsKey(topic);
    }

    /** What a topic is for, as a reader of an error knows it. */
    String role(String topic) {
        if (sources.contains(topic)) {
            return "source topic " + topic;
        }
        return (topic.equals(replay) ? "replay topic " : "dead-letter topic ") + topic;
    }

    private List<String> problems() {
        List<String> problems = new ArrayList<>();
        Stream.concat(deadLetters.keySet().stream(), Stream.of(unroutable))
                .distinct()
                .forEach(topic -> check(topic, DEAD_LETTER_PATTERN, problems));
        check(replay, REPLAY_PATTERN, problems);
        if (deadLetters.containsKey(replay) || unroutable.equals(replay)) {
            problems.add(REPLAY_PATTERN + ": gives " + replay
                    + ", which is a dead-letter topic too: every dead letter would be replayed at once; change one of"
                    + " the two patterns");
        }
        return problems;
    }

    private void check(String topic, String setting, List<String> problems) {
        try {
            Topic.validate(topic);
        } catch (InvalidTopicException e) {
            problems.add(setting + ": gives no legal topic name: " + e.getMessage());
        }
        if (sources.contains(topic)) {
            problems.add(setting + ": gives " + topic
                    + ", which is a source topic: its messages would go round for ever; change the pattern");
        }
    }
}
