package dev.onceward.dlq.topic;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Names of dead-letter topics, and whose letters are in them. {@code dlq.a.b.c} may be that of the consumer {@code a} for
 * the topic {@code b.c}, and that of {@code a.b} for {@code c}: only a letter's own origin says which.
 *
 * @param pattern with {@code {consumer}} and {@code {topic}}
 * @param consumer only this one's; {@code null}: of every consumer
 */
record DeadLetterNames(String pattern, @Nullable String consumer) {
    private static final String CONSUMER = "{consumer}";
    private static final String TOPIC = "{topic}";

    /** Whether whose letters they are can be told. */
    boolean tellTheConsumer() {
        return consumer != null || pattern.contains(CONSUMER);
    }

    /** The names looked for, for people. */
    @Override
    public String toString() {
        return consumer == null ? pattern : pattern.replace(CONSUMER, consumer);
    }

    /** Whether a topic has such a name. */
    boolean fits(String topic) {
        return Pattern.matches(regex(toString()), topic);
    }

    /** Whose letter of an origin topic lies in a dead-letter topic; empty: nobody's that is looked for. */
    Optional<String> owner(String deadLetterTopic, String originTopic) {
        if (consumer != null) {
            return toString().replace(TOPIC, originTopic).equals(deadLetterTopic)
                    ? Optional.of(consumer)
                    : Optional.empty();
        }
        return anyOwner(deadLetterTopic, originTopic);
    }

    /** The same, of any consumer. */
    Optional<String> anyOwner(String deadLetterTopic, String originTopic) {
        if (!pattern.contains(CONSUMER)) {
            return Optional.empty();
        }
        Matcher matcher =
                Pattern.compile(regex(pattern.replace(TOPIC, originTopic))).matcher(deadLetterTopic);
        return matcher.matches() ? Optional.of(matcher.group("consumer")) : Optional.empty();
    }

    private static String regex(String name) {
        return group(group(Pattern.quote(name), CONSUMER, "consumer"), TOPIC, "topic");
    }

    /** A name that stands there twice must be the same both times. */
    private static String group(String regex, String placeholder, String group) {
        int first = regex.indexOf(placeholder);
        if (first < 0) {
            return regex;
        }
        String before = regex.substring(0, first);
        String after = regex.substring(first + placeholder.length());
        return before + "\\E(?<" + group + ">.+)\\Q" + after.replace(placeholder, "\\E\\k<" + group + ">\\Q");
    }
}
