package dev.onceward.config;

import dev.onceward.catalog.SettingKeys;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** The names of source, dead-letter and replay topics: legal, and none of them two things at once. */
final class TopicNameRules {
    private static final Pattern LEGAL = Pattern.compile("(?!\\.{1,2}$)[a-zA-Z0-9._-]{1,249}");
    private static final SettingKeys DEAD_LETTERS = SettingKeys.DEAD_LETTERS_TOPIC_PATTERN;
    private static final SettingKeys REPLAY = SettingKeys.DEAD_LETTERS_REPLAY_TOPIC_PATTERN;
    /** Stands for the topics while they are not known yet. */
    private static final String ANY_TOPIC = "t";

    private final ConsumerSettings settings;
    private final Problems problems;

    TopicNameRules(ConsumerSettings settings, Problems problems) {
        this.settings = settings;
        this.problems = problems;
    }

    void check(Set<String> topics) {
        boolean soundSources = checkSources(topics);
        if (!problems.sound(SettingKeys.CONSUMER, DEAD_LETTERS, REPLAY)) {
            return;
        }
        String replay = settings.deadLetters().replayTopic(settings.consumer());
        checkLegal(REPLAY, replay, "only {consumer} is replaced in it");
        if (topics.contains(replay)) {
            problems.add(REPLAY, "gives '" + replay + "', which is a source topic; change the pattern");
        }
        if (topics.size() > 1 && !settings.deadLetters().topicPattern().contains("{topic}")) {
            problems.add(
                    DEAD_LETTERS,
                    "'" + settings.deadLetters().topicPattern() + "' gives the same dead-letter topic for "
                            + topics.size() + " topics; add {topic}");
        }
        if (!soundSources) {
            return;
        }
        Set<String> sources = new TreeSet<>(topics.isEmpty() ? Set.of(ANY_TOPIC) : topics);
        // Records of the replay topic that name no source topic are dead-lettered too.
        sources.add(replay);
        for (String source : sources) {
            checkDeadLetterTopic(settings.deadLetters().deadLetterTopic(settings.consumer(), source), topics, replay);
        }
    }

    private boolean checkSources(Set<String> topics) {
        boolean sound = true;
        for (String topic : new TreeSet<>(topics)) {
            if (!LEGAL.matcher(topic).matches()) {
                problems.add("topic '" + topic + "'", "is no legal topic name; allowed: " + legalNames());
                sound = false;
            }
        }
        return sound;
    }

    private void checkDeadLetterTopic(String topic, Set<String> sources, String replay) {
        if (!problems.sound(DEAD_LETTERS, REPLAY)) {
            return; // One such name says enough about a pattern.
        }
        checkLegal(DEAD_LETTERS, topic, "only {consumer} and {topic} are replaced in it");
        if (sources.contains(topic)) {
            problems.add(
                    DEAD_LETTERS,
                    "gives '" + topic + "', which is a source topic: its dead letters would be consumed; change the"
                            + " pattern");
        }
        if (topic.equals(replay)) {
            problems.add(
                    DEAD_LETTERS,
                    "gives '" + topic + "', which is the replay topic: every dead letter would be replayed at once;"
                            + " change the pattern");
        }
    }

    private void checkLegal(SettingKeys pattern, String topic, String hint) {
        if (!LEGAL.matcher(topic).matches()) {
            problems.add(
                    pattern,
                    "gives '" + topic + "' (" + topic.length() + " characters), which is no legal topic name; allowed: "
                            + legalNames() + "; " + hint);
        }
    }

    private static String legalNames() {
        return "1 to 249 characters of A-Z, a-z, 0-9, '.', '_', '-', and neither '.' nor '..'";
    }
}
