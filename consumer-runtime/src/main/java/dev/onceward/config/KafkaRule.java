package dev.onceward.config;

import java.util.OptionalLong;
import java.util.function.Predicate;

/**
 * A property that is passed through only with certain values.
 *
 * @param allowed asked with the value, trimmed
 * @param why what would go wrong with others, and what to do instead
 */
record KafkaRule(KafkaClient client, String property, Predicate<String> allowed, String why) {

    static KafkaRule never(KafkaClient client, String property, String why) {
        return new KafkaRule(client, property, value -> false, why);
    }

    static KafkaRule only(KafkaClient client, String property, String value, String why) {
        return new KafkaRule(client, property, value::equals, why);
    }

    /** What is no number is left to Kafka's own check. */
    static KafkaRule inRange(KafkaClient client, String property, long min, long max, String why) {
        return new KafkaRule(
                client,
                property,
                value -> {
                    OptionalLong number = number(value);
                    return number.isEmpty() || (number.getAsLong() >= min && number.getAsLong() <= max);
                },
                why);
    }

    /** Empty where Kafka's own check will complain. */
    static OptionalLong number(String text) {
        try {
            return OptionalLong.of(Long.parseLong(text.trim()));
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }
}
